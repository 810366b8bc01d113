"""`shoe support`: writes one file for a ticket with all that helps and nothing secret."""

import argparse
import errno
import io
import json
import os
import platform
import re
import stat
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from firmware_bridge import __build__, __version__
from firmware_bridge.cli import FAILED, FINE
from firmware_bridge.cli.check import findings
from firmware_bridge.cli.check.finding import UNIT, output_of
from firmware_bridge.cli.check.reader import PLACES
from firmware_bridge.cli.config import scrubbed, secrets_of
from firmware_bridge.cli.daemon_socket import JOURNAL_DIR, ask, config_option, journal_dir, socket_path
from firmware_bridge.cli.watch.screen import screen
from firmware_bridge.config import calibration
from firmware_bridge.config.findings import text as finding_text
from firmware_bridge.config.plain import say, warn
from firmware_bridge.errors import BridgeError, ConfigError, JournalError
from firmware_bridge.facts.printable import escaped_json
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.line import without_sealed
from firmware_bridge.journal.reader import Walk

LOG_LINES: Final = "500"

NO_ENTRIES: Final = "-- No entries --"
"""Output of journalctl with no line, or none that this user may see."""

KERNEL_LINES: Final = 300

JOURNALS: Final = 3
"""Journals in a ticket: the newest, one per shoe."""

NODES: Final = (*PLACES, "ttyS0", "gpiochip*")
SYSTEM: Final = ("/proc/device-tree/model", "/proc/version", "/etc/os-release", "/proc/uptime", "/proc/loadavg")

_RELEVANT: Final = re.compile(
    r"usb|tty|volt|throttl|thermal|mmc|ext4|i/o error|gpio|watchdog|out of memory", re.IGNORECASE
)

