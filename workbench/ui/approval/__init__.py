"""The approval dialog: what a call would do, shown whole and drawn by the program itself, and the answers to it."""
