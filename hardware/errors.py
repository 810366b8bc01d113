"""Errors of ports, pins and settings; each text names the remedy."""


class HardwareError(Exception):
    """Base class of this package's errors; its text names the remedy."""


class PortError(HardwareError, OSError):
    """A reader's port cannot be used; `str()` of it names the remedy. code, values: the same for programs."""

    def __init__(self, text: str = "", code: str = "port_unusable", **values: str | int | tuple[str, ...]) -> None:
        super().__init__(text)
        self.code, self.values = code, values

    def __str__(self) -> str:
        return str(self.args[0]) if self.args and self.args[0] else type(self).__name__


class PortMissing(PortError):
    """No such device: unplugged, or the name is wrong."""


class PortDenied(PortError):
    """The device is there, but this user may not open it."""


class PortBusy(PortError):
    """Another program has the device."""


class PortVanished(PortError):
    """The device was open and is gone."""


class PortStalled(PortError):
    """The device is open but accepts no more bytes."""


class PinError(HardwareError, ValueError):
    """A pin factory or a pin cannot be used; `str()` of it names the remedy."""


class PinBusy(PinError):
    """Another program, or another part of this one, uses the pin: it may be free later."""


class ReaderError(HardwareError, ValueError):
    """A reader's settings cannot work; `str()` of it names the remedy."""
