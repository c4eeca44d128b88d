"""The program as ``python -P -m workbench``. Without -P a folder's own modules would run first; people start the `workbench` script."""

from __future__ import annotations

import sys

from workbench.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
