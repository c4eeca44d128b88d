"""The practice model: an honest script, not an AI, that drives the tools from behind a real HTTP server on loopback."""
