"""The vocabulary of the whole program: messages, stream events, exchanges, journal events. Frozen values without I/O."""
