"""`python -m firmware_bridge` is `shoe`."""

import sys

from firmware_bridge.cli import main

sys.exit(main())
