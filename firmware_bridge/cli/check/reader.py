"""Checks of the card reader (port, code book, calibration) and of the keypads at the seats."""

import asyncio
import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli.calibrate.storage import CalibrationStorage
from firmware_bridge.cli.check.finding import RESTART, Machine, failed, unread
from firmware_bridge.cli.check.hearing import heard, shared
from firmware_bridge.cli.daemon_socket import NoDaemon
from firmware_bridge.cli.watch.machine import lease_words
from firmware_bridge.config import calibration
from firmware_bridge.config.findings import Finding
from firmware_bridge.daemon.devices import code_books
from firmware_bridge.daemon.devices.keypads import BAUD, LOST
from firmware_bridge.daemon.devices.repeats import repeats_of
from firmware_bridge.errors import ConfigError
from firmware_bridge.topics.texts import alarms
from hardware.connections import SOCKET
from hardware.errors import PortDenied, PortError, PortMissing
from hardware.ports import Port, close_tty, open_tty
from hardware.readers import READERS

PLACES: Final = ("serial/by-id/*", "shoe-reader", "ttyUSB*", "ttyACM*", "ttyAMA*")
"""Patterns of serial ports under /dev, the best name first."""

BY_ID: Final = PLACES[0]

LIKE: Final = 0.7
"""Similarity from which a by-id name is suggested; names share maker and product."""

LONG_HOLD_S: Final = 1.0
"""Seconds of `[reader] hold` that are longer than a dealer takes for a card."""

ANSWER_S: Final = 6.0
"""Seconds for a reader on the network to accept a connection."""

STAYS_S: Final = 0.5
"""Seconds for which it must stay connected: a serial server that has another client hangs up at once."""

REMEDY: Final = "check its power and cable, and its port in [[keypad]]"

OLD_DAYS: Final = 180
"""Days after which a calibration is old: lamps age and dust settles."""

ENOUGH: Final = 0.999
"""Minimum share of cards read in the test pass; a shoe has 416."""

_ORDER: Final = "sudo shoe calibrate {} --by NAME"


def reader(machine: Machine) -> Iterator[Finding]:
    """Check whether the port can be opened, and which process uses it if not."""
    config = machine.config.reader
    if machine.daemon and machine.has_read("reader"):
        yield from _held(machine.daemon)
        return
    if machine.daemon and config.port == machine.daemon["reader"]["port"]:
        yield unread("reader", "reader")
        return
    baud = config.baud or READERS[config.protocol].baud
    try:
        _try(config.port, baud)
    except PortMissing as error:
        yield _missing(machine, str(error))
    except PortError as error:
        yield failed("reader", str(error))
    else:
        what = f"{config.protocol} at {config.port}, free"
        is_new = machine.daemon is not None
        others = list(shared("reader", config.port))
        if is_new:
            yield Finding("WARN", "reader", f"{what}: not the daemon's yet", RESTART)
        elif not others:
            yield Finding("OK", "reader", what)
        yield from others


def repeats(machine: Machine) -> Iterator[Finding]:
    """Check whether two equal cards may count as one, or one as two: by a long `hold`, or a module that repeats."""
    config = machine.config.reader
    if config.hold > LONG_HOLD_S:
        what = f"hold = {config.hold:g} s: of two equal cards drawn within it the second one is dropped"
        yield Finding("WARN", "reader", what, "write [reader] hold = 0.5")
    opened = machine.daemon["alarm"]["open"] if machine.daemon else ()
    if any(each["id"] == "reader_repeats" for each in opened):
        what = (
            "the module repeats cards: after NEXT has said that a card is the same one, an equal card drawn within "
            f"{repeats_of(config, Path(machine.config.journal.dir)):g} s is taken for it, too"
        )
        once = READERS[config.protocol].report_once
        yield Finding("WARN", "reader", what, f"set {once}; then {_ORDER.format('reader')}")


def adapter(machine: Machine) -> Iterator[Finding]:
    """Check whether the port is one adapter alone, by its serial number, and what else could be taken for a reader."""
    port = machine.config.reader.port
    device = machine.at(port).resolve()
    if port.startswith(SOCKET) or not device.exists():
        return
    links = {path.resolve(): f"/{path.relative_to(machine.root)}" for path in machine.at("/dev").glob(BY_ID)}
    if device in links and not _has_serial(machine, device.name):
        what = f"{port} is an adapter without a serial number: any other of its kind is taken for it"
        yield Finding("WARN", "reader", what, "take an adapter with one, and keep its plug out of reach")
    elif device in links and "/by-id/" not in port:
        what = f"{port} is any adapter that is plugged in, not this one alone"
        yield Finding("WARN", "reader", what, f'write [reader] port = "{links[device]}"')
    known = {device, *(machine.at(pad.port).resolve() for pad in machine.config.keypad)}
    if others := sorted(name for path, name in links.items() if path not in known):
        what = f"a second device that could be a reader is plugged in: {', '.join(others)}"
        yield Finding("WARN", "reader", what, "see what it is, and unplug it; of a keypad: write its [[keypad]]")


