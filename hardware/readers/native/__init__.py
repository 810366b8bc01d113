"""The native link: boards that number their reports, keep them and can be calibrated."""

from typing import Final

from hardware.readers.native.decoder import NativeDecoder
from hardware.readers.native.masking import NativeFrames
from hardware.readers.protocol import Protocol

PROTOCOL: Final = Protocol(
    NativeDecoder,
    baud=115_200,
    board="hardware.sim.board:NativeBoard",
    frames=NativeFrames(),
    keeps_reports=True,
    knows_cards=True,
    has_signal=True,
)
