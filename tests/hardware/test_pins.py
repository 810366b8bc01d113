"""The pin factories by name, RPi.GPIO's with a module that keeps its rules."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from hardware.calibrate.pulses import SingleLamp
from hardware.errors import PinBusy, PinError
from hardware.pins.lamps import LampPanel
from hardware.pins.pin import Pin, claim, pin_factory, try_pin
from hardware.pins.sensors import Key
from hardware.sim.pins import MockPins
from tests.kit.patience import comes
from tests.kit.process import ran


@contextmanager
def pi_3b(monkeypatch: pytest.MonkeyPatch, mocker: MockerFixture, folder: str, *modules: str) -> Iterator[None]:
    """Be a Pi 3B whose pin package is the stand-in in `folder`; its modules are imported anew, and forgotten."""
    for name in modules:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(Path(__file__).parent / folder))
    mocker.patch("gpiozero.pins.local.get_pi_revision", return_value=0xA02082)
    yield
    for name in modules:
        sys.modules.pop(name, None)


@pytest.fixture
def gpio(monkeypatch: pytest.MonkeyPatch, mocker: MockerFixture) -> Iterator[Any]:
    """RPi.GPIO, as if installed on a Pi 3B."""
    with pi_3b(monkeypatch, mocker, "rpi", "RPi", "RPi.GPIO", "gpiozero.pins.rpigpio"):
        from RPi import GPIO

        yield GPIO


def test_rpigpio_drives_keys_and_lamps(gpio: Any) -> None:
    async def main() -> None:
        loop, pressed = asyncio.get_running_loop(), []
        factory = pin_factory("rpigpio")
        key = Key(Pin(22, debounce_ms=200), factory, loop, lambda: pressed.append(loop.time()))
        panel = LampPanel({"P1": Pin(5), "B1": Pin(6, active_low=True)}, factory, loop)
        assert [gpio.input(number) for number in (22, 5, 6)] == [1, 0, 1]
        for _ in range(4):
            gpio.drive(22, 0)
            gpio.drive(22, 1)
        gpio.drive(22, 0)
        panel.show({"P1": "steady", "B1": "steady"})
        await comes(lambda: pressed and key.active)
        assert len(pressed) == 1
        assert [gpio.input(number) for number in (5, 6)] == [1, 0]
        key.close()
        panel.close()
        factory.close()

    asyncio.run(main())


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, mocker: MockerFixture) -> Iterator[Any]:
    """lgpio, as if installed on a Pi 3B."""
    with pi_3b(monkeypatch, mocker, "lg", "lgpio", "gpiozero.pins.lgpio", "hardware.pins.lgpio"):
        import lgpio

        yield lgpio


def test_lines_are_given_back_to_other_programs_when_lamps_and_keys_are_closed(lines: Any) -> None:
    async def main() -> None:
        loop, pressed = asyncio.get_running_loop(), []
        factory = pin_factory("lgpio")

        def have() -> tuple[Key, LampPanel]:
            key = Key(Pin(22, debounce_ms=200), factory, loop, lambda: pressed.append(True))
            return key, LampPanel({"P1": Pin(5)}, factory, loop)

        for device in have():
            device.close()
        assert lines.claimed == {}
        with pytest.raises(PinError, match="GPIO22 is not claimed"):
            _ = factory.pin(22).state
        lines.elsewhere.update((22, 5))
        for _ in range(2):
            with pytest.raises(PinBusy, match="GPIO 22 cannot be used"):
                have()
        lines.elsewhere.clear()
        key, panel = have()
        panel.show({"P1": "steady"})
        assert lines.levels[5] == 1
        lines.drive(22, 0, ticks=1_000_000_000)
        await comes(lambda: pressed)
        key.close()
        panel.close()
        assert (lines.claimed, lines.levels[5]) == ({}, 0)
        factory.close()

    asyncio.run(main())


def test_a_line_that_was_never_used_is_given_back_too(lines: Any) -> None:
    factory = pin_factory("lgpio")
    pin = factory.pin(22)
    assert 22 in lines.claimed
    assert pin.state == 1
    pin.close()
    assert lines.claimed == {}
    factory.close()


def test_an_unknown_factory_is_reported() -> None:
    with pytest.raises(PinError, match="'pigpio' is unknown: write one of lgpio, rpigpio, mock"):
        pin_factory("pigpio")


def test_a_factory_that_is_not_installed_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiozero.pins.rpigpio", None)
    with pytest.raises(PinError, match=r"rpigpio is not installed .* or use lgpio"):
        pin_factory("rpigpio")


def test_a_factory_that_does_not_start_is_reported(mocker: MockerFixture) -> None:
    mocker.patch("gpiozero.pins.mock.MockFactory", side_effect=RuntimeError("no such chip"))
    with pytest.raises(PinError, match=r"mock does not start \(no such chip\)"):
        pin_factory("mock")


def test_a_pin_the_board_lacks_is_reported() -> None:
    async def main() -> None:
        with pytest.raises(PinError, match="GPIO 99 cannot be used"):
            Key(Pin(99), pin_factory("mock"), asyncio.get_running_loop(), print)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("why", "kind", "remedy"),
    [
        ("'GPIO busy'", PinBusy, "stop the program that uses it"),
        ("pin GPIO27 is already in use by <..>", PinBusy, "stop the program that uses it"),
        ("'bad GPIO number'", PinError, "correct its number"),
    ],
)
def test_a_pin_that_others_have_is_distinguished_from_one_that_cannot_be_had(
    mocker: MockerFixture, why: str, kind: type[PinBusy], remedy: str
) -> None:
    with pytest.raises(PinError, match=remedy) as raised:
        claim(mocker.Mock(side_effect=Exception(why)), Pin(27))
    assert type(raised.value) is kind


def test_a_table_without_pins_loads_no_gpio_library_and_no_serial_one() -> None:
    look = "print([name for name in ('gpiozero', 'serial') if name in sys.modules])"
    code = f"import hardware.pins.lamps, hardware.pins.sensors, hardware.ports, hardware.readers, sys; {look}"
    assert ran("-c", code, execute=True).stdout == "[]\n"


def test_a_lamp_that_was_tried_is_dark_and_its_pin_free() -> None:
    factory = pin_factory("mock")
    lamp = SingleLamp(Pin(5), factory)
    assert (lamp.is_lit, MockPins(factory).lit(Pin(5))) == (True, True)
    lamp.close()
    assert not MockPins(factory).lit(Pin(5))
    SingleLamp(Pin(5), factory).close()


def test_a_wire_in_use_is_reported_when_it_is_tried_and_a_free_one_stays_free() -> None:
    factory = pin_factory("mock")
    lamp = SingleLamp(Pin(5), factory)
    with pytest.raises(PinError):
        try_pin(Pin(5), factory)
    lamp.close()
    for _ in range(2):
        try_pin(Pin(5), factory)
