"""Tables are read whole, and a bad row is named."""

import tempfile
import unittest
from datetime import datetime
from pathlib import Path

from tidewatch.store import BadTable, Tide, load

HARBOUR = Path(__file__).resolve().parent.parent / "data" / "harbour.csv"


class Store(unittest.TestCase):
    """One claim a test."""

    def load_text(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            path.write_text(text, encoding="utf-8")
            return load(path)

    def test_harbour_is_read(self):
        tides = load(HARBOUR)
        self.assertEqual(len(tides), 12)
        self.assertEqual(tides[0], Tide(datetime(2026, 3, 9, 5, 42), "high", 6.1))

    def test_tides_come_in_the_order_of_time(self):
        tides = self.load_text("date,time,kind,metres\n2026-03-10,01:00,low,1.0\n2026-03-09,19:00,high,5.0\n")
        self.assertEqual([tide.kind for tide in tides], ["high", "low"])

    def test_bad_row_is_named_by_line(self):
        with self.assertRaisesRegex(BadTable, "line 3: not a time"):
            self.load_text("date,time,kind,metres\n2026-03-09,05:42,high,6.1\n2026-03-09,noon,low,1.0\n")

    def test_missing_column_is_an_error(self):
        with self.assertRaises(BadTable):
            self.load_text("date,time,kind\n2026-03-09,05:42,high\n")
