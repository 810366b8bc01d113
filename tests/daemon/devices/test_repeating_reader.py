"""A shoe through a reader that repeats or does not, with and without a sensor at the exit, by a virtual clock."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Final

import pytest

from firmware_bridge.config.calibration import Calibration, ReaderSection, Reading, save
from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.daemon.devices.code_books import CARDS, Known, native_code
from firmware_bridge.daemon.devices.reader import Reader
from firmware_bridge.daemon.devices.repeats import SOON_S, Behind, has_own_codes, is_last_face, repeats_of
from firmware_bridge.daemon.devices.sensors import ExitSensor
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.shoe.state import held_cards, is_open
from hardware.readers import READERS, ReaderSettings, rdm6300
from hardware.readers.messages import Read
from hardware.readers.rdm6300 import NEAR
from tests.kit.nightly import EVERY, share
from tests.kit.rows import each_row
from tests.kit.table import Table
from tests.kit.virtual import run

DECKS: Final = 8
PASSES_S: Final = 0.15
"""How long a card covers the exit's sensor."""

EACH_S: Final = 1.0
"""From one report to the next, at least, of a module that reads what lies before it again and again."""

NEAR_S: Final = 0.05
"""From one frame of tags to the next."""

NO_TIME_S: Final = 1e-9
START_S: Final = 1.0
"""From the opening to the first card."""


@dataclass
class Found:
    """What became of the cards. presses: NEXT and `keep`. swallowed: not taken at once; a sensor may mend it."""

    presses: int = 0
    swallowed: int = 0
    invented: int = 0
    predicted: int = 0
    missed: int = 0
    is_right: bool = False
    alarms: Counter[str] = field(default_factory=Counter)


@dataclass
class Plan:
    """A way to deal a shoe: seconds a card, whether the module repeats each second, and what the table has.

    late: whether such a module reads a new card only when its next second is over. near: seconds for which a tag is
    within reach of its module. behind_s: from the reader to the sensor at the exit. uneven: from half of the pace to
    one and a half, from card to card.
    """

    pace: float = 1.0
    repeating: bool = False
    repeats: float | None = None
    sensor: bool = False
    hold: float = 0.5
    protocol: str = "grow"
    near: float = 0.0
    behind_s: float = 0.05
    late: bool = False
    uneven: bool = False

    def __str__(self) -> str:
        words = ["repeating" if self.repeating else "silent", f"{self.pace:g}s", self.protocol]
        words += [f"repeats={self.repeats:g}"] if self.repeats is not None else []
        words += ["late"] if self.late else []
        words += ["uneven"] if self.uneven else []
        words += [f"near={self.near:g}"] if self.near else []
        words += [f"sensor{self.behind_s:+g}"] if self.sensor else []
        return "-".join(words)

    def comes(self, cards: int, seed: int) -> list[float]:
        """The second at which each card comes to the reader, and the last one goes."""
        hand = Random(seed)
        paces = (self.pace * (hand.uniform(0.5, 1.5) if self.uneven else 1) for _ in range(cards))
        return list(accumulate(paces, initial=0.0))

    def reports(self, cards: int, seed: int = 0) -> Iterator[tuple[float, int, bool]]:
        """What the module reports, at which second of a card of this number, and whether it says it first."""
        if self.near:
            yield from self._tags(cards)
            return
        free = 0.0
        for n, (comes, goes) in enumerate(pairwise(self.comes(cards, seed))):
            at = max(comes, free)
            yield at, n, True
            while self.repeating and at + EACH_S < goes - NO_TIME_S:
                at += EACH_S
                yield at, n, False
            free = at + EACH_S * self.late - NO_TIME_S

    def _tags(self, cards: int) -> Iterator[tuple[float, int, bool]]:
        """One of the tags that are near says itself each 50 ms, a new one first."""
        new = 0
        for tick in range(round(((cards - 1) * self.pace + self.near) / NEAR_S) + 1):
            at = tick * NEAR_S + NO_TIME_S
            is_new = new < cards and new * self.pace <= at
            new += is_new
            near = [n for n in range(max(0, new - NEAR), new) if at <= n * self.pace + self.near + 2 * NO_TIME_S]
            if near:
                yield at, new - 1 if is_new else near[tick % len(near)], is_new


