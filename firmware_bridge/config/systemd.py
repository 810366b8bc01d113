"""Notifies systemd that the daemon is ready and alive (sd_notify)."""

import os
import socket
from typing import Final

LONGEST_BEAT_S: Final = 1.0
"""Longest interval between watchdog beats in seconds, however patient systemd is: a late loop misses beats before it is
killed."""


class Systemd:
    """Notification socket of the unit; does nothing where there is none."""

    def __init__(self) -> None:
        address = os.environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) if address else None
        usec = os.environ.get("WATCHDOG_USEC", "0")
        mine = os.environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self.beat_s = min(int(usec) / 1_000_000 / 3, LONGEST_BEAT_S) if usec.isdigit() and mine else 0.0

    def notify(self, *states: str) -> None:
        """Send states such as `READY=1`. A full or missing socket is ignored."""
        if self._socket is None:
            return
        try:
            self._socket.sendto("\n".join(states).encode(), socket.MSG_DONTWAIT, self._address)
        except OSError:
            return
