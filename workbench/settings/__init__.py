"""Every setting in one typed tree, the file it lives in, and where keys are kept. Stands above the agent: nothing below reaches for it."""
