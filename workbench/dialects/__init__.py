"""The wire dialects, one package each, all alike: requests and responses in both directions, and the rules of providers."""
