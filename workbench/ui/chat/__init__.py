"""The chat: a scroller that paints only what is visible, the items it paints, and the card of a call that waits."""