FOLDER: Final = "shoe-support"
NEWEST: Final = "the newest journals"


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe support`."""
    config_option(parser)
    text = "the file, or a directory for it, DIR/ (default: shoe-support-TIME.tar.gz here)"
    parser.add_argument("-o", "--out", default=".", metavar="FILE", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Write the file, also without a daemon; return 1 if the config is missing or this user may not read all, else 0.

    Raises NoSupport.
    """
    place = Place(arguments.config, _journals(arguments.config))
    out = _file(arguments.out)
    fresh = out.with_name(f".{out.name}.{os.getpid()}")
    without: list[str] = []
    try:
        fresh.touch(0o600)
        with tarfile.open(fresh, "w:gz") as tar:
            for name, content in _parts(place, without):
                _add(tar, name, content)
        fresh.replace(out)
    except OSError as error:
        raise NoSupport(f"{out} cannot be written ({error.strerror})", "give another place with --out") from None
    finally:
        fresh.unlink(missing_ok=True)
    there = [name for name in (*PARTS, NEWEST) if name not in without]
    say(f"{out}: {', '.join(there)}; it holds no sealed card and no password")
    if without:
        warn(f"shoe: this user may not read {', '.join(without)}: put sudo before the command")
    if not place.config.exists():
        warn(f"shoe support: {place.config} is missing: give the table's config with --config")
    return FAILED if without or not place.config.exists() else FINE


def _file(given: str) -> Path:
    """Return the file for a path that may be a directory's; one that ends in / is made. Raises NoSupport."""
    out = Path(given)
    try:
        if given.endswith("/"):
            out.mkdir(exist_ok=True)
    except OSError as error:
        raise NoSupport(f"{out} cannot be made ({error.strerror})", "give another place with --out") from None
    name = time.strftime("shoe-support-%Y%m%dT%H%M%SZ.tar.gz", time.gmtime())
    return out / name if out.is_dir() else out


class NoSupport(BridgeError, OSError):
    """The file cannot be written."""


class Place(NamedTuple):
    """Places to read: the table's config, its journals, and the system's files."""

    config: Path
    journals: Path
    root: Path = Path("/")


def about(place: Place) -> str:
    """Return the versions of the program, of Python and every package, of the system."""
    packages = sorted(f"{each.metadata['Name']} {each.version}" for each in metadata.distributions())
    system = [f"{name}: {_text(place, name)}" for name in SYSTEM]
    shoe = f"shoe {__version__}, build {__build__}"
    return "\n".join([shoe, f"Python {sys.version}", platform.platform(), *system, "", *packages])


def config(place: Place) -> str:
    """Return the table's config as it is, mistakes included."""
    return place.config.read_text("utf-8", "replace")


def check(place: Place) -> str:
    """Return all findings of `shoe check`."""
    return "\n".join(map(finding_text, findings(place.config, place.root)))


def status(place: Place) -> str:
    """Return the running daemon's status, as text and as JSON. Raises NoDaemon."""
    answer = ask(socket_path(place.config), {"do": "status"})
    as_json = json.dumps(answer, ensure_ascii=False, indent=1).split("\n")
    return "\n".join([*screen(answer), "", *map(escaped_json, as_json)])


def log(_: Place) -> str:
    """Return the last lines of the service's log. Raises PermissionError if only root may know if there are any."""
    lines = output_of("journalctl", "--unit", UNIT, "--lines", LOG_LINES, "--no-pager", "--output", "short-iso")
    if lines.strip() not in ("", NO_ENTRIES):
        return lines
    if os.geteuid() != 0:
        raise PermissionError(errno.EACCES, f"journalctl shows this user no log of {UNIT}")
    return f"no log: journalctl has none of {UNIT}"


def service(_: Place) -> str:
    """Return the state of the service in systemd."""
    return output_of("systemctl", "status", UNIT, "--no-pager", "--lines", "0") or "systemctl printed nothing"


def calibrated(place: Place) -> str:
    """Return the technician's calibration."""
    with _own_file(place.journals / calibration.FILE) as file:
        return file.read().decode("utf-8", "replace")


def devices(place: Place) -> str:
    """Return the serial ports and pins with owner and mode, and what is on USB."""
    dev = place.root / "dev"
    found = [_node(path) for pattern in NODES for path in sorted(dev.glob(pattern))]
    return "\n".join([*(found or ["no serial port, no pins"]), "", output_of("lsusb") or "lsusb printed nothing"])


def kernel(_: Place) -> str:
    """Return the kernel's messages about USB, ports, power and the memory card."""
    lines = [line for line in output_of("dmesg", "--ctime").splitlines() if _RELEVANT.search(line)]
    return "\n".join(lines[-KERNEL_LINES:]) or "no messages, or none that this user may see (use sudo)"


def journals(place: Place) -> Iterator[tuple[str, bytes]]:
    """Yield the name and lines of the newest journals without sealed parts, up to the first damage. Raises OSError."""
    next(place.journals.iterdir(), None)
    for path in journal_files(place.journals)[-JOURNALS:]:
        lines: list[bytes] = []
        fault = ""
        try:
            with _own_file(path) as file:
                walk = Walk(path.name)
                lines.extend(map(without_sealed, walk.lines(file)))
                fault = str(walk.fault) if walk.torn else ""
        except PermissionError:
            raise
        except (JournalError, OSError) as error:
            fault = str(error)
        yield f"journal/{path.name}", b"".join(lines)
        if fault:
            yield f"journal/{path.name}.fault.txt", fault.encode()


PARTS: Final[dict[str, Callable[[Place], str]]] = {
    "about.txt": about,
    "bridge.toml": config,
    "check.txt": check,
    "status.txt": status,
    "service.txt": service,
    "log.txt": log,
    "calibration.toml": calibrated,
    "devices.txt": devices,
    "kernel.txt": kernel,
}


def _own_file(path: Path) -> BinaryIO:
    """Return a file of the daemon's directory, opened by root without following links. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "no file", str(path))
    return os.fdopen(fd, "rb")


def _text(place: Place, name: str) -> str:
    try:
        return (place.root / name.lstrip("/")).read_text("utf-8", "replace").strip("\0\n ")
    except OSError as error:
        return error.strerror or str(error)


def _node(path: Path) -> str:
    try:
        found = path.stat()
    except OSError as error:
        return f"{path}: {error.strerror}"
    target = f" -> {path.readlink()}" if path.is_symlink() else ""
    return f"{stat.filemode(found.st_mode)} {found.st_uid}:{found.st_gid} {path}{target}"


def _journals(config: Path) -> Path:
    """Return the directory of the journals; the usual one if the config cannot be read."""
    try:
        return journal_dir(config)
    except ConfigError:
        return Path(JOURNAL_DIR)


def _parts(place: Place, without: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each part, or why it cannot be read; `without` gets parts this user may not read."""
    secrets = secrets_of(place.config)
    for name, part in PARTS.items():
        try:
            text = part(place)
        except Exception as error:  # must work on a broken machine
            without += [name] if isinstance(error, PermissionError) else []
            text = f"not available: {error}" if isinstance(error, BridgeError | OSError) else type(error).__name__
        yield name, scrubbed(text, secrets).encode()
    try:
        yield from journals(place)
    except FileNotFoundError:
        return
    except OSError as error:
        without += [NEWEST] if isinstance(error, PermissionError) else []
        yield "journal/none.txt", f"not available: {error}".encode()


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(f"{FOLDER}/{name}")
    info.size, info.mode, info.mtime = len(content), 0o600, int(time.time())
    tar.addfile(info, io.BytesIO(content))
