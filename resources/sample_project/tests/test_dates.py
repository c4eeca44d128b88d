"""Dates and times are read as people write them."""

import unittest
from datetime import date, datetime, time

from tidewatch.dates import parse_date, parse_moment, parse_time


class Dates(unittest.TestCase):
    """One claim a test."""

    def test_two_digits(self):
        self.assertEqual(parse_date("2026-03-09"), date(2026, 3, 9))

    def test_one_digit(self):
        self.assertEqual(parse_date("2026-3-9"), date(2026, 3, 9))

    def test_words_are_no_date(self):
        with self.assertRaises(ValueError):
            parse_date("tomorrow")

    def test_month_thirteen_is_no_date(self):
        with self.assertRaises(ValueError):
            parse_date("2026-13-01")

    def test_time(self):
        self.assertEqual(parse_time("5:42"), time(5, 42))

    def test_moment_without_time_is_the_start_of_the_day(self):
        self.assertEqual(parse_moment("2026-03-09"), datetime(2026, 3, 9))
        self.assertEqual(parse_moment("2026-03-09 12:30"), datetime(2026, 3, 9, 12, 30))
