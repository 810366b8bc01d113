"""The time in which the journal takes nothing."""

from __future__ import annotations

import logging
from typing import Final

from firmware_bridge.daemon.table.stamps import nonce, now
from firmware_bridge.errors import DiskError
from firmware_bridge.facts import inputs
from firmware_bridge.facts.wire_states import Alarm

log = logging.getLogger(__name__)

NOT_READ: Final = DiskError("the journal is not read yet", "wait; a slow or failing card is in dmesg", "disk_error")
"""What keeps a table from play until its journal is open."""


class DiskOutage:
    """Why the journal takes nothing (`error`, None when it takes everything), and since when (ms since 1970).

    since: 0 until somebody was told: a start that goes well is no outage.
    """

    def __init__(self) -> None:
        self.error: DiskError | None = NOT_READ
        self.since = 0

    def go_on(self, error: DiskError) -> bool:
        """The journal takes nothing, or still nothing, because of this; whether that is news."""
        is_news = self.error is None or self.error.what != error.what
        if is_news:
            log.critical("%s", error)
        if is_first := self.error is None or not self.since:
            self.since = now()["at"]
        self.error = error
        return is_news or is_first

    def end(self) -> None:
        """The journal takes everything again."""
        self.error, self.since = None, 0

    def alarms(self) -> tuple[Alarm, ...]:
        """The alarm that says it, none when all is well."""
        lost = self.error
        return (Alarm(lost.irregularity, self.since, "critical", lost.what, lost.hint, True, ()),) if lost else ()

    def as_input(self) -> inputs.DiskFailed:
        """The outage up to now, for the journal that can be written again."""
        assert self.error
        is_full = self.error.irregularity == "disk_full"
        return inputs.DiskFailed(
            at=self.since,
            mono=now()["mono"],
            salt=nonce(),
            irregularity="disk_full" if is_full else "disk_error",
            why=self.error.what,
            until=now()["at"],
        )