class Dealt:
    """A shoe at a real reader and decoder, with the core as its table."""

    def __init__(self, plan: Plan, folder: Path, seed: int) -> None:
        self.plan, self.seed, self.loop, self.found = plan, seed, asyncio.get_running_loop(), Found()
        self.core = Table(burn="none", decks=DECKS, cut_earliest=None, virtual_cut=None).play("shoe")
        whole = [(n, face) for n in range(DECKS) for face in FACES]
        Random(seed).shuffle(whole)
        first, count = (0, len(whole)) if EVERY else _neighbours(whole)
        self.pack = whole[first : first + count]
        self.comes = [START_S + at for at in plan.comes(count, seed)]
        config = ReaderConfig(protocol=plan.protocol, hold=plan.hold, repeats=plan.repeats)
        daemon: Any = SimpleNamespace(
            shoe=self.core.shoe, disk=None, handle=self._take, journal=SimpleNamespace(directory=folder)
        )
        self.daemon = daemon
        self.reader = Reader(config, DECKS, CARDS, daemon, self.loop)
        given = ReaderSettings(hold=plan.hold, repeats=self.reader.again.repeats)
        self.reader.decoder = READERS[plan.protocol].decoder(given, self.loop.time)  # type: ignore[call-arg]  # each takes a clock
        self.exit = ExitSensor(lambda: True, self._missed, self.loop)
        if plan.sensor:
            self.reader.again.of_which, self.exit.on_entered = self.exit.of_which, self.reader.again.settle
            self.reader.again.has_exit = lambda: self.exit.works
            self.reader.listeners = (self.exit.heard,)
        if plan.protocol == "rdm6300":
            self.reader._book = {self._code(n, face): Known(face, None, f"{n}-{face.value}") for n, face in self.pack}
        self.reader.decoder.forget()
        list(self.reader.decoder.feed(b""))

    def _missed(self) -> None:
        self.found.missed += 1

    def _take(self, fact: inputs.AnyInput) -> None:
        before = len(held_cards(self.core.shoe))
        self.core.take(fact)
        self.daemon.shoe = self.core.shoe
        if len(held_cards(self.core.shoe)) > before:
            self.loop.call_soon(self._decide)

    @staticmethod
    def _code(n: int, face: Card) -> str:
        return f"{n:02X}{native_code(face):08X}"

    def _report(self, n: int, face: Card, is_real: bool) -> None:
        self.is_real = is_real
        wire = rdm6300.encode(self._code(n, face)) if self.plan.protocol == "rdm6300" else f"{face.value}\r\n".encode()
        shoe = self.core.shoe
        was = len(shoe.seen) + len(shoe.held)
        self.reader._on_bytes(wire)
        shoe = self.core.shoe
        taken = len(shoe.seen) + len(shoe.held) > was
        self.found.invented += taken and not is_real and not self.core.shoe.held
        if is_real and not taken:
            self.found.swallowed += 1
            self.found.predicted += self.is_settled or self.plan.hold > 1
        self.is_settled = self.core.shoe.is_same
        self._decide()

    is_real = is_settled = False

    def _is_another(self) -> bool:
        """Whether the card that is asked for is the next one that lies on the table, and not the one before."""
        n, asked = len(self.core.shoe.seen), held_cards(self.core.shoe)[0].card
        seen = self.loop.time() - min(self.plan.behind_s, 0)
        return n < len(self.pack) and self.comes[n] <= seen and self.pack[n][1] is asked

    def _decide(self) -> None:
        """Dealer and pit look at the table: they say what each card is."""
        while is_open(self.core.shoe, "read_again"):
            self.found.presses += 1
            if self._is_another():
                self.core.take(self.core.order(orders.Resolve("read_again", "keep")))
            else:
                self.core.take(inputs.Pressed(at=0, key="next"))
                self.is_settled = True
        self.daemon.shoe = self.core.shoe

    async def deal(self) -> Found:
        if self.plan.sensor:
            for comes in self.comes[:-1]:
                at = comes + self.plan.behind_s
                self.loop.call_at(at, self.exit.entered)
                self.loop.call_at(at + PASSES_S, self.exit.left)
        for at, n, is_real in self.plan.reports(len(self.pack), self.seed):
            await asyncio.sleep(at + START_S - self.loop.time())
            if self.core.shoe.status != "open":
                break
            self._report(*self.pack[n], is_real=is_real)
        await asyncio.sleep(2 * SOON_S)
        seen, faces = self.core.shoe.seen, tuple(face for _, face in self.pack)
        self.found.is_right = seen == faces[: len(seen)] and (
            len(seen) == len(faces) or self.core.shoe.status != "open"
        )
        self.found.alarms.update(each.id for each in self.core.events if type(each).__name__ == "Irregular")
        return self.found


