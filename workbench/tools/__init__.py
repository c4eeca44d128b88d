"""The tools a model may call: what is common to all, the registry, and one file per tool."""
