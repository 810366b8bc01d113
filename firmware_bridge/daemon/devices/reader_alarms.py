"""What people are shown of a reader that is not understood, and of other programs at its port."""

import asyncio
import logging
from typing import Final

from msgspec.structs import replace

from firmware_bridge.daemon.devices.hearing import Fault
from firmware_bridge.daemon.table.fair_turns import begun
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from hardware.connections import SOCKET
from hardware.errors import PortError
from hardware.holders import holders, is_console
from hardware.ports import BY_ID

log = logging.getLogger(__name__)

NOT_UNDERSTOOD: Final = "reader_not_understood"
"""The alarm for bytes that are not understood."""

UNANSWERED: Final = "reader_unanswered"
"""The alarm for a command that stays unanswered."""

UNKNOWN: Final = ("unknown code", "no code book")
"""The reasons of a card that was read and is in no book."""

SHARED: Final = "shared port"
"""The reason of such a card where another program is at the reader's port: bytes may be missing."""


SETTLED_S: Final = 1.0
"""Seconds that a port is open before others at it are looked up: one that opens and dies costs no look."""


def reason(error: PortError) -> Phrase:
    """Return why a port is lost, by code and values."""
    values: dict[str, Value] = dict(error.values)
    if isinstance(found := values.get("found"), tuple):
        values["found"] = (
            phrase("readers_found", readers=found) if found else phrase("no_usb_reader", folder=str(BY_ID))
        )
    return Phrase(error.code, values)


def show_fault(table: Table, protocol: str, fault: Fault) -> None:
    """Show the alarm of what is heard of a reader, and no other of them."""
    for name in (NOT_UNDERSTOOD, UNANSWERED):
        table.unwarn(name)
    if fault == "not_understood":
        table.warn(NOT_UNDERSTOOD, protocol=protocol)
    elif fault:
        table.warn(UNANSWERED, protocol=protocol)


class Holders:
    """Other programs at a reader's port, looked up after each opening that lasts. found: their names."""

    def __init__(self, port: str, loop: asyncio.AbstractEventLoop) -> None:
        self._port, self._loop = port, loop
        self.found: list[str] = []
        self._looking: asyncio.Task[None] | None = None

    def opened(self) -> None:
        """Look for other programs at the port: programs that opened the port before are not kept out of it."""
        self.closed()
        if not self._port.startswith(SOCKET):
            self._looking = begun(self._look(), self._loop)

    def closed(self) -> None:
        """Forget the programs at the port: the port was closed or lost."""
        self.found = []
        if self._looking:
            self._looking.cancel()
            self._looking = None

    def named(self, fact: inputs.AnyInput) -> inputs.AnyInput:
        """Return the input, which says of an unknown code that other programs are at the port, where they are."""
        if self.found and isinstance(fact, inputs.CardUnread) and fact.reason in UNKNOWN:
            return replace(fact, reason=SHARED)
        return fact

    async def _look(self) -> None:
        await asyncio.sleep(SETTLED_S)
        self.found = await asyncio.to_thread(holders, self._port)
        if self.found:
            who = ", ".join(self.found)
            log.warning("the reader's port is open in %s, too: stop that program, else cards are lost", who)
        if is_console(self._port):
            log.warning("the reader's port is the console of the operating system: see shoe check")
