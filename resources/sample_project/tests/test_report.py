"""What is printed."""

import contextlib
import io
import unittest
from datetime import datetime
from pathlib import Path

from tidewatch.cli import main
from tidewatch.report import line, next_tides
from tidewatch.store import Tide

HARBOUR = str(Path(__file__).resolve().parent.parent / "data" / "harbour.csv")
TIDES = [Tide(datetime(2026, 3, 9, 6), "high", 6.0), Tide(datetime(2026, 3, 9, 12), "low", 1.0)]


class Report(unittest.TestCase):
    """One claim a test."""

    def run_command(self, *arguments):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = main(list(arguments))
        return code, printed.getvalue()

    def test_line_has_a_bar_of_half_metres(self):
        self.assertEqual(line(TIDES[1]), "12:00  low   1.00 m  ##")

    def test_next_leaves_out_what_is_over(self):
        self.assertEqual(next_tides(TIDES, datetime(2026, 3, 9, 6), 5), TIDES[1:])

    def test_day_prints_the_tides_of_that_day(self):
        code, printed = self.run_command("day", HARBOUR, "2026-03-10")
        self.assertEqual(code, 0)
        self.assertEqual(printed.splitlines()[0], "2026-03-10")
        self.assertEqual(len(printed.splitlines()), 5)

    def test_missing_table_is_a_sentence_and_exit_code_1(self):
        code, printed = self.run_command("day", "nowhere.csv", "2026-03-10")
        self.assertEqual(code, 1)
        self.assertIn("nowhere.csv", printed)
