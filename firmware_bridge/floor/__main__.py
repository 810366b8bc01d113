"""`python -m firmware_bridge.floor` is `shoe-floor`."""

import sys

from firmware_bridge.floor.cli import main

sys.exit(main())
