"""What can be wrong with a port, a pin or a setting, told so that a technician knows what to do next."""


class HardwareError(Exception):
    """Base of every error this package raises on purpose; its text names the remedy."""


class PortError(HardwareError, OSError):
    """A reader's port cannot be used; `str()` of it names the remedy."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else type(self).__name__


class PortMissing(PortError):
    """No such device: unplugged, or a wrong name."""


class PortDenied(PortError):
    """The device is there, but this user may not open it."""


class PortBusy(PortError):
    """Another program has the device."""


class PortVanished(PortError):
    """The device was open and is gone."""


class PortStalled(PortError):
    """The device is open but takes no more bytes from us."""


class PinError(HardwareError, ValueError):
    """A pin factory or a pin cannot be used; `str()` of it names the remedy."""


class PinBusy(PinError):
    """Another program, or another part of this one, has the pin: later it may be free."""


class ReaderError(HardwareError, ValueError):
    """A reader's settings cannot work; `str()` of it names the remedy."""
