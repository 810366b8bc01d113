"""Simulated Angel Eye shoe: it burns, deals and judges by its own rules."""

from collections.abc import Callable
from itertools import cycle
from typing import Final

from hardware.readers.angel_eye_frames import BIT_7, RANKS, Frame, card_bytes, encode
from hardware.sim.code_boards import CodeBoard

COPIES: Final = 3  # of each report
PLAYER, BANKER, BURN, FIRST = 0, 1, 2, 4  # targets
OPENING: Final = ((PLAYER, 1), (BANKER, 1), (PLAYER, 2), (BANKER, 2))
WRONG_OPENING: Final = ((PLAYER, 1), (PLAYER, 2), (BANKER, 1), (BANKER, 2))
FORCED: Final = 7

Hands = tuple[list[str], list[str]]
Rules = Callable[[Hands], int | None]
"""From the hands so far (player's first), who draws a third card; None if the round is over."""


def points(hand: list[str]) -> int:
    """Return a hand's total, 0..9."""
    return sum(n if (n := RANKS.index(card[0]) + 1) < 10 else 0 for card in hand) % 10


def right_rules(hands: Hands) -> int | None:
    """Return who draws the next card by the rules of baccarat."""
    player, banker = hands
    if len(player) == 2 and len(banker) == 2:
        if max(points(player), points(banker)) >= 8:
            return None
        if points(player) <= 5:
            return PLAYER
        return BANKER if points(banker) <= 5 else None
    return BANKER if len(banker) == 2 and _banker_draws(points(banker), points(player[2:])) else None


def wrong_rules(hands: Hands) -> int | None:
    """Return wrong rules: the banker stands on 3 and more after any third card of the player."""
    draws = right_rules(hands)
    return None if draws is BANKER and len(hands[0]) == 3 and points(hands[1]) >= 3 else draws


def _banker_draws(total: int, third: int) -> bool:
    return total <= 2 or (total == 3 and third != 8) or (4 <= total <= 6 and 2 * (total - 3) <= third <= 7)


class AngelEyeShoe(CodeBoard):
    """Peer of `AngelEyeDecoder` with its own `rules`. opening: targets and indexes of the first four cards."""

    papers = "names"

    def __init__(
        self, burns: bool = True, rules: Rules = right_rules, opening: tuple[tuple[int, int], ...] = OPENING
    ) -> None:
        super().__init__()
        self._burns, self.rules, self._opening = burns, rules, opening
        self._numbers = cycle("123456789")
        self._mislays = False
        self.new_shoe()

    def new_shoe(self) -> None:
        """Load the shoe: it starts, and burns first."""
        self._hands: Hands = ([], [])
        self._to_burn: int | None = None if self._burns else 0
        self._send("S")

    def pull(self, code: str) -> None:
        """Draw a card such as `8s`; raise ValueError for anything else."""
        card_bytes(PLAYER, 1, code)
        if self._to_burn is None:
            self._to_burn = points([code]) or 10
            self._send("D", card_bytes(FIRST, 1, code))
        elif self._to_burn:
            self._to_burn -= 1
            self._send("D", card_bytes(BURN, 1, code))
        else:
            self._deal(code)

    def unreadable(self) -> None:
        """Report an unreadable card; the shoe expects it again and reports it then at the same place."""
        self._send("E", bytes((BIT_7 | 0x41,)))

    def mislay(self) -> None:
        """Make the next card be reported on the other side."""
        self._mislays = True

    def cut_card(self) -> None:
        self._send("C")

    def quit(self) -> None:
        """End the round by the dealer's button."""
        self._end(FORCED)

    def repeat(self) -> None:
        """Send the last report once more, as a retransmission."""
        self._out += self._last

    def _deal(self, code: str) -> None:
        target, index = self._due()
        self._hands[target].append(code)
        side, self._mislays = BANKER - target if self._mislays else target, False
        self._send("D", card_bytes(side, index, code))
        if sum(map(len, self._hands)) >= len(OPENING) and self.rules(self._hands) is None:
            ours, theirs = map(points, self._hands)
            self._end(2 if ours == theirs else 1 if ours > theirs else 4)

    def _due(self) -> tuple[int, int]:
        drawn = sum(map(len, self._hands))
        if drawn < len(self._opening):
            return self._opening[drawn]
        target = self.rules(self._hands)
        assert target is not None
        return target, 3

    def _end(self, outcome: int) -> None:
        pairs = sum(bit for bit, hand in zip((1, 2), self._hands, strict=True) if _is_pair(hand))
        self._hands = ([], [])
        self._send("G", bytes((BIT_7 | outcome << 4 | pairs,)))

    def _send(self, command: str, payload: bytes = b"") -> None:
        self._last = encode(Frame(next(self._numbers), command, payload))
        self._out += self._last * COPIES


def _is_pair(hand: list[str]) -> bool:
    return len(hand) >= 2 and hand[0][0] == hand[1][0]
