"""Run the command line: ``python3 -m tidewatch``."""

import sys

from tidewatch.cli import main

sys.exit(main())
