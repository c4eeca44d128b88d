"""Who serves a model: profiles, the client that sends and records, and the search for servers on this machine."""
