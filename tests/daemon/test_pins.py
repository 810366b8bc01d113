from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.games.house import house_of
from hardware.pins.pin import Pin
from hardware.sim.pins import MockPins
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable

CUT_CARD, NEXT, REVEAL = Pin(27), Pin(22), Pin(23)
PRESSED_S = 0.3
SLOW = {"debounce_ms": 100}
"""Five times the usual, against a machine that pauses within a bounce."""

INPUTS = {"factory": "mock"} | {
    key: {"pin": pin.number} | SLOW for key, pin in {"cut_card": CUT_CARD, "next": NEXT, "reveal": REVEAL}.items()
}
LAMPS = {"P1": 5, "B1": 6, "P2": 13, "B2": 19, "P3": 26, "B3": 21, "R1": 16, "R2": 20, "ready": 12, "fault": 25}


class Felt(BridgeTable):
    """A table with a sensor, keys and lamps."""

    @property
    def fingers(self) -> MockPins:
        """What touches the pins and sees the lamps."""
        assert self.bridge.pins
        return MockPins(self.bridge.pins)

    def press(self, pin: Pin, bounces: int = 3) -> None:
        """Press a key, or let the cut card pass."""
        self.loop.run_until_complete(self.fingers.press(pin, PRESSED_S, bounces))

    def alight(self) -> list[str]:
        """The lamps lit at this moment."""
        return [name for name, number in LAMPS.items() if self.fingers.lit(Pin(number))]

    def types(self) -> list[str]:
        """The types of all events so far."""
        return [type(event).__name__ for line in self.lines() if line.entry for event in line.entry.events]


@pytest.fixture
def felt(tmp_path: Path) -> Iterator[Callable[..., Felt]]:
    made: list[Felt] = []

    def make(**table: Any) -> Felt:
        made.append(Felt(tmp_path, free_port(), table=table, pins=INPUTS, lamps=LAMPS))
        made[-1].start()
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize("bounces", [0, 1, 5])
def test_a_cut_card_that_bounces_is_one_cut_card(felt: Any, bounces: int) -> None:
    table = felt()
    table.deal("9s Td")
    table.press(CUT_CARD, bounces)
    table.until(lambda: "CutCardMet" in table.types())
    table.deal("Ts Tc")
    table.pause(0.1)
    assert table.types().count("CutCardMet") == 1
    assert "Noted" not in table.types()
    assert table.bridge.control.status()["table"]["shoe_change"] == "due"


def test_the_cut_card_seen_by_sensor_and_reader_counts_once(felt: Any) -> None:
    table = felt()
    table.deal("9s")
    table.press(CUT_CARD)
    table.until(lambda: "CutCardMet" in table.types())
    table.deal("cut Td")
    assert (table.types().count("CutCardMet"), table.types().count("Noted")) == (1, 1)


def test_next_closes_the_round(felt: Any) -> None:
    table = felt(close="next")
    table.deal("9s Td Ts Tc")
    assert "RoundClosed" not in table.types()
    table.press(NEXT)
    table.until(lambda: "RoundClosed" in table.types())
    table.pause(0.1)
    assert table.types().count("RoundClosed") == 1
    assert "KeyRefused" not in table.types()


def test_a_key_without_a_meaning_now_is_refused_on_record(felt: Any) -> None:
    table = felt()
    table.deal("9s")
    for key in (NEXT, REVEAL):
        table.press(key)
    table.until(lambda: table.types().count("KeyRefused") == 2)


@pytest.mark.parametrize(
    ("drawn", "lamp"),
    [
        ("9s", "B1"),
        ("9s Td", "P2"),
        ("9s Td Ts", "B2"),
        ("2s 3h 3d 4c", "P3"),
        ("2s 3h 3d Kc 7c", "B3"),
        ("9s Td Ts Tc", "P1"),
    ],
)
def test_the_lamp_of_the_slot_due_is_lit(felt: Any, drawn: str, lamp: str) -> None:
    table = felt()
    table.deal(drawn)
    ready = ["ready"] if lamp == "P1" else []
    table.until(lambda: table.alight() == [lamp, *ready])


def test_lamps_are_lit_again_after_a_restart(felt: Any) -> None:
    table = felt()
    table.deal("9s Td Ts")
    table.stop()
    table.start()
    table.until(lambda: "B2" in table.alight())


def test_all_lamps_are_off_after_the_end(felt: Any) -> None:
    table = felt()
    table.deal("9s Td Ts")
    fingers = table.fingers
    table.stop()
    assert [name for name, number in LAMPS.items() if fingers.lit(Pin(number))] == []


def test_the_fault_lamp_shows_a_lost_reader_and_nothing_is_due(felt: Any) -> None:
    table = felt()
    table.deal("9s Td")
    table.pty.unplug()
    table.until(lambda: table.alight() == ["fault"])
    table.until(lambda: table.alight() == [])  # 5 Hz
    table.pty.replug()
    table.until(lambda: table.alight() == ["P2"])


def test_a_reader_gap_is_confirmed_with_the_key(felt: Any) -> None:
    table = felt()
    table.deal("9s Td")
    table.board.reset()
    table.deal("Ts")
    table.until(lambda: table.alight() == ["fault"])
    table.press(NEXT)
    table.until(lambda: table.alight() == ["B2"])


def test_six_cards_and_next_by_the_key(felt: Any) -> None:
    table = felt(procedure="six-card")
    assert house_of(procedure="six-card", close="next").close == table.bridge.config.house.close
    table.deal("9s Td Ts Tc 2s")
    table.until(lambda: table.alight() == ["R2"])
    table.deal("3h")
    table.press(NEXT)
    table.until(lambda: "RoundClosed" in table.types())
    table.until(lambda: {"R1", "R2", "P1", "B1"} <= set(table.alight()))
    table.deal("4s")
    table.until(lambda: table.alight() == ["B2"])


PARTS = ("health", "reader", "sensors", "control", "uplink", "table", "panel", "journal")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_fails_to_close_keeps_no_other_open(felt: Any, mocker: Any, part: str) -> None:
    table = felt()
    closes = {each: mocker.spy(getattr(table.bridge, each), "close") for each in PARTS}
    closed = closes[part].side_effect

    async def fail_later(*words: Any) -> None:
        await closed(*words)
        raise OSError("no")

    def fail(*words: Any) -> None:
        closed(*words)
        raise OSError("no")

    closes[part].side_effect = fail_later if part in ("control", "uplink") else fail
    with pytest.raises(OSError, match="no"):
        table.stop()
    assert {each: spy.call_count for each, spy in closes.items()} == dict.fromkeys(PARTS, 1)
