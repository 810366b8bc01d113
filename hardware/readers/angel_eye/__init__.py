"""Angel Eye II-EX shoes: they read the cards and judge the game."""

from typing import Final

from hardware.readers.angel_eye.decoder import AngelEyeDecoder
from hardware.readers.angel_eye.masking import AngelEyeFrames
from hardware.readers.protocol import Protocol

PROTOCOL: Final = Protocol(
    AngelEyeDecoder,
    baud=4_800,
    board="hardware.sim.angel_eye:AngelEyeShoe",
    frames=AngelEyeFrames(),
    knows_cards=True,
    judges=True,
)
