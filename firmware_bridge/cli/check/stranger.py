"""A check of the broker's rights, as a stranger meets them: a client without a login."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from firmware_bridge.cli.check.broker import LOCAL, answered
from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.config.load import broker_settings
from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.files import file_name
from firmware_bridge.journal.walk import Place, read_lines
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message
from firmware_bridge.topics.event_and_round import messages

REACH_S: Final = 3.0
ECHO_S: Final = 2.0
"""A broker of MQTT 3.1.1 passes on within so many seconds what it takes."""

NO_ORDER: Final = b""
"""The daemon answers it, and neither obeys nor journals it."""

REMEDY: Final = "give the broker users and an ACL: one to copy: shoe help broker"

Got = Literal["nothing", "in", "through"]
"""How far a stranger got: not past CONNECT, past it, or with a message to the others."""


def stranger(machine: Machine) -> Iterator[Finding]:
    """Whether a client without a login may give this table's orders or settle its rounds; nothing is changed by it.

    It sends an order that is none, and the last round that the broker has had, which every backend drops as a repeat.
    """
    try:
        settings = broker_settings(machine.config)
    except ConfigError:
        return  # told by the check of the broker
    if not _is_there(settings):
        return
    prefix = f"{machine.config.mqtt.root}/{machine.config.table.id}"
    tries = {"give this table's orders": (f"{prefix}/command", NO_ORDER)}
    if (last := _last_round(Path(machine.config.journal.dir))) is not None:
        tries["settle this table's rounds"] = f"{prefix}/round", last
    got = {what: asyncio.run(_try(_nobody(settings), *each)) for what, each in tries.items()}
    may = [what for what, how_far in got.items() if how_far == "through"]
    if may:
        level: Literal["WARN", "FAIL"] = "WARN" if settings.host in LOCAL else "FAIL"
        yield Finding(level, "stranger", f"whoever reaches {settings.address} may {' and '.join(may)}", REMEDY)
    elif "in" in got.values():
        yield Finding(
            "OK", "stranger", f"{settings.address} lets in a client without a login, and takes nothing from it"
        )
    else:
        yield Finding("OK", "stranger", f"{settings.address} turns away a client without a login")


def _nobody(settings: BrokerSettings) -> BrokerSettings:
    name = f"stranger-{secrets.token_hex(4)}"
    return replace(settings, client_id=name, username=None, password=None, cert=None, key=None)


def _is_there(settings: BrokerSettings) -> bool:
    try:
        socket.create_connection((settings.host, settings.port), REACH_S).close()
    except OSError:
        return False
    return True


def _last_round(directory: Path) -> bytes | None:
    """The last message of the topic `round` that the broker has had, in its newest journal; None where none is."""
    last = None
    try:
        cursor = read_cursor(directory / "cursor")
        if cursor is None:
            return None
        for line, _ in read_lines(Place(directory / file_name(cursor.journal), 0)):
            if line.public.seq > cursor.seq:
                break
            last = next((each.payload for each in messages(line) if each.topic == "round"), last)
    except (JournalError, OSError):
        return None  # told by the checks of disk and journal
    return last


async def _try(settings: BrokerSettings, topic: str, payload: bytes) -> Got:
    """How far a client with these settings gets with a message."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Got] = loop.create_future()

    def tell(how_far: Got) -> None:
        if not answer.done():
            answer.set_result(how_far)

    def write() -> None:
        was_in.append(True)
        link.publish(topic, payload)
        if link.protocol != 5:
            loop.call_later(ECHO_S, tell, "in")

    def acknowledged(_: int) -> None:
        if link.protocol == 5:
            tell("through")

    def heard(message: Incoming) -> None:
        if message.payload == payload and not message.retained:
            tell("through")

    def down(_: str) -> None:
        tell("in" if was_in else "nothing")

    was_in: list[bool] = []
    will = Message(f"{topic}/will", b"", qos=0)
    link = Link(settings, lambda: will, (), lambda _: (topic,), write, down, acknowledged, heard, loop)
    return await answered(link, answer, "nothing")
