"""Lamps that change as a list of steps says, for tests of who looks at them."""

import asyncio
from collections.abc import Iterable

from hardware.pins.lamps import phase
from hardware.sim.dealer import Paper


class Enough(Exception):
    pass


class Table:
    """Lamps that change as `steps` say: after each thing the dealer does, the lamps that follow it."""

    slots = ("P1", "B1", "P2", "B2", "P3", "B3", "R1", "R2")

    def __init__(self, steps: Iterable[dict[str, str]]) -> None:
        self.steps = list(steps)
        self.lamps: dict[str, str] = {}
        self.done: list[str] = []
        self.drawn: list[int | str] = []
        self.at: list[float] = []

    def lit(self) -> set[str]:
        now = round(1000 * asyncio.get_running_loop().time())
        return {lamp for lamp, rhythm in self.lamps.items() if phase(rhythm, now)[0]}

    def waits(self) -> str:
        return ""

    def pack(self) -> int:
        return 0

    def left(self) -> int | None:
        return None

    def draw(self, paper: Paper, how: str = "") -> None:
        self.drawn.append(paper.code)
        self.did(f"draw {how}".strip())

    async def cut_card(self) -> None:
        self.done.append("cut")

    async def press_next(self) -> None:
        self.did("next")

    async def ask_for_shoe(self) -> None:
        self.did("shoe")

    async def call_floor(self, last: Paper | None) -> None:
        self.did("floor")

    def did(self, what: str) -> None:
        self.done.append(what)
        self.at.append(asyncio.get_running_loop().time())
        if not self.steps:
            raise Enough
        self.lamps = self.steps.pop(0)
