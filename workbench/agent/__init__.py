"""The agent: loop, harness, approvals, limits, session. Knows no provider and no window."""
