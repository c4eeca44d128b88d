"""Pure decisions on what a call may do: danger levels, rules, the shell gate. The disk is read only through a protocol."""
