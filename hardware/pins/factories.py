"""The libraries that can drive GPIO pins, chosen by name."""

from collections.abc import Callable

from hardware.errors import PinError
from hardware.pins.pin import PinFactory


def pin_factory(name: str) -> PinFactory:
    """The gpiozero factory called `name`: lgpio, rpigpio or mock; PinError with its remedy if it cannot run.

    Never gpiozero's own choice: that one falls back to another library with only a warning.
    """
    if name not in FACTORIES:
        raise PinError(f"[pins] factory {name!r} is unknown: write one of {', '.join(FACTORIES)}")
    try:
        return FACTORIES[name]()
    except ImportError as error:
        raise PinError(f"[pins] factory {name} is not installed ({error}): {_INSTALL[name]}") from None
    except Exception as error:  # each library has its own errors, some of them bare
        raise PinError(f"[pins] factory {name} does not start ({error}): {_START[name]}") from error


def _lgpio() -> PinFactory:
    from hardware.pins.lgpio import factory

    return factory()


def _rpigpio() -> PinFactory:
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    return RPiGPIOFactory()


def _mock() -> PinFactory:
    from gpiozero.pins.mock import MockFactory

    return MockFactory()


FACTORIES: dict[str, Callable[[], PinFactory]] = {"lgpio": _lgpio, "rpigpio": _rpigpio, "mock": _mock}
_INSTALL = {
    "lgpio": "sudo apt install python3-lgpio, or pip install 'firmware-bridge[pi]'",
    "rpigpio": "pip install 'firmware-bridge[rpi-gpio]', or use lgpio",
    "mock": "pip install gpiozero",
}
_START = {
    "lgpio": "it needs a Raspberry Pi, the group gpio and a writable working directory",
    "rpigpio": "it needs a Raspberry Pi up to 4 and a kernel before 6.6; elsewhere use lgpio",
    "mock": "reinstall gpiozero",
}
