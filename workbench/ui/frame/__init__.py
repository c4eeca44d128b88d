"""Everything around chat and inspector: top bar, side pane and rail, composer, strips, status bar, and the first page."""
