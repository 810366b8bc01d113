"""A dealer at a simulated table: watches the lamps, draws cards, presses NEXT, and makes one mistake if given."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Protocol

SAMPLE_S = 0.02
FAST_FROM = 2.5  # switches in a second; a lamp at 1 Hz makes 2, one at 5 Hz makes 10
_Lamps = frozenset[str]
THINK_S = (0.6, 1.5)  # seconds per card of a practised dealer
SHUFFLE_S = 3.0
BURN_S = (0.2, 0.4)  # seconds per card that is burned unseen
GLANCE_S = 0.7  # enough to distinguish a steady lamp from a blinking one
STARE_S = 2.2  # longer than the dark phase of any rhythm
ANSWER_S = 30.0  # until the lamps answer a card
PATIENCE_S = 3.0  # until NEXT is pressed again
BLINK_S = 0.15  # longer than the bright phase of the quick rhythm
_POLL_S = 0.004


@dataclass(frozen=True, slots=True)
class Seen:
    """The lamps seen steady, blinking slowly (1 Hz, a double flash) and fast (5 Hz)."""

    steady: _Lamps
    slow: _Lamps
    fast: _Lamps

    @property
    def lit(self) -> _Lamps:
        """All lamps that were lit at some time."""
        return self.steady | self.slow | self.fast


class Eyes:
    """Observes lamps over time. lit: the names of the lamps lit at this moment."""

    def __init__(self, lit: Callable[[], Collection[str]]) -> None:
        self._lit = lit

    async def look(self, seconds: float) -> Seen:
        """Watch for `seconds`; 0.7 distinguish the rhythms, 2.2 find a double flash too."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        looks = [frozenset(self._lit())]
        while loop.time() - start < seconds:
            await asyncio.sleep(SAMPLE_S)
            looks.append(frozenset(self._lit()))
        return seen(looks, loop.time() - start)


def seen(looks: list[_Lamps], seconds: float) -> Seen:
    """Return the lamps by rhythm, from samples at equal intervals within `seconds`."""
    every = frozenset().union(*looks)
    steady = every.intersection(*looks)
    # Any interval may contain one switch more.
    fast = frozenset(lamp for lamp in every - steady if _switches(lamp, looks) - 1 > FAST_FROM * seconds)
    return Seen(steady, every - steady - fast, fast)


def _switches(lamp: str, looks: list[_Lamps]) -> int:
    return sum((lamp in before) != (lamp in after) for before, after in pairwise(looks))


@dataclass(frozen=True, slots=True)
class Paper:
    """A card in the dealer's hand: the code for the reader, and how many cards are burned if it is exposed."""

    code: int | str = field(repr=False)  # secret until disclosed
    burns: int = 0


class Hands(Protocol):
    """A dealer's view of the table and actions on it. slots: the lamps of the places for cards."""

    @property
    def slots(self) -> Collection[str]:
        """The lamps of the places for cards, in the order of the game."""

    def waits(self) -> str:
        """Return what the guests must do first: `bets`, `marks` or `cards` (open them), "" if nothing."""

    def pack(self) -> int:
        """Return the number of the pack in the shoe or due next; it changes where packs open by themselves."""

    def left(self) -> int | None:
        """Return the number of cards left in the shoe by the table's count, None if it counts none."""

    def lit(self) -> Collection[str]:
        """Return the lamps that are lit at this moment."""

    def draw(self, paper: Paper, how: str = "") -> None:
        """Pull a card over the reader; `how` names its fault, if any."""

    async def cut_card(self) -> None:
        """Pull the cut card over its sensor."""

    async def press_next(self) -> None:
        """Press the key NEXT."""

    async def ask_for_shoe(self) -> None:
        """Ask the pit boss to open the shuffled shoe."""

    async def call_floor(self, last: Paper | None) -> None:
        """Call the pit boss to decide; `last` is the card drawn last."""


class Puzzled(RuntimeError):
    """The dealer cannot continue; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A single mistake: at the lamp of one of `slots`, at `next`, at the last card to `burn`, or while guests are
    asked for `bets` or `marks`.

    act: makes it; returns whether it replaced the card or key that was due. after: chances skipped before, so that
    viewers first see the correct way.
    """

    act: Callable[["Dealer"], Awaitable[bool]]
    at: tuple[str, ...]
    after: int = 1


