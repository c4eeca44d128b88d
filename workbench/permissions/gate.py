"""The one decision on a call: allow, ask or deny, with everything that led to it.

Fail closed: what is not fully understood asks; what cannot be decided is denied. Order of authority: built-in floors, deny, ask,
allow, then the mode's default.
"""
