"""A table whose daemon is killed again and again, its broker and a subscriber: how every soak begins and ends."""

from __future__ import annotations

import signal
import time
from collections import Counter
from math import inf
from pathlib import Path
from random import Random
from typing import Any, Final

from firmware_bridge.journal.messages import messages
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.guests import Guests
from tests.soak.account import Account
from tests.soak.shuffled import Dealer

SETTLED_S: Final = 360.0


class KilledTable:
    """`kills` ends of the daemon within `minutes` at most, where there is a limit. sections: of the table's config."""

    dealer: Dealer | Guests

    def __init__(self, folder: Path, kills: int, random: Random, minutes: float = inf, **sections: Any) -> None:
        self.kills, self.give_up = kills, time.monotonic() + 60 * minutes
        self.done, self.random = Counter[str](), random
        self.broker = Broker(folder, persistence=True, options="max_queued_messages 0\nmax_inflight_messages 100")
        self.broker.start()
        self.backend = Backend(self.broker.port)
        self.table = DaemonTable(folder, self.broker.port, **sections)

    @property
    def goes_on(self) -> bool:
        """Whether kills are left, and time."""
        return self.done["kills"] < self.kills and time.monotonic() < self.give_up

    @property
    def lives(self) -> bool:
        """Whether the daemon has not ended by itself."""
        return self.table.process is not None and self.table.process.poll() is None

    def kill(self) -> None:
        """End the daemon where it stands."""
        self.table.kill()
        self.done["kills"] += 1

    def settled(self) -> Account:
        """What came of all, once the subscriber has the end of the journal, also behind the daemon's last word."""
        self.table.until(lambda: not self.table.board.waiting, SETTLED_S)
        while True:
            self.table.until(self.delivered, SETTLED_S)
            self.check_exit(self.table.stop())
            if self.delivered():
                break
            self.table.start()
        account = Account(self.table.lines(), self.backend.received, self.dealer.drawn, self.dealer.rounds)
        if self.done["daemons that fell"] or "Traceback" in self.table.log:
            account.faults.append("a daemon fell: see its stderr")
        return account

    def delivered(self) -> bool:
        """Whether the subscriber has the last message of the journal."""
        last = messages(self.table.last_line())[-1].payload
        return any(each.raw == last for each in self.backend.received[-400:])

    def check_exit(self, code: int) -> None:
        """A daemon that was not killed ends with 0, or by a SIGTERM that came before it could listen to one."""
        self.done["daemons that fell"] += code not in (0, -signal.SIGTERM)

    def close(self) -> None:
        """Put everything away."""
        self.table.close()
        self.backend.close()
        self.broker.kill()
