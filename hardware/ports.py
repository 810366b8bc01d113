"""Serial ports, opened exclusively, read and written on the event loop."""

import asyncio
import contextlib
import errno
import fcntl
import os
import socket
import termios
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.connections import SOCKET, connected
from hardware.errors import PortBusy, PortDenied, PortError, PortMissing, PortStalled, PortVanished
from hardware.holders import holders

if TYPE_CHECKING:
    import serial

BY_ID = Path("/dev/serial/by-id")
READ_BYTES = 128  # a few messages: what a device sends beyond them waits in the kernel, not with us
FIRST_RETRY, LAST_RETRY = 0.2, 1.6  # seconds; doubles in between
STEADY_S = 5.0  # after so long open, the next loss is tried again after the first wait
QUIET = 0.1  # seconds: far longer than between two bytes of a line, an adapter's buffer (16 ms) included
MOST_UNWRITTEN = 4_096  # bytes; some 400 ACKs: a device that far behind has stopped reading


class Port:
    """Owns the device at `target` (a path, or `socket://host:port`) from `start` to `close`.

    `on_open()` follows each (re)open, `on_bytes(chunk)` each read, `on_lost(why)` each loss, at once. An empty
    chunk follows when none came in the first `QUIET` seconds. A port that cannot be opened is a loss too, each kind of
    reason reported once. All run on `loop`.

    Tries wait 0.2 s, doubling to `LAST_RETRY`, whether the port could not be opened or was opened and lost. The wait
    and the reasons reported are forgotten once a port stays open for `STEADY_S`, or something was understood.
    """

    def __init__(
        self,
        target: str,
        baud: int,
        loop: asyncio.AbstractEventLoop,
        on_bytes: Callable[[bytes], None],
        on_lost: Callable[[PortError], None],
        on_open: Callable[[], None],
    ) -> None:
        self.target = target
        self._baud = baud
        self._loop = loop
        self._on_bytes = on_bytes
        self._on_lost = on_lost
        self._on_open = on_open
        self._device: serial.Serial | socket.socket | None = None
        self._fd = -1
        self._unwritten = bytearray()
        self._opening: asyncio.Task[None] | None = None
        self._quiet: asyncio.TimerHandle | None = None
        self._reported = set[type[PortError]]()
        self._is_held = self._is_understood = False
        self._wait, self._next_try, self._opened_at = FIRST_RETRY, 0.0, 0.0
        self.cut_short = 0
        """Openings in a row that were lost within `STEADY_S` with nothing understood."""

    @property
    def is_open(self) -> bool:
        """Whether bytes can be read and written now."""
        return self._device is not None

    @property
    def open_s(self) -> float:
        """Seconds since the port was opened, 0 while it is not."""
        return self._loop.time() - self._opened_at if self.is_open else 0.0

    def understood(self) -> None:
        """Note that what came was understood: the next loss is the first of its kind."""
        if not self._is_understood:
            self._is_understood = True
            self._forget()

    def start(self) -> None:
        """Open the port, with retries, and reopen it after each loss until `close`."""
        if self._opening is None and not self.is_open:
            self._opening = self._loop.create_task(self._open_until_done())
            self._opening.add_done_callback(self._failed)

    def close(self) -> None:
        """Close the port and stop all retries."""
        if self._opening is not None:
            self._opening.cancel()
            self._opening = None
        self._drop()
        self._forget()
        self._next_try = 0.0

    def hold(self, is_held: bool) -> None:
        """Leave the port unread while it is held; one that is lost is not opened again until then."""
        self._is_held = is_held
        if self._device is None:
            return
        if is_held:
            self._loop.remove_reader(self._fd)
        else:
            self._loop.add_reader(self._fd, self._readable)

    def write(self, chunk: bytes) -> bool:
        """Send `chunk`, buffered if the device is slow; False if the port is not open (the bytes are dropped)."""
        if self._device is None:
            return False
        if self._unwritten or not chunk:
            self._keep(chunk)
        else:
            self._push(chunk)
        return self.is_open

    async def _open_until_done(self) -> None:
        while self._is_held:
            await asyncio.sleep(0)
        while True:
            await asyncio.sleep(max(0.0, self._next_try - self._loop.time()))
            began = self._loop.time()
            try:
                device = await self._opened()
                break
            except PortError as why:
                if type(why) not in self._reported:
                    self._reported.add(type(why))
                    self._on_lost(why)
            self._put_off(began)  # a try that took long was a wait itself
        self._opening = None
        self._attach(device)

    def _failed(self, opening: "asyncio.Task[None]") -> None:
        """End the process after an error that is no device's: the port would stay closed without a word."""
        if not opening.cancelled() and (error := opening.exception()):
            self._loop.call_exception_handler({"message": f"{self.target} cannot be opened", "exception": error})

    def _put_off(self, since: float) -> None:
        """Let the next try wait, counted from `since`, and the one after it longer."""
        self._next_try = since + self._wait
        self._wait = min(2 * self._wait, LAST_RETRY)

    def _forget(self) -> None:
        """Forget what was tried: the port is in order."""
        self._wait, self.cut_short = FIRST_RETRY, 0
        self._reported.clear()

    async def _opened(self) -> "serial.Serial | socket.socket":
        if self.target.startswith(SOCKET):
            return await connected(self.target, self._loop)
        return open_tty(self.target, self._baud)

    def _attach(self, device: "serial.Serial | socket.socket") -> None:
        self._device, self._fd = device, device.fileno()
        self._opened_at, self._is_understood = self._loop.time(), False
        self._loop.add_reader(self._fd, self._readable)
        self._on_open()
        if self.is_open:  # not lost by what was written
            self._quiet = self._loop.call_later(QUIET, self._on_bytes, b"")  # the loop reads before it runs timers

    def _readable(self) -> None:
        try:
            chunk = os.read(self._fd, READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(_gone(self.target, error))
            return
        if chunk:
            self._hush()
            self._on_bytes(chunk)
        else:
            self._lose(_disconnected(self.target))

    def _hush(self) -> None:
        if self._quiet:
            self._quiet.cancel()
            self._quiet = None

    def _push(self, chunk: bytes) -> None:
        try:
            sent = os.write(self._fd, chunk)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self._lose(_gone(self.target, error))
            return
        self._keep(chunk[sent:])

    def _keep(self, rest: bytes) -> None:
        if not rest:
            return
        if not self._unwritten:
            self._loop.add_writer(self._fd, self._writable)
        self._unwritten += rest
        if len(self._unwritten) > MOST_UNWRITTEN:
            text = f"{self.target} accepts no data: check the reader's power and cable"
            self._lose(PortStalled(text, "port_stalled", port=self.target))

    def _writable(self) -> None:
        waiting, self._unwritten = bytes(self._unwritten), bytearray()
        self._loop.remove_writer(self._fd)
        self._push(waiting)

    def _lose(self, why: PortError) -> None:
        if self._is_understood or self.open_s >= STEADY_S:
            self._forget()
        else:
            self.cut_short += 1
        self._reported.add(PortMissing)  # after a loss, "missing" is no new reason
        self._drop()
        self._put_off(self._loop.time())
        self.start()
        self._on_lost(why)

    def _drop(self) -> None:
        device, self._device = self._device, None
        if device is None:
            return
        self._hush()
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        self._unwritten.clear()
        if isinstance(device, socket.socket):
            device.close()
        else:
            close_tty(device)


def open_tty(path: str, baud: int) -> "serial.Serial":
    """Return the device at `path`, 8N1 raw and non-blocking; close with `close_tty`. Raises PortError with a remedy."""
    from serial import Serial, SerialException  # here: a reader on a socket needs no pyserial

    class KeepingSerial(Serial):
        def _reset_input_buffer(self) -> None:
            """Keep the bytes received before the open, which pyserial would drop: they may be cards."""

    try:
        port = KeepingSerial(path, baud, timeout=0, exclusive=True)
    except (OSError, ValueError, SerialException) as error:
        raise _port_error(path, error) from None
    try:
        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
        _end_reads_at_hangup(port.fileno())
    except (OSError, termios.error) as error:
        port.close()
        raise _port_error(path, error) from None
    return port


def close_tty(port: "serial.Serial") -> None:
    """Close the device, even one that is gone."""
    with contextlib.suppress(OSError):
        fcntl.ioctl(port.fileno(), termios.TIOCNXCL)
    with contextlib.suppress(OSError):
        port.close()


def others(path: str) -> list[str]:
    """Return the names of serial adapters by USB that are plugged in beside the one at `path`."""
    real = os.path.realpath(path)
    return sorted(str(each) for each in BY_ID.glob("*") if os.path.realpath(each) != real)


def _gone(target: str, error: OSError) -> PortVanished:
    text = f"{target} is gone ({error.strerror}): check the reader's cable"
    return PortVanished(text, "port_gone", port=target, error=str(error.strerror))


def _disconnected(target: str) -> PortVanished:
    text = f"{target} has disconnected: check the reader's cable and power"
    if target.startswith(SOCKET):
        return PortVanished(f"{text}, and what else is connected to it", "host_disconnected", port=target)
    return PortVanished(text, "port_disconnected", port=target)


def _end_reads_at_hangup(fd: int) -> None:
    # VMIN = 0 (pyserial's choice) makes an empty queue look like the end of the file.
    mode = termios.tcgetattr(fd)
    mode[6][termios.VMIN] = 1
    termios.tcsetattr(fd, termios.TCSANOW, mode)


def _port_error(path: str, error: Exception) -> PortError:
    number, found = getattr(error, "errno", None), _present()
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        text = f"no reader at {path}: check its cable and [reader] port; {_in_words(found)}"
        return PortMissing(text, "no_reader", port=path, found=found)
    if number in (errno.EACCES, errno.EPERM):
        return PortDenied(
            f"no permission to open {path}: add the user to its group (sudo adduser $USER shoe-bridge, "
            "then log in again), or install systemd/90-shoe-reader.rules",
            "port_denied",
            port=path,
        )
    if number in (errno.EBUSY, errno.EAGAIN):
        who = ", ".join(holders(path)) or "another user's program (find it with: sudo fuser -v)"
        text = f"{path} is in use by {who}: stop that program, or set another [reader] port"
        return PortBusy(text, "port_busy", port=path, by=who)
    kind = _kind(path) or f"cannot be opened as a serial port ({error})"
    text = f"{path} {kind}: check [reader] port; {_in_words(found)}"
    return PortError(text, "no_serial_port", port=path, error=str(error), found=found)


def _kind(path: str) -> str:
    """Return what kind of file is at `path` instead of a serial port, "" for a serial port."""
    place = Path(path)
    if place.is_dir():
        return "is a directory"
    if place.is_file():
        return "is a file, not a serial port"
    return "is a device, but not a serial port" if _is_other_device(place) else ""


def _is_other_device(place: Path) -> bool:
    """Return whether it can be opened and is no terminal, unlike a serial port."""
    try:
        device = os.open(place, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return not os.isatty(device)
    finally:
        os.close(device)


def _present() -> tuple[str, ...]:
    """Return the paths of the readers that are plugged in by USB."""
    return tuple(sorted(str(entry) for entry in BY_ID.iterdir())) if BY_ID.is_dir() else ()


def _in_words(found: tuple[str, ...]) -> str:
    return f"readers found: {', '.join(found)}" if found else f"no USB reader found in {BY_ID}"
