"""The person's folder: where a path really leads, how files are read and changed, what lies below, and child processes."""
