"""Checks of the card reader: its port, and its code book."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from firmware_bridge import codes
from firmware_bridge.cli.checks.finding import Finding, Machine, failed
from firmware_bridge.errors import ConfigError
from hardware.errors import PortError
from hardware.port import SOCKET, Port
from hardware.readers import BAUD
from hardware.tty import close_tty, open_tty

ANSWER_S: Final = 6.0
"""A reader on the network has this long to take a connection."""


def reader(machine: Machine) -> Iterator[Finding]:
    """Whether the port can be opened, and who has it if not."""
    if machine.daemon:
        yield _held(machine.daemon["reader"])
        return
    config = machine.config.reader
    baud = config.baud or BAUD[config.protocol]
    try:
        if config.port.startswith(SOCKET):
            asyncio.run(_connect(config.port, baud))
        else:
            close_tty(open_tty(config.port, baud))
    except PortError as error:
        yield failed("reader", str(error))
    else:
        yield Finding("OK", "reader", f"{config.protocol} at {config.port}, free to open")


def _held(status: dict[str, Any]) -> Finding:
    what = f"{status['protocol']} at {status['port']}"
    if not status["open"]:
        return Finding("FAIL", "reader", f"{what}: the daemon cannot open it", "check its cable; see `shoe status`")
    if status["lost"]:
        return Finding("FAIL", "reader", f"{what}: open, but silent", "check the reader's power and cable")
    return Finding("OK", "reader", f"{what}, held by the daemon")


async def _connect(target: str, baud: int) -> None:
    """Open a reader on the network once. Raises PortError."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[PortError | None] = loop.create_future()

    def tell(why: PortError | None = None) -> None:
        if not answer.done():
            answer.set_result(why)

    port = Port(target, baud, loop, lambda _: None, tell, tell)
    port.start()
    try:
        why = await asyncio.wait_for(answer, ANSWER_S)
    except TimeoutError:
        why = PortError(f"{target} does not answer: check the reader's power and network cable")
    finally:
        port.close()
    if why:
        raise why


def code_book(machine: Machine) -> Iterator[Finding]:
    """Whether the reader's code book can be read, and is one."""
    path = machine.config.reader.code_book
    if path is None:
        return
    try:
        book = codes.load(Path(path), machine.config.table.decks)
    except ConfigError as error:
        for line in error.what.splitlines():
            yield Finding("FAIL", "code book", line, error.hint)
        return
    cards = {known.card for known in book.values() if known.card}
    yield Finding("OK", "code book", f"{path}: {len(book)} codes of {len(cards)} cards")