class Dealer:
    """Deals shoe after shoe at `speed` (1: human), from the lamps and the cards in hand alone.

    packs: the cards of a full shoe, unshuffled. cut_from_end: the fewest and the most cards behind the cut card;
    None: no cut card. arrange: puts shuffled cards into the shoe, the first to be drawn at the end. going: while it is
    not set, the dealer pauses before the next card or key.
    """

    def __init__(
        self,
        hands: Hands,
        packs: Sequence[Paper],
        rng: Random,
        speed: float = 1.0,
        mistake: Mistake | None = None,
        cut_from_end: tuple[int, int] | None = None,
        arrange: Callable[[list[Paper]], list[Paper]] | None = None,
    ) -> None:
        self.hands = hands
        self.last: Paper | None = None
        self.first: Paper | None = None
        """The first card of the pack in the shoe."""
        self._unread: Paper | None = None
        self.going = asyncio.Event()
        self.going.set()
        self._packs, self._rng, self._speed, self._cut_from_end = packs, rng, speed, cut_from_end
        self._arrange = arrange
        self._mistake, self._chances, self._cut_at, self._unburned = mistake, 0, -1, False
        self._eyes = Eyes(hands.lit)
        self._shoe: list[Paper] = []
        self._marked = False
        self._looked = 0.0
        self._pack = hands.pack()

    async def work(self) -> None:
        """Deal until cancelled. Raises Puzzled."""
        await self._bring_shoe()
        while True:
            slot = self._the_one_lit()
            if self.hands.pack() != self._pack:
                await self._bring_pack()
            elif self.hands.waits():
                self._marked = True
                await asyncio.sleep(_POLL_S)
                if asked := self.hands.waits():
                    await self._errs(asked)
                if "fault" in self.hands.lit():
                    await self._look_while_waiting()
            elif slot is None or (self._marked and not await self._is_steady(slot)):
                await self._look()
            else:
                await self._deal(slot)

    def draw(self, how: str = "") -> None:
        """Draw the next card, correctly or with the fault `how`."""
        if not self._shoe:
            raise Puzzled("a card is due and the shoe is empty: open a new one")
        self.last = self._shoe.pop()
        self.hands.draw(self.last, how)

    async def draw_unread(self, how: str) -> None:
        """Draw an unreadable card and wait for the outcome: the pit boss is called, or play continues with it."""
        left = self.hands.left()
        self.draw(how)
        self._unread = self.last
        await self._until(lambda: "fault" in self.hands.lit() or self.hands.left() != left, "fault")
        await self._eyes.look(GLANCE_S)

    async def draw_early(self) -> None:
        """Draws the next card though none is due, and waits until the table has counted it: guests who go on before
        that would make it the right one.
        """
        left = self.hands.left()
        self.draw()
        await self._until(lambda: "fault" in self.hands.lit() or self.hands.left() != left, "a card to be counted")

    def draw_other(self, how: str = "") -> None:
        """Draw a card that must not be in the shoe: the last one once more."""
        assert self.last is not None
        self.hands.draw(self.last, how)

    def draw_first_again(self) -> None:
        """Draw a card too many of a face: that of the first card of this pack."""
        assert self.first is not None
        self.hands.draw(self.first)

    async def see(self, *lamps: str) -> None:
        """Wait until one of `lamps` is lit. Raises Puzzled after `ANSWER_S`."""
        await self._until(lambda: any(lamp in self.hands.lit() for lamp in lamps), " or ".join(lamps))

    async def _see_on(self, *lamps: str) -> None:
        """Wait for a lamp or for the guests. Raises Puzzled after `ANSWER_S`."""
        await self._until(lambda: self._goes_on(*lamps), " or ".join(("fault", *lamps, *self.hands.slots)))

    def _goes_on(self, *lamps: str) -> bool:
        lit = self.hands.lit()
        return bool(self.hands.waits()) or any(lamp in lit for lamp in ("fault", *lamps, *self.hands.slots))

    async def _bring_pack(self) -> None:
        """Put a shuffled pack into the shoe; it needs no opening."""
        await self._pause(SHUFFLE_S)
        shuffled = list(self._packs)
        self._rng.shuffle(shuffled)
        self._shoe = self._arrange(shuffled) if self._arrange else shuffled
        self.first = self._shoe[-1]
        self._unburned = any(paper.burns for paper in self._shoe)
        self._pack = self.hands.pack()

    async def _bring_shoe(self) -> None:
        await self._bring_pack()
        self._cut_at = self._rng.randint(*self._cut_from_end) if self._cut_from_end else -1
        self._unburned = True
        await self.hands.ask_for_shoe()
        self._pack = self.hands.pack()
        await self._see_on("ready")

    async def _deal(self, slot: str) -> None:
        """Draw a card to the slot with the steady lamp."""
        await self._think()
        if slot not in self.hands.lit() or self.hands.waits() or await self._errs(slot):
            return
        self._unburned = False
        left = self.hands.left()
        await self._draw()
        await self._until(
            lambda: slot not in self.hands.lit() or self.hands.left() != left, f"the lamp of {slot} to go out"
        )
        # A lamp that stays lit asks for the next card, or shows by blinking that its hand has lost.
        self._marked = self._marked or slot in self.hands.lit()

    async def _draw(self) -> None:
        if len(self._shoe) == self._cut_at:
            await self.hands.cut_card()
            await self._think()
        self.draw()

    async def _look(self) -> None:
        """Find the rhythms where no single lamp is lit, and follow them."""
        seen = await self._eyes.look(GLANCE_S)
        if not seen.lit & {"ready", *self.hands.slots} and "fault" not in seen.slow | seen.fast:
            seen = await self._eyes.look(STARE_S)
        due = [slot for slot in self.hands.slots if slot in seen.steady and slot in self.hands.lit()]
        if len(due) == 1:
            await self._deal(due[0])
        elif self._the_one_lit() in {None, *seen.slow, *seen.fast} and not self.hands.waits():
            await self._follow(seen)

    async def _look_while_waiting(self) -> None:
        """Call the pit boss if the lamps demand it while guests are asked."""
        if "fault" in (await self._eyes.look(GLANCE_S)).fast:
            await self._think()
            await self.hands.call_floor(self.last)

    async def _follow(self, seen: Seen) -> None:
        """Follow lamps without a card due: they ask for the pit boss, a look at the cards, NEXT, or a shoe."""
        if "fault" in seen.fast:
            await self._think()
            await self.hands.call_floor(self._unread or self.last)
            self._unread = None
        elif "fault" in seen.slow:
            await self._confirm()
        elif "ready" in seen.lit and self._unburned:
            await self._burn()
        elif "ready" in seen.lit:
            await self._press_next()
        elif not seen.lit & set(self.hands.slots):
            await self._bring_shoe()

    async def _confirm(self) -> None:
        """Compare the cards with the screen, then confirm with NEXT."""
        await self._think()
        if not any(slot in self.hands.lit() for slot in self.hands.slots):
            await self.hands.press_next()

    async def _burn(self) -> None:
        """Expose the first card and burn as many cards as it demands."""
        await self._think()
        self._unburned = False
        await self._draw()
        assert self.last is not None
        for left in range(self.last.burns, 0, -1):
            await self._pause(self._rng.uniform(*BURN_S))
            if left == 1:
                await self._errs("burn")
            await self._draw()
        await self._see_on()

    async def _press_next(self) -> None:
        await self._think()
        if not await self._errs("next"):
            await self.hands.press_next()
            await self._wait_for_answer()

    async def _wait_for_answer(self) -> None:
        """Wait for the table's answer to NEXT; a second press would mean something else."""
        give_up = asyncio.get_running_loop().time() + PATIENCE_S
        while not self._goes_on() and asyncio.get_running_loop().time() < give_up:
            await asyncio.sleep(_POLL_S)

    async def _errs(self, where: str) -> bool:
        """Make the mistake if its moment has come; return whether it replaced what was due."""
        mistake = self._mistake
        if mistake is None or where not in mistake.at:
            return False
        self._chances += 1
        if self._chances <= mistake.after:
            return False
        self._mistake = None
        return await mistake.act(self)

    async def _is_steady(self, slot: str) -> bool:
        """Return whether a lamp is no blinking one, as the sign of a hand that has lost after a mark."""
        give_up = asyncio.get_running_loop().time() + BLINK_S
        while slot in self.hands.lit():
            if asyncio.get_running_loop().time() > give_up:
                self._marked, self._looked = False, BLINK_S
                return True
            await asyncio.sleep(_POLL_S)
        return False

    def _the_one_lit(self) -> str | None:
        lit = [slot for slot in self.hands.slots if slot in self.hands.lit()]
        return lit[0] if len(lit) == 1 else None

    async def _until(self, condition: Callable[[], bool], what: str) -> None:
        give_up = asyncio.get_running_loop().time() + ANSWER_S
        while not condition():
            if asyncio.get_running_loop().time() > give_up:
                raise Puzzled(f"the dealer waited {ANSWER_S:.0f} s for {what}: it did not come")
            await asyncio.sleep(_POLL_S)

    async def _think(self) -> None:
        """Pause before a card or key; the hand already moves while a lamp is looked at."""
        looked, self._looked = self._looked, 0.0
        await self._pause(self._rng.uniform(*THINK_S), looked)

    async def _pause(self, seconds: float, over: float = 0.0) -> None:
        """Pause for `seconds` at speed 1; `over` are real seconds that have passed of them."""
        await asyncio.sleep(max(seconds / self._speed - over, 0.0))
        await self.going.wait()
