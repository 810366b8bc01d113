"""Leases of devices to a technician, which end even if the technician's command is killed."""

import logging
import os
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

from msgspec import UNSET, UnsetType

from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.connection import not_of_a_connection
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.daemon.table.validation import shown
from firmware_bridge.facts.book.refusals import Refused
from firmware_bridge.facts.inputs import Person, ReportNo
from firmware_bridge.shoe.round import phase
from firmware_bridge.shoe.state import Phase, Shoe

log = logging.getLogger(__name__)

OUTSIDE_A_ROUND: Final = (Phase.EMPTY, Phase.ENDED, Phase.BETTING, Phase.READY)


LAST_SESSION: Final = 0xFFFF
"""The highest boot session of a board, which is a u16."""


class NotLeased(Refused):
    """A refused lease."""


class Lease(NamedTuple):
    """A leased device, the technician (`to`), the time (`since`, ms since 1970), and the process that holds it."""

    device: str
    to: str
    since: int
    pid: int


class Leasable(Protocol):
    """A device that can be leased: the reader, or the pins."""

    is_out: bool
    """Whether the last lease of this device has not ended completely: until then nothing is leased."""

    def lease(self, to: str, person: Person | UnsetType = UNSET) -> dict[str, Any]:
        """Journal the lease, then release the device; return values that the technician's command needs."""

    def passed(self, report: ReportNo) -> None:
        """Count a test card before its report is acknowledged: it is never a card of the shoe."""

    def reclaim(self, restore: bytes | None, cut_short: bool) -> None:
        """Use the device again. restore: bytes to write to it first, or None. cut_short: it was not given back."""


class Leases:
    """Leases `devices` (by name) to one technician at a time."""

    def __init__(self, table: Table, devices: Mapping[str, Leasable]) -> None:
        self._table, self._devices = table, devices
        self._lease: Lease | None = None
        self._last_pid = 0
        self._restore: bytes | None = None

    def status(self) -> dict[str, Any] | None:
        """Return the present `Lease` as a dict, None for none."""
        return self._lease._asdict() if self._lease else None

    def returning(self) -> dict[str, Any] | None:
        """Return the technician of the reader's ending lease, None for none. pid: of a command still alive, else 0."""
        to, pid = self._table.shoe.device.lent, self._last_pid
        if self._lease or not to:
            return None
        return {"to": to, "pid": pid if pid and _lives(pid) else 0}

    def acquire(
        self,
        device: object,
        to: str,
        open_shoe: bool = False,
        pid: int = 0,
        person: Person | UnsetType = UNSET,
    ) -> dict[str, Any]:
        """Lease a device to process `pid`; open_shoe: between rounds of a shoe too. Raises NotLeased."""
        leasable = self._devices.get(device) if isinstance(device, str) else None
        if leasable is None or not isinstance(device, str):
            raise NotLeased("no_such_device", device=shown(str(device)), devices=tuple(self._devices))
        if self._lease:
            raise NotLeased("lent_already", device=self._lease.device, to=self._lease.to)
        if any(each.is_out for each in self._devices.values()):
            raise NotLeased("not_back_yet")
        if self._table.disk:
            raise NotLeased("lease_disk_out", todo=self._table.disk.todo)
        if self._table.budget.is_spent("people"):
            raise NotLeased("lent_too_often")
        check(self._table.shoe, open_shoe)
        with not_of_a_connection():
            known = leasable.lease(to, person)
        log.info("the %s %s lent to %s", device, "are" if device.endswith("s") else "is", to)
        self._lease, self._last_pid = Lease(device, to, now()["at"], pid), pid
        return known

    def passed(self, session: object, seq: object) -> None:
        """Count a test card. Raises ValueError unless the values are a report number of a leased reader."""
        if not (self._lease and isinstance(session, int) and isinstance(seq, int) and 0 <= session <= LAST_SESSION):
            raise ValueError("no report number of a lent reader")
        with not_of_a_connection():
            self._devices[self._lease.device].passed(ReportNo(session, seq % 256))

    def leave(self, restore: object) -> None:
        """Keep bytes (hex) that restore the device if the command is killed. Raises ValueError."""
        self._restore = bytes.fromhex(str(restore))

    def release(self, cut_short: bool = True) -> None:
        """End the lease. cut_short: the device was not given back."""
        lease, self._lease = self._lease, None
        restore, self._restore = self._restore, None
        if lease:
            with not_of_a_connection():
                self._devices[lease.device].reclaim(restore, cut_short)


def check(shoe: Shoe, open_shoe: bool) -> None:
    """Raise NotLeased while a card is between shoe and discard rack, or a shoe is open without `open_shoe`."""
    where = phase(shoe)
    if where is Phase.BURNING:
        raise NotLeased("lease_in_burn")
    if where not in OUTSIDE_A_ROUND or shoe.laid or shoe.overdrawn:
        raise NotLeased("lease_in_round", round=shoe.round)
    if where is Phase.READY and shoe.house.betting == "required":
        raise NotLeased("lease_bets_closed", round=shoe.round)
    if shoe.held:
        raise NotLeased("lease_cards_held", count=len(shoe.held))
    if shoe.status == "open" and not open_shoe:
        raise NotLeased("lease_shoe_open", shoe=shoe.number)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