def _has_serial(machine: Machine, tty: str) -> bool:
    """Return whether the adapter of a port has a serial number: some levels above the port's own device."""
    place = machine.at(f"/sys/class/tty/{tty}/device").resolve()
    return any((each / "serial").is_file() for each in (place, *place.parents[:3]))


def _missing(machine: Machine, message: str) -> Finding:
    """Return the finding for a missing reader, with the existing ports and the one probably meant."""
    found = failed("reader", message)
    port = machine.config.reader.port
    if port.startswith(SOCKET):
        return found
    found_there = [path for place in PLACES for path in sorted(machine.at("/dev").glob(place))]
    there = [f"/{path.relative_to(machine.root)}" for path in found_there]
    near = get_close_matches(port, there, 1, LIKE) if "/by-id/" in port else []
    meant = f"did you mean {near[0]}? " if near else ""
    ports = f"existing ports: {', '.join(there)}" if there else "there is no serial port at all: is it plugged in?"
    return found._replace(remedy=f"{meant}check its cable and [reader] port; {ports}")


def _held(status: dict[str, Any]) -> Iterator[Finding]:
    held = status["reader"]
    what = f"{held['protocol']} at {held['port']}"
    if words := lease_words(status):
        what_now, remedy = words
        yield Finding("WARN", "reader", f"{what}: {what_now}", remedy)
        return
    if any(each["id"] == "reader_fault" for each in status["alarm"]["open"]):
        remedy = "see what is plugged in; then the pit decides: shoe do resolve reader_fault accept"
        yield Finding("FAIL", "reader", f"{what}: closed, as it sent more than cards can be drawn", remedy)
    elif held["lost"] and (losses := held.get("losses", 0)) > 1:
        what = f"{what}: open and lost again, {losses} times"
        yield Finding("FAIL", "reader", what, f"check the reader's power and cable{_rivals(held['port'])}")
    elif not held["open"]:
        yield Finding("FAIL", "reader", f"{what}: the daemon cannot open it", "check its cable; see `shoe status`")
    else:
        yield from _open(status, what)


def _open(status: dict[str, Any], what: str) -> Iterator[Finding]:
    """Yield the findings about a reader that the daemon has open."""
    held = status["reader"]
    found = heard("reader", what, held["protocol"], held["heard"]) if "heard" in held else None
    if held["lost"] and (found is None or found.level != "FAIL"):
        found = Finding("FAIL", "reader", f"{what}: open, but silent", "check the reader's power and cable")
    others = list(shared("reader", held["port"], status["pid"])) if "pid" in status else []
    if found or not others:
        yield found or Finding("OK", "reader", f"{what}, in use by the daemon")
    yield from others


def _rivals(port: str) -> str:
    """Return what else to look at where a port on the network is lost again and again."""
    if not port.startswith(SOCKET):
        return ""
    return ", and what else is connected to it: many serial servers take one connection"


def _try(target: str, baud: int) -> None:
    """Open a port once. Raises PortError; PermissionError where others than this user may open it."""
    if target.startswith(SOCKET):
        asyncio.run(_connect(target, baud))
        return
    try:
        close_tty(open_tty(target, baud))
    except PortDenied:
        if os.geteuid():
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target) from None
        raise


async def _connect(target: str, baud: int) -> None:
    """Open a reader on the network once. Raises PortError."""
    found = asyncio.Queue[PortError | None]()
    report = found.put_nowait
    port = Port(target, baud, asyncio.get_running_loop(), lambda _: None, report, lambda: report(None))
    port.start()
    try:
        why = await asyncio.wait_for(found.get(), ANSWER_S)
        if why is None:
            with suppress(TimeoutError):
                why = await asyncio.wait_for(found.get(), STAYS_S)
    except TimeoutError:
        why = PortError(f"{target} does not answer: check the reader's power and network cable")
    finally:
        port.close()
    if why:
        raise why


def code_book(machine: Machine) -> Iterator[Finding]:
    """Check whether the reader's code book can be read and is valid."""
    path = machine.config.reader.code_book
    if path is None:
        yield from _no_book(machine.config.reader.protocol)
        return
    try:
        book = code_books.of_reader(machine.config.reader, machine.config.table.decks, machine.config.rules.pack)
    except ConfigError as error:
        for line in error.what.splitlines():
            yield Finding("FAIL", "code book", line, error.hint)
        return
    cards = {known.card for known in book.values() if known.card}
    yield Finding("OK", "code book", f"{path}: {len(book)} codes of {len(cards)} cards")


