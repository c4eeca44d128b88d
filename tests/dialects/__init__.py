"""Tests of the codecs: recorded traffic, however it is cut, and laws that hold for all messages."""
