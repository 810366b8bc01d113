"""The daemon lends devices to a technician and takes them back, whatever becomes of the technician's command."""

import logging
import os
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.daemon.table.validation import shown
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.shoe.round import phase
from firmware_bridge.shoe.state import Phase, Shoe

log = logging.getLogger(__name__)

OUTSIDE_A_ROUND: Final = (Phase.EMPTY, Phase.ENDED, Phase.BETTING, Phase.READY)


class NotLeased(BridgeError):
    """The device stays with the daemon; the text says why and what to do."""


class Lease(NamedTuple):
    """What is lent `to` whom, `since` when (ms since 1970); `pid`: the process that has it."""

    device: str
    to: str
    since: int
    pid: int


class Leasable(Protocol):
    """What can be lent: the reader, or the pins."""

    is_out: bool
    """Whether this device is still on its way back from the last borrower: until then nothing is lent."""

    def lease(self, to: str) -> dict[str, Any]:
        """Journal that the device is lent, then let go of it; what the borrower needs to know of the device."""

    def passed(self, report: ReportNo) -> None:
        """A test card passed: its report is about to be acknowledged, and is never a card of the shoe."""

    def reclaim(self, restore: bytes | None, cut_short: bool) -> None:
        """Use the device again. restore: bytes to write to it first, or None. cut_short: it was not given back."""


class Leases:
    """Lends `devices` (by name) to one borrower at a time."""

    def __init__(self, table: Table, devices: Mapping[str, Leasable]) -> None:
        self._table, self._devices = table, devices
        self._lease: Lease | None = None
        self._last_pid = 0
        self._restore: bytes | None = None

    def status(self) -> dict[str, Any] | None:
        """What is lent to whom since when (ms since 1970), None for nothing."""
        return self._lease._asdict() if self._lease else None

    def returning(self) -> dict[str, Any] | None:
        """From whom the reader is on its way back, None for nobody. pid: the borrower's process, 0 unless it lives."""
        to, pid = self._table.shoe.device.lent, self._last_pid
        if self._lease or not to:
            return None
        return {"to": to, "pid": pid if pid and _lives(pid) else 0}

    def acquire(self, device: object, to: str, open_shoe: bool = False, pid: int = 0) -> dict[str, Any]:
        """Lend a device to process `pid`; open_shoe: between rounds of a shoe too. Raises NotLeased."""
        leasable = self._devices.get(device) if isinstance(device, str) else None
        if leasable is None or not isinstance(device, str):
            raise NotLeased(f"{shown(str(device))} cannot be lent", f"one of: {', '.join(self._devices)}")
        if self._lease:
            raise NotLeased(f"the {self._lease.device} is lent to {self._lease.to}", "one technician at a time")
        if any(each.is_out for each in self._devices.values()):
            raise NotLeased("what was lent last is not back yet", "see whether its command still runs; try again")
        if self._table.disk:
            raise NotLeased("the journal cannot be written, so no loan can be put on record", self._table.disk.hint)
        check(self._table.shoe, open_shoe)
        known = leasable.lease(to)
        log.info("the %s %s lent to %s", device, "are" if device.endswith("s") else "is", to)
        self._lease, self._last_pid = Lease(device, to, now()["at"], pid), pid
        return known

    def passed(self, session: object, seq: object) -> None:
        """A test card passed. Raises ValueError for what is no number of a report."""
        if not (self._lease and isinstance(session, int) and isinstance(seq, int)):
            raise ValueError("no report number of a lent reader")
        self._devices[self._lease.device].passed(ReportNo(session, seq % 256))

    def leave(self, restore: object) -> None:
        """Keep the bytes, in hex, that restore the device if the borrower is killed. Raises ValueError."""
        self._restore = bytes.fromhex(str(restore))

    def release(self, cut_short: bool = True) -> None:
        """Take the lent device back. cut_short: its borrower did not give it back."""
        lease, self._lease = self._lease, None
        restore, self._restore = self._restore, None
        if lease:
            self._devices[lease.device].reclaim(restore, cut_short)


def check(shoe: Shoe, open_shoe: bool) -> None:
    """Raise NotLeased while a card is between shoe and discard rack, or while a shoe is open without `open_shoe`."""
    where = phase(shoe)
    if where is Phase.BURNING:
        raise NotLeased("the burn is not finished", "finish it, or close the shoe")
    if where not in OUTSIDE_A_ROUND or shoe.laid or shoe.overdrawn:
        raise NotLeased(f"round {shoe.round} is open", "finish or void it, then calibrate")
    if where is Phase.READY and shoe.house.betting == "required":
        raise NotLeased(f"bets are closed for round {shoe.round}", "finish it or void it, then calibrate")
    if shoe.held:
        raise NotLeased(f"{len(shoe.held)} cards are held", "the floor decides about them first: shoe status")
    if shoe.status == "open" and not open_shoe:
        hint = "close it (sudo shoe do close-shoe --by NAME), or say --open-shoe: the dealer then confirms with NEXT"
        raise NotLeased(f"shoe {shoe.number} is open", hint)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
