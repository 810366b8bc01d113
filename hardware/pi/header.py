"""The 40-pin header of a Raspberry Pi."""

from typing import Final

MODEL: Final = 0xC03111
"""Revision code of a Pi 4B; the header is the same from the 1B+ to the 5."""


def header_pins() -> list[tuple[int, str]]:
    """Each pin's number 1..40 and name (`GPIO17`, `3V3`, `GND`), in order."""
    from gpiozero.pins.pi import PiBoardInfo  # here: only one command needs it

    board = PiBoardInfo.from_revision(MODEL)
    return [(number, pin.name) for number, pin in sorted(board.headers["J8"].pins.items())]