def _neighbours(whole: list[tuple[int, Card]], count: int = 52) -> tuple[int, int]:
    """Of a shuffled shoe, the first of the `count` cards in a row among which most are followed by an equal one."""
    equal = [one is other for (_, one), (_, other) in pairwise(whole)]
    return max(range(len(whole) - count), key=lambda first: sum(equal[first : first + count - 1])), count


def shoe_of(plan: Plan, folder: Path, seed: int) -> Found:
    async def main() -> Found:
        return await Dealt(plan, folder, seed).deal()

    return run(main())


def shoes_of(plan: Plan, folder: Path, shoes: int = 100) -> list[Found]:
    """So many shoes, each another honest shuffle; by day a part of one."""
    return [shoe_of(plan, folder, seed) for seed in range(share(shoes, of=shoes))]


PACES = (1.0, 1.9, 2.0)

QUIET = [
    *(Plan(pace, repeats=0) for pace in PACES),
    *(Plan(pace, repeats=repeats, sensor=True) for pace in PACES for repeats in (None, 0)),
    *(Plan(pace, True, repeats, True) for pace in PACES for repeats in (None, 0)),
    Plan(2.0),
    Plan(0.6, repeats=0),
    Plan(0.6, sensor=True),
    *(Plan(pace, True, sensor=True, behind_s=behind_s) for pace in (1.9, 2.5) for behind_s in (-0.1, 0.5)),
    *(Plan(1.0, sensor=True, behind_s=behind_s) for behind_s in (-0.1, 0.5)),
    *(Plan(2.0, True, sensor=True, behind_s=behind_s, uneven=True) for behind_s in (0.05, 0.5)),
    Plan(1.5, sensor=True, uneven=True),
    *(Plan(pace, protocol="rdm6300", near=near) for pace in PACES for near in (0.1, 5.0)),
]


@pytest.mark.parametrize("plan", QUIET, ids=str)
def test_nobody_is_asked_and_no_card_is_lost_or_invented(plan: Plan, tmp_path: Path) -> None:
    for seed, found in enumerate(shoes_of(plan, tmp_path)):
        assert (found.is_right, found.presses, found.missed) == (True, 0, 0), (seed, found)
        assert not {"read_again", "duplicate", "reader_repeats"} & set(found.alarms)


BEHIND_S = (-0.1, 0.05, 0.5, 0.9)
LATE = [
    *(
        Plan(2.3, True, sensor=True, late=True, behind_s=each, uneven=uneven)
        for each in BEHIND_S
        for uneven in (False, True)
    ),
    Plan(2.0, True, sensor=True, behind_s=-0.1, uneven=True),
]


@pytest.mark.parametrize("plan", LATE, ids=str)
def test_where_the_order_of_reader_and_exit_does_not_tell_it_is_asked_and_never_counted(
    plan: Plan, tmp_path: Path
) -> None:
    for seed, found in enumerate(shoes_of(plan, tmp_path, 10)):
        assert (found.is_right, found.alarms["duplicate"]) == (True, 0), (seed, found)
        assert share(20, of=10) <= found.presses < 200  # a card, or one of its repeats


@pytest.mark.parametrize("plan", [Plan(1.0), Plan(1.9), Plan(1.0, repeats=2.0), Plan(1.0, True)], ids=str)
def test_a_module_that_says_each_card_once_asks_for_each_equal_neighbour(plan: Plan, tmp_path: Path) -> None:
    shoes = shoes_of(plan, tmp_path)
    assert all((each.is_right, each.swallowed, each.invented) == (True, 0, 0) for each in shoes)
    assert all("reader_repeats" not in each.alarms for each in shoes)
    assert 2 * len(shoes) <= sum(each.presses for each in shoes) <= 8 * len(shoes)  # 6.7 a shoe


