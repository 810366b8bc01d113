"""Tells steady lamps from blinking ones by looking at them for a while, as people do."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import pairwise

SAMPLE_S = 0.02
FAST_FROM = 2.5  # switches in a second; a lamp at 1 Hz makes 2, one at 5 Hz makes 10

_Lamps = frozenset[str]


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen: lamps that stayed lit, that blinked slowly (1 Hz, a double flash) and fast (5 Hz)."""

    steady: _Lamps
    slow: _Lamps
    fast: _Lamps

    @property
    def lit(self) -> _Lamps:
        """All that were not dark all the time."""
        return self.steady | self.slow | self.fast


class Eyes:
    """Looks at what `lit()` gives: the names of the lamps that are lit at this moment."""

    def __init__(self, lit: Callable[[], Collection[str]]) -> None:
        self._lit = lit

    async def look(self, seconds: float) -> Seen:
        """Look for `seconds`; 0.7 tell the rhythms apart, 2.2 find a double flash too."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        looks = [frozenset(self._lit())]
        while loop.time() - start < seconds:
            await asyncio.sleep(SAMPLE_S)
            looks.append(frozenset(self._lit()))
        return seen(looks, loop.time() - start)


def seen(looks: list[_Lamps], seconds: float) -> Seen:
    """The lamps by rhythm, from looks at equal distances within `seconds`."""
    every = frozenset().union(*looks)
    steady = every.intersection(*looks)
    # One switch more may fall into any stretch of time.
    fast = frozenset(lamp for lamp in every - steady if _switches(lamp, looks) - 1 > FAST_FROM * seconds)
    return Seen(steady, every - steady - fast, fast)


def _switches(lamp: str, looks: list[_Lamps]) -> int:
    return sum((lamp in before) != (lamp in after) for before, after in pairwise(looks))
