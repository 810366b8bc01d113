"""Seats that mark: keys on GPIO and serial keypads, at a table whose bridge runs on the test's own loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.cli.check.reader import keypads
from firmware_bridge.config.findings import Finding
from firmware_bridge.config.load import digests, load
from firmware_bridge.daemon.devices import sensors
from firmware_bridge.daemon.devices.keypads import SHOW_S
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.shoe import Phase, phase
from firmware_bridge.shoe.round import asked
from hardware.pins.pin import Pin
from hardware.sim.keypads import KeypadBoard
from hardware.sim.pins import MockPins
from hardware.sim.pty import PtyBoard
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.refusals import said

GAME = {"game": "blackjack", "burn": "none", "new_shoe": "auto"}
KEYS = {'"S1.S"': {"pin": 5, "debounce_ms": 50}, '"S1.H"': {"pin": 6, "debounce_ms": 50}}
STAND, HIT = Pin(5), Pin(6)
PRESSED_S = 0.2


class Seats(BridgeTable):
    """A blackjack table of one seat with two keys, and a keypad at seat 2."""

    pad: PtyBoard

    def plug(self) -> KeypadBoard:
        """Plug the keypad of seat 2 in."""
        board = KeypadBoard((2,))

        async def plugged() -> PtyBoard:
            return PtyBoard(board, self.folder / "pad")

        self.pad = self.loop.run_until_complete(plugged())
        self.at_close.append(self.pad.close)
        return board

    def bet(self, **bets: str) -> None:
        self.give(orders.BetsClosed(bets={seat.strip("s"): amount for seat, amount in bets.items()}))

    def give(self, order: orders.Order) -> None:
        self.bridge.table.order(inputs.Ordered(**now(), order=order, by="test", nonce=nonce()))

    def press(self, pin: Pin, seconds: float = PRESSED_S) -> None:
        assert self.bridge.pins
        self.loop.run_until_complete(MockPins(self.bridge.pins).press(pin, seconds))

    def marks(self) -> list[str]:
        """The marks that were given, and by whom."""
        return [f"{each.seat}:{each.word} {each.by}" for each in self.said(e.MarkGiven)]

    def refused(self) -> list[str]:
        answers = [each.answer for each in self.said(e.CommandAnswered) if not each.answer.ok]
        return [said(answer).error if not answer.ok else "" for answer in answers]

    def said(self, kind: type[Any]) -> list[Any]:
        events = [event for line in self.lines() if line.entry for event in line.entry.events]
        return [event for event in events if isinstance(event, kind)]

    def is_pad_lost(self) -> bool:
        return any(each.id == "keypad_lost" for each in self.bridge.table.alarms().open)

    def is_asked(self, slot: str) -> bool:
        return slot in str(asked(self.bridge.table.shoe))


@pytest.fixture
def seats(tmp_path: Path) -> Iterator[Callable[..., Seats]]:
    made: list[Seats] = []

    def make(pad: bool = False, dealer: bool = False) -> Seats:
        table = Seats(tmp_path, free_port(), table=GAME, keys=KEYS)
        made.append(table)
        if pad:
            pads = f'[[keypad]]\nport = "{tmp_path / "pad"}"\nseats = [2]\n' + "dealer = true\n" * dealer
            table.config_path.write_text(table.config_path.read_text() + pads)
        table.start()
        table.give(orders.OpenShoe())
        return table

    yield make
    for each in made:
        each.close()


def test_a_key_of_a_seat_gives_its_mark_once(seats: Callable[..., Seats]) -> None:
    table = seats()
    table.bet(s1="10")
    table.deal("9h 5s 2h Jd")
    table.pause(0.4)
    table.press(HIT)
    table.until(table.marks)
    table.deal("3d")
    table.pause(0.4)
    table.press(STAND)
    table.until(lambda: len(table.marks()) == 2)
    assert table.marks() == ["1:H key S1.H", "1:S key S1.S"]
    assert table.refused() == []


def test_a_key_that_is_held_when_the_question_begins_answers_nothing(seats: Callable[..., Seats]) -> None:
    table = seats()
    table.bet(s1="10")
    assert table.bridge.pins
    MockPins(table.bridge.pins).drive(HIT, True)
    table.pause(0.2)
    table.deal("9h 5s 2h Jd")
    table.until(lambda: table.is_asked("S1.1"))
    table.pause(0.5)
    assert table.marks() == []
    MockPins(table.bridge.pins).drive(HIT, False)
    table.pause(0.2)
    table.press(HIT)
    table.until(table.marks)
    assert table.marks() == ["1:H key S1.H"]


def test_a_key_pressed_too_soon_after_the_question_answers_nothing(
    seats: Callable[..., Seats], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensors, "AFTER_S", 30.0)  # so that this is soon, however late
    table = seats()
    table.bet(s1="10")
    table.deal("9h 5s 2h Jd")
    table.until(lambda: table.is_asked("S1.1"))
    table.press(STAND, 0.01)
    table.pause(0.3)
    assert table.marks() == []


def test_a_keypad_shows_what_its_seat_may_say_and_marks(seats: Callable[..., Seats]) -> None:
    table = seats(pad=True)
    pad = table.plug()
    table.bet(s2="10")
    table.deal("9h 5s 2h Jd")
    table.until(lambda: pad.shown.get(2))
    assert pad.shown[2].words == ("S", "H", "DD", "SU")
    assert (pad.shown[2].most, pad.turn) == ("10", table.bridge.table.shoe.turn)
    pad.press(2, "DD", "2.5")
    table.until(table.marks)
    assert table.marks() == ["2:DD keypad 2"]
    table.until(lambda: pad.acknowledged == 1)
    table.until(lambda: pad.shown == {})


def test_a_mark_for_a_question_that_is_over_is_late_and_one_of_another_seat_refused(
    seats: Callable[..., Seats],
) -> None:
    table = seats(pad=True)
    pad = table.plug()
    table.bet(s2="10")
    table.deal("9h 5s 2h Jd")
    table.until(lambda: pad.shown.get(2))
    pad.press(2, "H", turn=pad.turn - 1)
    table.until(table.refused)
    pad.press(3, "H")
    table.until(lambda: len(table.refused()) == 2)
    pad.press(2, "H", hand=2)
    table.until(lambda: len(table.refused()) == 3)
    assert table.refused() == ["late", "not_your_turn", "late"]
    assert table.marks() == []
    table.until(lambda: pad.acknowledged == 3)


def test_a_pad_that_is_gone_is_reported_and_marks_nothing(seats: Callable[..., Seats]) -> None:
    table = seats(pad=True)
    table.until(table.is_pad_lost)
    pad = table.plug()
    table.until(lambda: not table.is_pad_lost())
    table.bet(s2="10")
    table.deal("9h 5s 2h Jd")
    table.until(lambda: pad.shown.get(2))
    table.pad.unplug()
    table.until(table.is_pad_lost)
    assert table.marks() == []
    table.give(orders.Mark("S", 2))
    assert table.marks() == ["2:S test"]
    table.loop.run_until_complete(asyncio.sleep(0))


def test_a_silent_pad_is_logged_once(
    seats: Callable[..., Seats], caplog: pytest.LogCaptureFixture, mocker: MockerFixture
) -> None:
    """Its port stays open, and it beats no more: the alarm stands, the log does not grow."""
    mocker.patch("firmware_bridge.daemon.devices.keypads.SILENT_AFTER_S", 3.5)
    table = seats(pad=True)
    pad = table.plug()
    table.until(lambda: not table.is_pad_lost())
    pad.is_silent = True
    table.until(table.is_pad_lost)
    table.pause(3 * SHOW_S)
    assert len([each for each in caplog.messages if "nothing received from the keypad" in each]) == 1
    pad.is_silent = False
    table.until(lambda: not table.is_pad_lost())
    pad.is_silent = True
    table.until(table.is_pad_lost)
    assert len([each for each in caplog.messages if "nothing received from the keypad" in each]) == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[keys]\n"S1.Q" = 5\n', "[keys] S1.Q is unknown: did you mean S1."),
        ('[keys]\n"S9.H" = 5\n', "[keys] S9.H is unknown: did you mean S"),
        ('[keys]\n"H" = 5\n', '[keys] H is unknown: write seat and word, "S1.H" = 5'),
        ('[keys]\n"S1.H" = 40\n', "[keys] S1.H = 40"),
        ('[keys]\n"S1.H" = 5\n[lamps]\nS1 = 5\n', "GPIO 5 is used by [keys] S1.H and [lamps] S1"),
        ('[[keypad]]\nport = "/dev/pad"\nseats = [8]\n', "[[keypad]] seats: blackjack has no seat 8"),
        ('[[keypad]]\nport = "/dev/pad"\n', "[[keypad]] seats is missing"),
        ('[keypad]\nport = "/dev/pad"\n', "each keypad has its own section: write [[keypad]]"),
        ('[[keypad]]\nport = "/dev/a"\nseats = [1]\n[[keypad]]\nport = "/dev/b"\nseats = [1, 2]\n',
         "[[keypad]] seats: seat 1 already has a keypad"),
    ],
)  # fmt: skip
def test_wrong_keys_and_keypads_are_reported(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "bridge.toml"
    path.write_text(f'[table]\nid = "T"\ngame = "blackjack"\n{text}')
    with pytest.raises(ConfigError) as raised:
        load(path)
    assert error in str(raised.value)


def test_baccarat_has_no_keys_of_seats(tmp_path: Path) -> None:
    path = tmp_path / "bridge.toml"
    path.write_text('[table]\nid = "T"\n[keys]\n"S1.H" = 5\n')
    with pytest.raises(ConfigError, match="baccarat has no marks"):
        load(path)


def test_shoe_check_says_how_the_keypads_are(tmp_path: Path, seats: Callable[..., Seats]) -> None:
    path = tmp_path / "other.toml"
    pad = f'[[keypad]]\nport = "{tmp_path}/no-pad"\nseats = [1, 2]\ndealer = true\n'
    path.write_text(f'[table]\nid = "T"\ngame = "blackjack"\n{pad}')
    (missing,) = keypads(Machine(load(path), None))
    assert missing[:3] == ("FAIL", "keypads", f"no keypad at {tmp_path}/no-pad, seats 1, 2 and the dealer")
    table = seats(pad=True)
    table.until(table.is_pad_lost)
    (lost,) = keypads(Machine(load(table.config_path), status(table)))
    assert (lost.level, lost.text) == ("FAIL", "Keypad lost (no answer from the keypad of seats 2)")
    table.plug()
    table.until(lambda: not table.is_pad_lost())
    assert list(keypads(Machine(load(table.config_path), status(table)))) == [
        Finding("OK", "keypads", "1, in use by the daemon")
    ]


def settled(table: Seats) -> KeypadBoard:
    """The pad of seat 2 at a table whose round is complete, and waits for NEXT."""
    pad = table.plug()
    table.bet(s2="10")
    table.deal("Ah 9c Kh 8d")
    table.until(lambda: phase(table.bridge.table.shoe) is Phase.COMPLETE)
    table.until(lambda: pad.turn == table.bridge.table.shoe.turn)
    return pad


def test_next_of_the_dealers_keypad_closes_the_round_once(seats: Callable[..., Seats]) -> None:
    table = seats(pad=True, dealer=True)
    pad = settled(table)
    shown = pad.turn
    pad.press(0, "next")
    table.until(lambda: pad.acknowledged == 1)
    assert len(table.said(e.RoundClosed)) == 1
    table.bet(s2="10")
    table.deal("Ad 9d Kd 8s")
    table.until(lambda: phase(table.bridge.table.shoe) is Phase.COMPLETE)
    pad.press(0, "next", turn=shown)  # a press from before
    table.until(lambda: pad.acknowledged == 2)
    assert (len(table.said(e.RoundClosed)), table.refused()[-1]) == (1, "late")


def test_next_of_a_guests_keypad_closes_nothing(seats: Callable[..., Seats]) -> None:
    table = seats(pad=True)
    pad = settled(table)
    pad.press(2, "next")
    table.until(lambda: pad.acknowledged == 1)
    assert (table.said(e.RoundClosed), table.refused()) == ([], ["this keypad is not the dealer's"])


def test_unmark_of_the_dealers_keypad_takes_the_last_mark_back_once(seats: Callable[..., Seats]) -> None:
    table = seats(pad=True, dealer=True)
    pad = table.plug()
    table.bet(s1="10", s2="10")
    table.deal("5h 6h 9c 6d 7d 8d")
    table.until(lambda: table.is_asked("S1"))
    table.give(orders.Mark("S", 1))
    turn = table.bridge.table.shoe.turn
    table.until(lambda: pad.turn == turn)
    pad.press(0, "unmark")
    table.until(lambda: pad.acknowledged == 1)
    (taken,) = table.said(e.MarkTakenBack)
    assert (taken.seat, taken.word, taken.by, taken.turn) == ("1", "S", "dealer's keypad", turn + 1)
    assert table.is_asked("S1")
    pad.press(0, "unmark", turn=turn)  # a press from before
    table.until(lambda: pad.acknowledged == 2)
    assert (len(table.said(e.MarkTakenBack)), table.refused()) == (1, ["late"])
    table.give(orders.Mark("H", 1))
    assert table.refused() == ["late"]


def test_unmark_of_a_guests_keypad_takes_nothing_back(seats: Callable[..., Seats]) -> None:
    table = seats(pad=True)
    pad = table.plug()
    table.bet(s1="10", s2="10")
    table.deal("5h 6h 9c 6d 7d 8d")
    table.give(orders.Mark("S", 1))
    table.until(lambda: pad.turn == table.bridge.table.shoe.turn)
    pad.press(2, "unmark")
    table.until(lambda: pad.acknowledged == 1)
    assert (table.said(e.MarkTakenBack), table.refused()) == ([], ["this keypad is not the dealer's"])


def status(table: Seats) -> dict[str, Any]:
    """As much of the daemon's status as the check reads."""
    alarms = [msgspec.to_builtins(each) for each in table.bridge.table.alarms().open]
    return {"alarm": {"open": alarms}, "config": {"at": time.time(), "sections": digests(load(table.config_path))}}
