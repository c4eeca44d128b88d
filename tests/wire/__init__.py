"""Tests of the wire room: framing, client, server, redaction."""
