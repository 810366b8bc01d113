"""`shoe` with one game more: the line of the toy is added before anything else is imported."""

import sys

from firmware_bridge.games import GAMES
from tests.war.rules import GAME

GAMES[GAME.name] = GAME

from firmware_bridge.cli import main  # noqa: E402  # the rest of the program is to find the game there

sys.exit(main())