def _no_book(protocol: str) -> Iterator[Finding]:
    """Yield the finding for a missing book: some readers print the cards' names; a tag's number is none."""
    if READERS[protocol].has_fixed_codes:
        return
    remedy = f"set a file in [reader] code_book, then {code_books.REMEDY}"
    if READERS[protocol].has_tags:
        what = f"none configured: every card of an {protocol} will be foreign"
        yield Finding("FAIL", "code book", what, remedy)
    else:
        what = (
            "none configured: only codes that are card names (As, Td; a ten is T) are known, all others will be foreign"
        )
        yield Finding("WARN", "code book", what, remedy)


def keypads(machine: Machine) -> Iterator[Finding]:
    """Check whether each port can be opened; while the daemon has them, whether it hears every pad."""
    pads = machine.config.keypad
    if machine.daemon and pads and not machine.has_read("keypad"):
        yield unread("keypads", "keypad")
        return
    if machine.daemon:
        yield from _pads(machine.daemon, len(pads))
        return
    for pad in pads:
        try:
            _try(pad.port, BAUD)
        except PortError as error:
            what = str(error).partition(": ")[0].replace("reader", "keypad")  # the port's message speaks of a reader
            yield Finding("FAIL", "keypads", f"{what}, {pad.where}", REMEDY)
        else:
            yield Finding("OK", "keypads", f"{pad.where} at {pad.port}, free")


def _pads(status: dict[str, Any], count: int) -> Iterator[Finding]:
    """Yield the findings about the pads that the daemon has open."""
    if not count:
        return
    pads = status.get("keypads", ())
    each_heard = (heard("keypads", f"of {pad['where']}", "keypad", pad["heard"]) for pad in pads)
    opened = {each["id"]: each for each in status["alarm"]["open"]}
    found = [each for each in each_heard if each and (each.level == "FAIL" or LOST not in opened)]
    if LOST in opened:
        what = alarms.what("en", LOST, opened[LOST]["values"])
        found.append(Finding("FAIL", "keypads", what, alarms.todo("en", LOST, "")))
    if "pid" in status:
        for pad in pads:
            found.extend(shared("keypads", pad["port"], status["pid"]))
    yield from found or [Finding("OK", "keypads", f"{count}, in use by the daemon")]


def calibrated(machine: Machine) -> Iterator[Finding]:
    """Check whether reader and cut-card sensor were calibrated well and lately."""
    path = Path(machine.config.journal.dir) / calibration.FILE
    try:
        found = _calibration(machine, path)
    except (ConfigError, NoDaemon) as error:
        yield Finding("FAIL", "calibrated", error.what, error.hint or f"calibrate again: {_ORDER.format('reader')}")
        return
    if READERS[machine.config.reader.protocol].keeps_reports:
        yield _section(machine, "reader", found.reader)
        yield from _other_board(machine, found.reader)
    if machine.config.pins.cut_card is not None:
        yield _section(machine, "cut-card", found.cut_card)


def _calibration(machine: Machine, path: Path) -> calibration.Calibration:
    """Return the calibration, by the daemon if a technician may not read it. Raises ConfigError, NoDaemon, OSError."""
    record = CalibrationStorage(machine.path, path)
    if not record.is_ours and machine.daemon is None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return calibration.load(path) if record.is_ours else record.read()[0]


def _other_board(machine: Machine, section: calibration.ReaderSection | None) -> Iterator[Finding]:
    """Yield a warning for a board that is not the calibrated one, by the numbers that both said."""
    present = str(machine.daemon["reader"].get("serial", "")) if machine.daemon else ""
    known = section.measured.serial if section else None
    if known and present and present != known:
        what = f"the reader board with serial number {present} is plugged in, and {known} was calibrated"
        yield Finding("WARN", "calibrated", what, f"see who exchanged it, then {_ORDER.format('reader')}")


def _section(machine: Machine, name: str, section: calibration.Section | None) -> Finding:
    remedy = _ORDER.format(name)
    if section is None:
        return Finding("WARN", "calibrated", f"{name}: never calibrated", remedy)
    summary = f"{name}: {section.at[:10]} by {section.by}"
    measured = getattr(section, "measured", None)
    if isinstance(measured, calibration.Reading) and measured.decode_rate < ENOUGH:
        what = f"{summary}, only {measured.decode_rate:.2%} of the test cards were read"
        return Finding("WARN", "calibrated", what, f"clean the optics, then {remedy}")
    if (days := _days(machine, section.at)) > OLD_DAYS:
        return Finding("WARN", "calibrated", f"{summary}, {days} days ago", remedy)
    return Finding("OK", "calibrated", summary)


def _days(machine: Machine, at: str) -> int:
    """Return the days since `at`; 0 if the time makes no sense, as before the clock was set."""
    try:
        then = datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0
    return max(0, int((machine.now() - then) / 86_400))
