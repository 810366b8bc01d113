"""A shoe through a reader that repeats or does not, with and without a sensor at the exit, by a virtual clock."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Final

import pytest

from firmware_bridge.config.calibration import Calibration, ReaderSection, Reading, save
from firmware_bridge.config.sections import ReaderConfig
from firmware_bridge.daemon.devices.code_books import CARDS, Known, native_code
from firmware_bridge.daemon.devices.reader import Reader
from firmware_bridge.daemon.devices.repeats import SOON_S, has_own_codes, is_last_face, repeats_of
from firmware_bridge.daemon.devices.sensors import ExitSensor
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.shoe.state import held_cards, is_open
from hardware.readers import READERS, ReaderSettings, rdm6300
from hardware.readers.messages import Read
from tests.kit.nightly import share
from tests.kit.rows import each_row
from tests.kit.table import Table
from tests.kit.virtual import run

DECKS: Final = 8
PASSES_S: Final = 0.15
"""How long a card covers the exit's sensor."""


@dataclass
class Found:
    """What became of the cards. presses: by the dealer's NEXT and the pit's `keep`."""

    presses: int = 0
    swallowed: int = 0
    invented: int = 0
    foretold: int = 0
    missed: int = 0
    is_right: bool = False
    alarms: Counter[str] = field(default_factory=Counter)


@dataclass
class Plan:
    """A way to deal a shoe: seconds a card, whether the module repeats each second, and what the table has."""

    pace: float = 1.0
    repeating: bool = False
    repeats: float | None = None
    sensor: bool = False
    hold: float = 0.5
    protocol: str = "grow"
    near: float = 0.0
    behind_s: float = 0.05


class Dealt:
    """A shoe at a real reader and decoder, with the core as its table."""

    def __init__(self, plan: Plan, folder: Path, seed: int) -> None:
        self.plan, self.loop, self.found = plan, asyncio.get_running_loop(), Found()
        self.core = Table(burn="none", decks=DECKS, cut_earliest=None, virtual_cut=None).play("shoe")
        self.real: list[bool] = []
        """Of each doubtful card that waits, whether it is one."""

        whole = [(n, face) for n in range(DECKS) for face in FACES]
        Random(seed).shuffle(whole)
        alike = [each for each in whole if each[1] is whole[0][1]][1:4]  # three in a row, in each shoe
        others = [each for each in whole if each not in alike]
        self.pack = (others[:9] + alike + others[9:])[: share(len(whole), of=8)]
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
            self.real.append(self.is_real)

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
        self.found.invented += taken and not is_real and not self.real
        if is_real and not taken:
            self.found.swallowed += 1
            self.found.foretold += self.is_settled or self.plan.hold > 1
        self.is_settled = self.core.shoe.is_same
        self._decide()

    is_real = is_settled = False

    def _decide(self) -> None:
        """Dealer and pit look at the table: they say what each card is."""
        while is_open(self.core.shoe, "read_again"):
            self.found.presses += 1
            before = len(self.core.shoe.held)
            if self.real[0]:
                self.core.take(self.core.order(orders.Resolve("read_again", "keep")))
            else:
                self.core.take(inputs.Pressed(at=0, key="next"))
                self.is_settled = True
            del self.real[: before - len(self.core.shoe.held)]
        self.daemon.shoe = self.core.shoe

    async def deal(self) -> Found:
        for n, face in self.pack:
            if self.core.shoe.status != "open":
                break
            if self.plan.sensor:
                first = max(-self.plan.behind_s, 0)
                self.loop.call_later(first + self.plan.behind_s, self.exit.entered)
                self.loop.call_later(first + self.plan.behind_s + PASSES_S, self.exit.left)
                await asyncio.sleep(first)
            began = self.loop.time()
            self._report(n, face, is_real=True)
            each_s = 0.05 if self.plan.near else 1.0
            times = round((self.plan.near or self.plan.repeating * self.plan.pace) / each_s - 0.01)
            for _ in range(times):
                await asyncio.sleep(each_s)
                self._report(n, face, is_real=False)
            await asyncio.sleep(began + self.plan.pace - self.loop.time())
        await asyncio.sleep(2 * SOON_S)
        seen, faces = self.core.shoe.seen, tuple(face for _, face in self.pack)
        self.found.is_right = seen == faces[: len(seen)] and (
            len(seen) == len(faces) or self.core.shoe.status != "open"
        )
        self.found.alarms.update(each.id for each in self.core.events if type(each).__name__ == "Irregular")
        return self.found


