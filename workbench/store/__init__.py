"""Sessions on disk: one folder each, with the journal's database, whole outputs, old file contents and a lock."""
