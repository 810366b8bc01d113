"""The settings of a reader, from the table's config."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """Settings of all protocols; each decoder takes what it needs.

    `min_quality` 0..255: below it a card counts as unreadable (0: the board's own limit alone decides).
    `pattern`: regular expression with exactly one group, the code. `line_end`: what ends a line.
    `hold` seconds: the same code again within this time is the same card (0: never).
    """

    min_quality: int = 0
    pattern: str = r"(\S+)"
    line_end: str = "\n"
    hold: float = 0.5
