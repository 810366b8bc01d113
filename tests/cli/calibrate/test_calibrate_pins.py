"""The steps of `shoe calibrate` at the pins: the lamps, the keys and the cut-card sensor; and the keys of a keypad."""

import asyncio
import io
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.calibrate.pins import keypad, lamps, marked, measured, pressed
from firmware_bridge.config.pins import KeypadConfig
from hardware.calibrate.figures import Refusal
from hardware.pins.pin import Pin, pin_factory
from hardware.sim.keypads import KeypadBoard
from hardware.sim.pins import MockPins
from hardware.sim.pty import PtyBoard
from tests.cli.calibrate import calibrate_step
from tests.cli.calibrate.calibrate_step import visit
from tests.cli.calibrate.visit import Visit, record
from tests.kit.daemon_table import BridgeTable
from tests.kit.patience import comes
from tests.kit.virtual import run

table = calibrate_step.table  # fixture

PINS = {"next": 22, "reveal": 23, "cut_card": 27}
LAMPS = {"P1": 5, "B1": 6, "fault": {"pin": 17, "active_low": True}}


@pytest.fixture
def pins() -> Iterator[Any]:
    factory = pin_factory("mock")
    yield factory
    factory.reset()


def together(table: BridgeTable, *work: Awaitable[Any]) -> list[Any]:
    async def both() -> list[Any]:
        return await asyncio.gather(*work)

    return table.loop.run_until_complete(both())


def in_no_time(*work: Awaitable[Any]) -> list[Any]:
    """The same on a loop whose clock jumps: what is held for 10 ms is held for 10 ms."""

    async def both() -> list[Any]:
        loop = asyncio.get_running_loop()
        patch.setattr("gpiozero.pins.mock.monotonic", loop.time)
        patch.setattr("hardware.calibrate.pulses._now_ms", lambda: 1000 * loop.time())
        return await asyncio.gather(*work)

    with pytest.MonkeyPatch.context() as patch:
        return run(both())


