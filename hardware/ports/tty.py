"""Opens a serial device: exclusively, and without losing bytes that already wait in the kernel."""

import contextlib
import errno
import fcntl
import os
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.errors import PortBusy, PortDenied, PortError, PortMissing

if TYPE_CHECKING:
    import serial

BY_ID = Path("/dev/serial/by-id")


def open_tty(path: str, baud: int) -> "serial.Serial":
    """The device at `path`, 8N1 raw and non-blocking; PortError with its remedy if it cannot be had.

    Close it with `close_tty`.
    """
    from serial import Serial, SerialException  # here: a reader on a socket needs no pyserial

    class KeepingSerial(Serial):
        def _reset_input_buffer(self) -> None:
            """Pyserial throws away at open what came before; those are cards."""

    try:
        port = KeepingSerial(path, baud, timeout=0, exclusive=True)
    except (OSError, ValueError, SerialException) as error:
        raise _told(path, error) from None
    try:
        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
        _end_reads_at_hangup(port.fileno())
    except (OSError, termios.error) as error:
        port.close()
        raise _told(path, error) from None
    return port


def close_tty(port: "serial.Serial") -> None:
    """Give the device back; a device that is gone is closed all the same."""
    with contextlib.suppress(OSError):
        fcntl.ioctl(port.fileno(), termios.TIOCNXCL)
    with contextlib.suppress(OSError):
        port.close()


def holders(path: str) -> list[str]:
    """Who has the device open, as far as this user may see: "python3 (pid 812)"."""
    real = os.path.realpath(path)
    return [f"{_name(pid)} (pid {pid})" for pid in _pids() if pid != os.getpid() and real in _files(pid)]


def _end_reads_at_hangup(fd: int) -> None:
    # VMIN = 0 (pyserial's choice) makes an empty queue look like the end of the file.
    mode = termios.tcgetattr(fd)
    mode[6][termios.VMIN] = 1
    termios.tcsetattr(fd, termios.TCSANOW, mode)


def _told(path: str, error: Exception) -> PortError:
    number = getattr(error, "errno", None)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return PortMissing(f"no reader at {path}: check its cable and [reader] port; {_present()}")
    if number in (errno.EACCES, errno.EPERM):
        return PortDenied(
            f"no permission to open {path}: add the user to its group (sudo usermod -aG dialout $USER, "
            "then log in again), or install the udev rule"
        )
    if number in (errno.EBUSY, errno.EAGAIN):
        who = ", ".join(holders(path)) or "another user's program (sudo fuser -v shows which)"
        return PortBusy(f"{path} is in use by {who}: stop it, or give this bridge another port")
    kind = _kind(path) or f"cannot be opened as a serial port ({error})"
    return PortError(f"{path} {kind}: check [reader] port; {_present()}")


def _kind(path: str) -> str:
    """What stands in place of a serial port, nothing for one."""
    place = Path(path)
    if place.is_dir():
        return "is a directory"
    if place.is_file():
        return "is a file, no serial port"
    return "is a device, but no serial port" if _is_other_device(place) else ""


def _is_other_device(place: Path) -> bool:
    """Whether it can be opened and is no terminal, as serial ports are."""
    try:
        device = os.open(place, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return not os.isatty(device)
    finally:
        os.close(device)


def _present() -> str:
    names = sorted(str(entry) for entry in BY_ID.iterdir()) if BY_ID.is_dir() else []
    return f"readers present: {', '.join(names)}" if names else f"no USB reader is present under {BY_ID}"


def _pids() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _files(pid: int) -> set[str]:
    try:
        return {str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:
        return set()  # gone, or not ours to see


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return "a program"
