"""Bytes on the wire: the HTTP client, a loopback server, the framing of streams, and what must not be seen of them."""