def shoe_of(plan: Plan, folder: Path, seed: int) -> Found:
    async def main() -> Found:
        return await Dealt(plan, folder, seed).deal()

    return run(main())


SILENT = [
    ("repeats = 0", Plan(repeats=0)),
    ("repeats = 0, slow", Plan(2.0, repeats=0)),
    ("a sensor", Plan(sensor=True)),
    ("a sensor, fast", Plan(0.6, sensor=True)),
    ("a sensor, and a module that repeats", Plan(2.5, repeating=True, sensor=True)),
    ("a sensor before the reader", Plan(sensor=True, behind_s=-0.1)),
    ("a sensor before the reader, and a module that repeats", Plan(2.5, repeating=True, sensor=True, behind_s=-0.1)),
    ("a sensor far behind the reader", Plan(sensor=True, behind_s=0.5)),
    ("a sensor far behind the reader, and a module that repeats", Plan(2.5, True, sensor=True, behind_s=0.5)),
    ("tags near for 0.1 s", Plan(protocol="rdm6300", near=0.1)),
    ("tags near for 5 s", Plan(5.5, protocol="rdm6300", near=5.0)),
]


@each_row("plan", [plan for _, plan in SILENT], ids=[name for name, _ in SILENT])
def test_nobody_is_asked_and_no_card_is_lost_or_invented(plan: Plan, tmp_path: Path) -> None:
    for seed in range(share(100, of=100)):
        found = shoe_of(plan, tmp_path, seed)
        assert (found.is_right, found.presses, found.missed) == (True, 0, 0), (seed, found)
        assert not {"read_again", "duplicate", "reader_repeats"} & set(found.alarms)


@pytest.mark.parametrize("pace", [1.0, 1.9])
def test_a_silent_module_in_its_default_asks_for_each_equal_neighbour(pace: float, tmp_path: Path) -> None:
    shoes = share(100, of=25)
    all_found = [shoe_of(Plan(pace), tmp_path, seed) for seed in range(shoes)]
    assert all((each.swallowed, each.invented) == (0, 0) for each in all_found)
    assert all("reader_repeats" not in each.alarms for each in all_found)
    assert 2 * shoes <= sum(each.presses for each in all_found) <= 10 * shoes  # 6.7 a shoe, and the three in a row


def test_at_two_seconds_a_card_a_silent_module_asks_for_nothing(tmp_path: Path) -> None:
    found = shoe_of(Plan(2.0), tmp_path, 1)
    assert (found.presses, found.swallowed, found.invented) == (0, 0, 0)


def test_a_repeating_module_is_counted_and_told_and_no_card_is_invented(tmp_path: Path) -> None:
    for seed in range(share(100, of=100)):
        found = shoe_of(Plan(2.5, repeating=True), tmp_path, seed)
        assert (found.invented, found.alarms["reader_repeats"]) == (0, 1)
        assert found.presses > share(380, of=8)  # nearly every card
        assert found.swallowed == found.foretold  # behind a press, as check says


def test_a_long_hold_swallows_equal_neighbours_as_check_says(tmp_path: Path) -> None:
    found = shoe_of(Plan(hold=10), tmp_path, 1)
    assert (found.presses, found.invented, found.swallowed) == (0, 0, found.foretold)


# ---------------------------------------------------------------- the sensor at the exit, and the settings

EXIT = [
    ("it has seen nothing yet", "r", "unknown"),
    ("the exit behind the reader: it is on its way", "r i o 2 r .2", "same"),
    ("it lies in the exit", "r i 1", "same"),
    ("it is gone: another one may come", "r i o .3", "soon"),
    ("the exit before the reader: none has passed", "i o r .6", "same"),
    ("the next one has passed", "i o r i o .1", "another"),
    ("at the reader", "i r o .6", "same"),
    ("at the reader, the next one", "i r o .4 i", "another"),
    ("it never came to the exit", "i o r 3 r 2", "unknown"),
]


@each_row(("story", "said"), [row[1:] for row in EXIT], ids=[row[0] for row in EXIT])
def test_what_the_exit_says_of_a_code_that_is_read_again(story: str, said: str) -> None:
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
                case _:
                    await asyncio.sleep(float(word))
            await asyncio.sleep(0.05)
        return sensor.of_which()

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