REPEATING = [*(Plan(pace, True) for pace in (1.9, 2.0, 2.5)), Plan(1.9, True, late=True)]


@pytest.mark.parametrize("plan", REPEATING, ids=str)
def test_a_repeating_module_is_counted_and_reported_and_no_card_is_invented(plan: Plan, tmp_path: Path) -> None:
    for found in shoes_of(plan, tmp_path, 10):
        assert (found.invented, found.alarms["reader_repeats"]) == (0, 1)
        assert found.presses > share(350, of=8)  # nearly every card
        assert found.swallowed == found.predicted  # behind a press, as check says


def test_a_long_hold_swallows_equal_neighbours_as_check_says(tmp_path: Path) -> None:
    for found in shoes_of(Plan(hold=10), tmp_path):
        assert (found.presses, found.invented, found.swallowed) == (0, 0, found.predicted)
        assert found.swallowed


# ---------------------------------------------------------------- the sensor at the exit, and the settings

EXIT = [
    ("it has seen nothing yet", "r", "", "unknown"),
    ("the exit behind the reader: it is on its way", "r i o 2 r .2", "other", "same"),
    ("it lies in the exit", "r i 1", "other", "same"),
    ("it is gone: another one may come", "r i o .3", "", "soon"),
    ("it is gone, and none has come", "r i o .3 ? 1.5", "nothing", "same"),
    ("another one comes as soon as the first did", "r i o 1 ? i", "", "another"),
    ("one comes too late for that", "r i o 1 ? .8 i", "", "soon"),
    ("one comes too late, and another code", "r i o 1 ? .8 i .5", "other", "unknown"),
    ("one comes too late, and the code again", "r i o 1 ? .8 i .5", "equal", "another"),
    ("one comes too late, and nothing", "r i o 1 ? .8 i 1.5", "nothing", "unknown"),
    ("the exit before the reader: none has passed", "i o r .6", "other", "same"),
    ("the next one has passed", "i o r 1 i o", "", "another"),
    ("the next one has passed, and is read now", "i o r 1 ? .8 i o", "other", "same"),
    ("at the reader", "i r o .6", "other", "same"),
    ("at the reader, the next one", "i r o .4 i", "", "another"),
    ("it never came to the exit", "i o r 3 r 2", "", "unknown"),
]


@each_row(("story", "behind", "said"), [row[1:] for row in EXIT], ids=[row[0] for row in EXIT])
def test_what_the_exit_says_of_a_code_that_is_read_again(story: str, behind: Behind, said: str) -> None:
    async def main() -> str:
        sensor = ExitSensor(lambda: False, lambda: None, asyncio.get_running_loop())
        for word in story.split():
            match word:
                case "i":
                    sensor.entered()
                case "o":
                    sensor.left()
                case "r":
                    sensor.reported()
                case "?":
                    sensor.of_which()
                case _:
                    await asyncio.sleep(float(word))
            await asyncio.sleep(0.05)
        return sensor.of_which(behind)

    assert run(main()) == said


def test_repeats_are_as_set_else_as_measured_else_the_protocols(tmp_path: Path) -> None:
    grow = ReaderConfig(protocol="grow")
    assert repeats_of(grow, tmp_path) == 2.0
    section = ReaderSection(
        at="", by="a", measured=Reading(cards=20, decode_rate=1), protocol="grow", after={"repeats": 0.0}
    )
    save(tmp_path / "calibration.toml", Calibration(reader=section))
    assert repeats_of(grow, tmp_path) == 0.0
    assert repeats_of(ReaderConfig(protocol="rdm6300"), tmp_path) == 2.0
    assert repeats_of(ReaderConfig(protocol="grow", repeats=3.0), tmp_path) == 3.0


def test_a_book_with_a_code_for_each_card_has_own_codes() -> None:
    assert not has_own_codes({f"S{n}": Known(face) for n, face in enumerate(FACES)})
    assert has_own_codes({f"S{n}": Known(face) for n, face in enumerate(FACES * 2)})


def test_the_card_before_a_closed_port_is_known_by_the_shoe() -> None:
    shoe = Table(burn="none").play("shoe 9s Kd").shoe
    book = {face.value: Known(face) for face in FACES}
    assert (is_last_face(shoe, Read("Kd"), book), is_last_face(shoe, Read("9s"), book)) == (True, False)
