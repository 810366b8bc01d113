"""The table that the golden scenarios are played at: all that they know of the code, and the way of an input.

A name of the code that changes is changed here. What is played steers by what was published.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final, TypeVar

from msgspec.json import encode
from msgspec.structs import replace

from firmware_bridge.demo.memory_table import MemoryTable
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import FACES, TILES, Card, Serial
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.house import House
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.line import FIRST_CHAIN, Line
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import Shoe, decide, fault, observe
from firmware_bridge.shoe.handlers.disclosure import deadline
from firmware_bridge.shoe.state import disclosed
from firmware_bridge.topics.lamps import signals
from firmware_bridge.topics.state import last_rounds, mode, snapshots
from tests.golden.digests import Tape

EPOCH: Final = 1_722_000_000_000
NAMES: Final = [card.value for card in FACES]
ALL_NAMES: Final = NAMES + [tile.value for tile in TILES]

# ---------------------------------------------------------------- inputs; `at` and `mono` are the table's business


def started(house: House, nonce: str) -> inputs.AnyInput:
    return inputs.Started(at=0, version="test", house=house, nonce=nonce)


def record_changes() -> list[inputs.AnyInput]:
    """Another record, another key of it, the end of the old one, and files that were changed."""
    follows = inputs.Follows("shoe.invalid/1/0000000a", 9, "0" * 64, 5)
    record = inputs.NewRecord("shoe.invalid/1/0000000b", "key", follows)
    return [
        inputs.RecordRenewed(at=0, record=record, why="another card", by="Ann", second="Bo"),
        inputs.KeyRotated(at=0, old="old", new="new", by="Ann", second="Bo"),
        inputs.KeyRotated(at=0, old="", new="new", by="Ann", second="Bo"),
        inputs.CodeChecked(at=0, changed=("shoe/decide.py", "shoe/evolve.py")),
    ]


def card(name: str, nonce: str, report: tuple[int, int] | None = None, **more: Any) -> inputs.AnyInput:
    if "serial" in more:
        more["serial"] = Serial(more["serial"])
    return inputs.CardRead(at=0, card=Card(name), nonce=nonce, report=_report(report), **more)


def unread(reason: str, nonce: str, report: tuple[int, int] | None = None, **more: Any) -> inputs.AnyInput:
    return inputs.CardUnread(at=0, reason=reason, nonce=nonce, report=_report(report), **more)


def cut_card(by: str, report: tuple[int, int] | None = None, **more: Any) -> inputs.AnyInput:
    return inputs.CutCardSeen(at=0, by=by, report=_report(report), **more)  # type: ignore[arg-type]


def key(name: str) -> inputs.AnyInput:
    return inputs.Pressed(at=0, key=name)


def result(outcome: str, pairs: tuple[str, ...] = ()) -> inputs.AnyInput:
    return inputs.ReaderJudged(at=0, result=inputs.ReaderResult((outcome, *(f"{side} pair" for side in pairs))))


def said(what: str, gap: bool) -> inputs.AnyInput:
    return inputs.ReaderSaid(at=0, what=what, gap=gap)


def time_passed() -> inputs.AnyInput:
    return inputs.TimePassed(at=0)


def clock_jumped(by: int) -> inputs.AnyInput:
    return inputs.ClockJumped(at=0, by=by)


def lid(is_open: bool) -> inputs.AnyInput:
    return inputs.LidMoved(at=0, open=is_open)


def slot_filled(slot: str) -> inputs.AnyInput:
    return inputs.SlotFilled(at=0, slot=slot)


def sensor_stuck(sensor: str, is_stuck: bool) -> inputs.AnyInput:
    return inputs.SensorStuck(at=0, sensor=sensor, stuck=is_stuck)


def lost(device: str, why: str, report: tuple[int, int] | None = None, lent: str = "") -> inputs.AnyInput:
    if why == "lent":
        return inputs.ReaderBorrowed(at=0, by=lent, taken=_report(report))
    if why == "a report taken":
        return inputs.TestCardsPassed(at=0, count=1, by=lent or "Ann", taken=_report(report), lent=bool(lent))
    return inputs.DeviceLost(at=0, device=device, why=why)  # type: ignore[arg-type]


def back(device: str, resumes: bool = False, cut_short: bool = False) -> inputs.AnyInput:
    return inputs.DeviceBack(at=0, device=device, resumes=resumes, cut_short=cut_short)  # type: ignore[arg-type]


def booted(session: int) -> inputs.AnyInput:
    return inputs.ReaderBooted(at=0, session=session)


def disk_failed(irregularity: str, why: str) -> inputs.AnyInput:
    return inputs.DiskFailed(at=0, irregularity=irregularity, why=why, until=EPOCH)  # type: ignore[arg-type]


def _report(report: tuple[int, int] | None) -> inputs.ReportNo | None:
    return inputs.ReportNo(*report) if report else None


def _pack(lot: int | None = None, decks: int | None = None, **more: str) -> orders.Order:
    return orders.OpenShoe(orders.Pack(lot, decks), **more)


def _correct(number: int, names: list[str], why: str) -> orders.Order:
    return orders.Correct(number, tuple(names), why)


ORDERS: Final[dict[str, Any]] = {
    "open_shoe": _pack,
    "close_shoe": orders.CloseShoe,
    "bets_open": orders.BetsOpen,
    "bets_closed": orders.BetsClosed,
    "next": orders.Next,
    "reveal": orders.Reveal,
    "fly": orders.Fly,
    "request_shoe_change": orders.RequestShoeChange,
    "request_dealer_change": orders.RequestDealerChange,
    "dealer": orders.DealerIn,
    "correct": _correct,
    "void": orders.Void,
    "resolve": orders.Resolve,
    "resend": orders.Resend,
    "enter": lambda name, second: orders.Enter(Card(name), second),
    "malformed": orders.Malformed,
}

# ---------------------------------------------------------------- the way of an input

T = TypeVar("T")


def failing(shoe: Shoe, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
    """What becomes true when our own software fails on an input."""
    return fault(shoe, fact, ValueError("a bug"))


class GoldenTable:
    """Takes inputs as the daemon would; everything that comes out goes to `tape`. `chance` decides what happens."""

    def __init__(self, tape: Tape, chance: Random, **settings: Any) -> None:
        self.tape, self.chance = tape, chance
        self.house, self.memory = house_of(**settings), MemoryTable(Shoe(), "T07", "boot", "golden")
        self.at, self.mono, self.nonces, self.inputs = EPOCH, 0, 0, 0
        self.chain, self.observing = FIRST_CHAIN, False
        self.lines: list[bytes] = []
        self.last: inputs.AnyInput | None = None
        self.take(started(self.house, self.nonce()))

    def take(self, fact: inputs.AnyInput, broken: bool = False) -> None:
        """One input all the way; `broken`: our own software fails on it."""
        self.at, self.mono, self.inputs = self.at + 3, self.mono + 2, self.inputs + 1
        fact = replace(fact, at=self.at, mono=self.mono)
        self.last = fact
        judge = failing if broken else observe if self.observing else decide
        line = self.memory.handle(fact, judge)
        self.tape.judged(encode(fact), bool(line))
        if line:
            self.record(line)
        self.record_states()

    def record(self, line: Line) -> None:
        """A journal line and its messages."""
        self.lines.append(line.data)
        self.tape.line(line.data, self.chain)
        self.chain = line.chain
        for message in messages(line):
            self.tape.message(message.topic, message.n, message.payload)

    def record_states(self) -> None:
        """All that is read off the shoe."""
        shoe = self.shoe
        status = {
            "mode": mode(shoe, self.observing),
            "last": last_rounds(shoe),
            "disclosed": [each.value for each in disclosed(shoe)],
        }
        self.tape.states(snapshots(shoe), signals=signals(shoe), clock=self.due_at, status=status)

    @property
    def due_at(self) -> int | None:
        """The moment that the shoe waits for."""
        return deadline(self.shoe)

    def order(self, name: str, *words: Any, by: str = "floor", id: str | None = None, **more: Any) -> None:
        """Somebody gives an order."""
        self.take(inputs.Ordered(at=0, order=ORDERS[name](*words, **more), by=by, nonce=self.nonce(), id=id))

    def wait(self, ms: int) -> None:
        """Time goes by; the shoe is told of each moment it waits for."""
        at, end = self.at, self.mono + ms
        while (moment := self.due_at) is not None and moment <= end:
            at += max(moment - self.mono, 0)
            self.mono, self.at = max(self.mono, moment - 2), at
            self.take(time_passed())
        self.at, self.mono = max(self.at, at), max(self.mono, end)

    def boot(self, is_reboot: bool) -> None:
        """The daemon begins again, or the whole machine, whose clock then begins at 0."""
        self.mono = 0 if is_reboot else self.mono
        self.take(started(self.house, self.nonce()))

    def nonce(self) -> str:
        self.nonces += 1
        return self.memory.nonce()

    @property
    def shoe(self) -> Shoe:
        return self.memory.shoe

    @shoe.setter
    def shoe(self, shoe: Shoe) -> None:
        self.memory.shoe = shoe

    # ------------------------------------------------------------ what was published

    @property
    def phase(self) -> str:
        return str(self.tape.now["table"]["phase"])

    @property
    def due(self) -> str | None:
        slot = self.tape.now["table"]["due"]
        return str(slot) if slot else None

    @property
    def round(self) -> int:
        return int(self.tape.now["table"]["round"])

    @property
    def open(self) -> list[dict[str, Any]]:
        """The alarms."""
        return list(self.tape.now["alarm"]["open"])

    # ------------------------------------------------------------ chance

    def any_of(self, *values: T) -> T:
        return values[self.chance.randrange(len(values))]

    def once_in(self, times: int) -> bool:
        return self.chance.randrange(times) == 0
