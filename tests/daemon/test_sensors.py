"""Lid, presence sensors, buzzer, lock and the trial of the lamps, at a table that runs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.daemon.devices import panel, sensors
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.facts.events import Irregular, Noted
from firmware_bridge.journal.journal import Journal
from firmware_bridge.topics.texts.alarms import what
from hardware.pins.pin import Pin, pin_factory
from hardware.sim.pins import MockPins
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.technician import Caller, english

CUT_CARD, NEXT, LID, MOUTH, P1, B1 = Pin(27), Pin(22), Pin(4), Pin(7), Pin(2), Pin(3)
BUZZER, LOCK = Pin(8), Pin(9)
LAMPS = {"P1": 5, "B1": 6, "P2": 13, "B2": 19, "P3": 26, "B3": 21, "ready": 12, "fault": 25}
WIRED = {"factory": "mock", "cut_card": CUT_CARD.number, "next": NEXT.number, "lid": LID.number}


class Guarded(BridgeTable):
    """A table with everything that can be felt and driven; its lid is closed before it starts."""

    def begin(self, lid_closed: bool = True, covered: Pin | None = None) -> "Guarded":
        """Start it; something may lie on a sensor."""
        self.factory = pin_factory("mock")
        self.fingers = MockPins(self.factory)
        for pin in (LID, MOUTH, P1, B1, CUT_CARD):
            self.fingers.switch(pin, pin is covered or (pin is LID and lid_closed))
        self.start(self.factory)
        return self

    def restart(self, covered: Pin | None = None) -> None:
        """Stop it, and start it when something else lies on its sensors."""
        self.stop()
        self.begin(covered=covered)
        self.pause(0.1)

    def stick(self, pin: Pin) -> None:
        """Cover a sensor until it is told that it does not let go."""
        self.fingers.drive(pin, True)
        self.until(lambda: "sensor_stuck" in self.open())

    def notes(self) -> list[str]:
        """What was noted and what went wrong, in words, in order."""
        events = [event for line in self.lines() if line.entry for event in line.entry.events]
        return [self._in_words(each) for each in events]

    @staticmethod
    def _in_words(event: Any) -> str:
        match event:
            case Noted() as note:
                return english(note)
            case Irregular(id=id, values=values):
                return what("en", id, values)
        return str(event)

    def open(self) -> tuple[str, ...]:
        """The irregularities that are open."""
        return tuple(each.id for each in self.bridge.table.shoe.device.irregular)


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Callable[..., Guarded]]:
    made: list[Guarded] = []

    def make(lid_closed: bool = True, slots: Any = None, **pins: Any) -> Guarded:
        sections = {"pins": WIRED | pins, "lamps": LAMPS} | ({"presence": slots} if slots else {})
        made.append(Guarded(tmp_path, free_port(), table={"close": "next"}, **sections))
        return made[-1].begin(lid_closed)

    yield make
    for each in made:
        each.close()


def test_a_lid_opened_inside_a_shoe_blocks_it(guarded: Any) -> None:
    table = guarded()
    table.deal("9s")
    table.fingers.drive(LID, False)
    table.until(lambda: table.open() == ("lid_opened",))
    table.fingers.drive(LID, True)
    table.until(lambda: not table.bridge.table.shoe.device.lid_open)
    assert table.open() == ("lid_opened",)


def test_a_lid_open_at_the_start_is_reported(guarded: Any) -> None:
    table = guarded(lid_closed=False)
    table.deal("9s")
    assert table.open() == ("lid_opened",)


def test_a_lid_closed_while_the_disk_is_full_is_closed_afterwards(guarded: Any, mocker: Any) -> None:
    table = guarded()
    full = mocker.patch.object(Journal, "append", side_effect=DiskError("full", "free some", "disk_full"))
    for is_closed in (False, True):
        called = full.call_count
        table.fingers.drive(LID, is_closed)
        table.until(lambda called=called: full.call_count > called)
        table.pause(0.1)
    mocker.stop(full)
    table.until(lambda: not table.bridge.table.disk and not table.bridge.table.shoe.device.lid_open)


def test_a_lid_closed_while_the_daemon_was_down_is_reported(guarded: Any) -> None:
    table = guarded(lid_closed=False)
    table.deal("9s")
    table.restart()
    table.until(lambda: not table.bridge.table.shoe.device.lid_open)


@pytest.mark.parametrize("ends_open", [True, False])
def test_where_a_lid_that_flapped_stays_is_reported_once_it_is_steady(
    guarded: Any, mocker: Any, ends_open: bool
) -> None:
    mocker.patch.object(sensors, "FLAPS", 2)
    table = guarded()
    table.deal("9s")

    def flap(*positions: bool) -> None:
        for is_closed in positions:
            table.fingers.drive(LID, is_closed)
            table.pause(0.05)

    flap(False, True, *((False,) if ends_open else (False, True)))
    assert {"lid_opened", "sensor_stuck"} <= set(table.open())
    mocker.patch.object(sensors, "STEADY_S", 0.3)  # no earlier: a busy machine may be that late
    flap(ends_open, not ends_open)
    table.until(lambda: "sensor_stuck" not in table.open() and table.bridge.table.shoe.device.lid_open is ends_open)


@pytest.mark.parametrize("sensor", ["cut_card", "presence"])
def test_a_sensor_that_does_not_let_go_is_stuck_until_it_does(guarded: Any, mocker: Any, sensor: str) -> None:
    mocker.patch.dict(sensors.STUCK_AFTER_S, {sensor: 0.2})
    table = guarded(presence=MOUTH.number)
    pin = CUT_CARD if sensor == "cut_card" else MOUTH
    table.deal("9s")
    table.fingers.drive(pin, True)
    table.until(lambda: "sensor_stuck" in table.open())
    table.fingers.drive(pin, False)
    table.until(lambda: "sensor_stuck" not in table.open())


@pytest.fixture
def impatient(mocker: Any) -> None:
    """A sensor is stuck after 0.2 s."""
    mocker.patch.dict(sensors.STUCK_AFTER_S, {"cut_card": 0.2, "presence": 0.2})


def test_a_cut_card_that_came_while_the_daemon_was_down_is_seen(guarded: Any) -> None:
    table = guarded()
    table.deal("9s")
    table.restart(covered=CUT_CARD)
    table.until(lambda: table.bridge.table.shoe.last_round == 1)


@pytest.mark.usefixtures("impatient")
def test_a_sensor_known_to_be_stuck_sees_no_cut_card_at_a_restart(guarded: Any) -> None:
    table = guarded()
    table.stick(CUT_CARD)
    table.deal("9s")
    table.restart(covered=CUT_CARD)
    assert (table.bridge.table.shoe.last_round, "sensor_stuck" in table.open()) == (None, True)
    table.fingers.drive(CUT_CARD, False)
    table.until(lambda: "sensor_stuck" not in table.open())
    table.fingers.drive(CUT_CARD, True)
    table.until(lambda: table.bridge.table.shoe.last_round == 1)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("pin", [CUT_CARD, MOUTH])
def test_a_sensor_cleaned_while_the_daemon_was_down_is_free(guarded: Any, pin: Pin) -> None:
    table = guarded(presence=MOUTH.number)
    table.deal("9s")
    table.stick(pin)
    table.restart()
    table.until(lambda: "sensor_stuck" not in table.open())


@pytest.mark.usefixtures("impatient")
def test_a_sensor_that_was_taken_away_is_stuck_no_more(guarded: Any) -> None:
    table = guarded(presence=MOUTH.number)
    table.stick(MOUTH)
    table.stop()
    table.configure(pins=WIRED, lamps=LAMPS)
    table.begin()
    table.until(lambda: "sensor_stuck" not in table.open())


@pytest.mark.usefixtures("impatient")
def test_what_lies_on_a_sensor_after_a_loan_is_the_technicians(guarded: Any) -> None:
    table = guarded()
    table.deal("9s Td Ts Tc")
    table.loop.run_until_complete(table.fingers.press(NEXT))
    anna = Caller(table)
    assert anna.ask(do="lend", device="pins", by="anna", open_shoe=True)["ok"]
    table.fingers.drive(CUT_CARD, True)
    assert anna.ask(do="give_back")["ok"]
    table.until(lambda: "sensor_stuck" in table.open())
    assert table.bridge.table.shoe.last_round is None
    assert anna.ask(do="lend", device="pins", by="anna", open_shoe=True)["ok"]
    table.fingers.drive(CUT_CARD, False)
    assert anna.ask(do="give_back")["ok"]
    table.until(lambda: "sensor_stuck" not in table.open())
    anna.hang_up()


def test_a_card_in_a_slot_that_was_not_due_holds_the_round(guarded: Any) -> None:
    table = guarded(slots={"P1": P1.number, "B1": B1.number})
    table.deal("9s")
    table.fingers.drive(P1, True)
    table.pause(0.2)
    assert table.open() == ()
    table.fingers.drive(B1, True)
    table.until(lambda: table.open() == ("wrong_slot",))
    assert "Card in the wrong slot (slot: banker card 1 · dealt to: player card 1)" in table.notes()


def test_a_card_that_passes_the_mouth_unread_is_a_gap(guarded: Any, mocker: Any) -> None:
    mocker.patch.object(sensors, "EXPLAINED_WITHIN_S", 1.0)
    table = guarded(presence=MOUTH.number)
    table.fingers.drive(MOUTH, True)
    table.deal("9s")
    table.fingers.drive(MOUTH, False)
    table.pause(1.5)
    assert table.open() == ()
    table.loop.run_until_complete(table.fingers.press(MOUTH, 0.05))
    table.until(lambda: table.open() == ("reader_gap",))


@pytest.mark.parametrize(("fail_safe", "powered_when_locked"), [("open", True), ("locked", False)])
def test_the_lock_closes_the_mouth_while_the_shoe_is_blocked(
    guarded: Any, fail_safe: str, powered_when_locked: bool
) -> None:
    table = guarded(lock={"pin": LOCK.number, "fail_safe": fail_safe}, buzzer=BUZZER.number)
    table.until(lambda: table.fingers.lit(LOCK) is not powered_when_locked)
    table.deal("9s")
    assert not table.fingers.lit(BUZZER)
    table.fingers.drive(LID, False)
    table.until(lambda: table.fingers.lit(LOCK) is powered_when_locked)
    table.until(lambda: table.fingers.lit(BUZZER))
    table.stop()
    assert not table.fingers.lit(LOCK)
    assert not table.fingers.lit(BUZZER)


def test_all_lamps_are_tried_before_the_first_card_and_give_way_to_it(guarded: Any, mocker: Any) -> None:
    mocker.patch.object(panel, "TRIAL_S", 0.3)
    table = guarded()
    lights = table.bridge.panel
    lights.show({})
    lights.try_lamps()
    assert {lamp for lamp, number in LAMPS.items() if table.fingers.lit(Pin(number))} == set(LAMPS)
    table.until(lambda: lights.faults == [])
    assert not any(table.fingers.lit(Pin(number)) for number in LAMPS.values())
    lights.try_lamps()
    lights.show({"P1": "steady"})
    assert [lamp for lamp, number in LAMPS.items() if table.fingers.lit(Pin(number))] == ["P1"]
