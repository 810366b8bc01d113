"""What a dealer at a simulated table sees and touches."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Paper:
    """A card in the dealer's hand: the code the reader sees, and how many are burned if it is exposed."""

    code: int | str = field(repr=False)  # nobody may know it yet
    burns: int = 0


class Hands(Protocol):
    """What a dealer sees and touches. slots: the lamps of the places for cards."""

    @property
    def slots(self) -> Collection[str]:
        """The lamps of the places for cards, in the order of the game."""

    def waits(self) -> bool:
        """Whether the guests are to speak first: bets are open, or a seat or the lot is asked."""

    def pack(self) -> int:
        """Which pack is in the shoe, or is to be put there; it changes where the next one is opened by nobody."""

    def left(self) -> int | None:
        """Cards left in the shoe as the table counts them, None while it counts none."""

    def lit(self) -> Collection[str]:
        """The lamps that are lit at this moment."""

    def draw(self, paper: Paper, how: str = "") -> None:
        """Pull a card over the reader; `how` names what goes wrong with it, if anything."""

    async def cut_card(self) -> None:
        """Pull the cut card over its sensor."""

    async def press_next(self) -> None:
        """Press the key NEXT."""

    async def ask_for_shoe(self) -> None:
        """Have the pit boss open the shuffled shoe."""

    async def call_floor(self, last: Paper | None) -> None:
        """Let the floor decide; `last` is the card drawn last."""