def test_every_lamp_is_lit_by_itself_and_read_back(
    table: Callable[..., BridgeTable], pins: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bridge = table(lamps=LAMPS)
    assert lamps(visit(bridge, "lamps"), pins) == 0
    said = [json.loads(line)["say"] for line in capsys.readouterr().out.splitlines()[:-1]]
    assert said == ["P1 is lit (GPIO 5)", "B1 is lit (GPIO 6)", "fault is lit (GPIO 17)"]
    kept = record(bridge).lamps
    assert kept.after == dict.fromkeys(("P1", "B1", "fault"), "not looked at")  # --yes is nobody's eye
    assert (kept.measured.tried, kept.measured.good) == (3, 0)
    assert visit(bridge, "lamps").undo() == 0
    assert record(bridge).lamps is None


def test_lamps_that_somebody_saw_are_on_record_as_seen(
    table: Callable[..., BridgeTable], pins: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = table(lamps=LAMPS)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\ny\ny\n"))
    assert lamps(visit(bridge, "lamps", yes=False), pins) == 0
    kept = record(bridge).lamps
    assert (kept.after, kept.measured.good) == ({"P1": True, "B1": True, "fault": True}, 3)


def test_a_lamp_that_is_not_seen_is_named(
    table: Callable[..., BridgeTable], pins: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = table(lamps=LAMPS)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nwhat\nn\ny\n"))
    with pytest.raises(Refusal, match="not seen: B1"):
        lamps(visit(bridge, "lamps", yes=False), pins)
    assert record(bridge).lamps is None
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(Refusal, match="there is no one to answer"):
        lamps(visit(bridge, "lamps", yes=False), pins)


def test_each_key_is_asked_for_and_a_wrong_one_is_named(
    table: Callable[..., BridgeTable], pins: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bridge = table(pins=PINS)
    hand = MockPins(pins)

    async def press() -> None:
        await asyncio.sleep(0.1)
        for number in (23, 22, 23):
            await hand.press(Pin(number))
            await asyncio.sleep(0.1)

    keys = {"next": Pin(22), "reveal": Pin(23)}
    in_no_time(pressed(visit(bridge, "keypad"), keys, pins), press())
    assert "that was REVEAL: press NEXT" in capsys.readouterr().out


def test_a_key_of_each_seat_of_a_keypad_is_asked_for(
    table: Callable[..., BridgeTable], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bridge, board = table(pins=PINS), KeypadBoard((1, 2))

    async def press() -> None:
        pad = PtyBoard(board, tmp_path / "pad")
        for n, seat in enumerate((2, 1, 2), 1):
            await asyncio.sleep(0.3)
            board.press(seat, "H")
            await comes(lambda n=n: board.acknowledged == n)  # type: ignore[misc]  # bound now
        pad.close()

    config = KeypadConfig(port=str(tmp_path / "pad"), seats=(1, 2))

    async def appears() -> None:
        await comes((tmp_path / "pad").exists)
        await marked(visit(bridge, "keypad"), config)

    together(bridge, appears(), press())
    assert "that was seat 2: press at seat 1" in capsys.readouterr().out
    assert board.acknowledged == 3
    with pytest.raises(Refusal, match="is lost"):
        together(bridge, marked(visit(bridge, "keypad"), config), asyncio.sleep(0))


def test_a_key_that_does_not_come_is_named(table: Callable[..., BridgeTable], pins: Any) -> None:
    bridge = table(pins=PINS)
    with pytest.raises(Refusal, match="NEXT was not pressed within 0 s: check its wire at GPIO 22"):
        keypad(visit(bridge, "keypad", patience=0.05), pins)
    bridge.configure(pins={"next": {"pin": 22, "active_low": False}})  # wired the other way round
    with pytest.raises(Refusal, match="NEXT is already held down"):
        keypad(visit(bridge, "keypad"), pins)


@pytest.mark.parametrize(
    ("cards_ms", "cut_ms", "why"),
    [((), (80, 90, 100), None), ((10, 12), (300, 310, 320), None), ((300,), (90, 90, 90), "reduce the sensitivity")],
)
def test_the_cut_card_sensor_is_measured(
    table: Callable[..., BridgeTable],
    pins: Any,
    capsys: pytest.CaptureFixture[str],
    cards_ms: tuple[int, ...],
    cut_ms: tuple[int, ...],
    why: str | None,
) -> None:
    bridge = table(pins=PINS)
    hand, pin = MockPins(pins), Pin(27)
    work = visit(bridge, "cut-card", patience=1.0)

    async def passes() -> None:
        for held in cards_ms:
            await asyncio.sleep(0.05)
            await hand.press(pin, held / 1000, bounces=0)
        await asyncio.sleep(1.1)
        work.patience_s = 20.0
        for held in cut_ms:
            await hand.press(pin, held / 1000, bounces=0)
            await asyncio.sleep(0.1)

    if why:
        with pytest.raises(Refusal, match=why):
            in_no_time(measured(work, pin, pins), passes())
        return
    section, _ = in_no_time(measured(work, pin, pins), passes())
    saw = f"{len(cards_ms)} of them" if cards_ms else "none of them, which is right"
    assert f"the sensor saw {saw}; pull the cut card 3 times" in capsys.readouterr().out
    assert section.measured.passes == 3
    assert section.measured.cut_shortest >= 80
    assert bool(section.after["min_dwell_ms"]) == bool(cards_ms)
    assert 5 <= section.after["debounce_ms"] <= 100


@pytest.mark.parametrize("what", ["cut-card", "lamps", "keypad"])
def test_what_is_not_wired_cannot_be_calibrated(table: Callable[..., BridgeTable], what: str) -> None:
    work = Visit(table(), what, "--yes")
    assert work.end() == 1
    assert " configured" in work.story()
    assert "    set " in work.story()
