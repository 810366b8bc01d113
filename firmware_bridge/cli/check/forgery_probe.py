"""Check of what a client without a login may do at the broker."""

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from firmware_bridge.cli.check.broker import ECHO_S, LOCAL, first, last_round, row_of_hang_up
from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.config.findings import Finding
from firmware_bridge.config.load import broker_settings
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.book.refusals import Phrase
from firmware_bridge.mqtt.errors import SEEN
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message, NotPem, tls_context

NO_ORDER: Final = b""
"""Payload that the daemon answers without obeying or journaling it."""

GIVE_RIGHTS: Final = "give the broker users and an ACL; to copy one: shoe help broker"
TRY_AGAIN: Final = "see the line about the broker, then shoe check again"

ORDERS: Final = "give this table's orders"
SETTLES: Final = "settle this table's rounds"

REFUSALS: Final = ("login", "wants_certificate")
"""Codes of `SEEN` that prove that a client without a login is refused."""

Got = str
"""What came of a message: `through`, `dropped`, `unknown` if the broker does not say; else a row of FAILURES."""


def stranger(machine: Machine) -> Iterator[Finding]:
    """Check whether a client without a login may give this table's orders or settle its rounds; it changes nothing.

    It sends an invalid order, and the last round the broker has had, which every backend drops as a repeat.
    """
    try:
        settings = broker_settings(machine.config)
        alike = _without_login(settings)
    except (ConfigError, OSError, NotPem):
        yield _not_tried("without the files of [mqtt] there is no connection")
        return
    prefix = f"{machine.config.mqtt.root}/{machine.config.table.id}"
    tries = {ORDERS: (f"{prefix}/command", NO_ORDER)}
    if last := last_round(Path(machine.config.journal.dir)):
        tries[SETTLES] = f"{prefix}/round", last
    got: dict[str, Got] = {}
    for what, each in tries.items():
        got[what] = asyncio.run(_try(alike, *each))
        if got[what] in SEEN:
            break
    yield _finding(settings, got)


def _finding(settings: BrokerSettings, got: dict[str, Got]) -> Finding:
    """Return the finding about what came of each try."""
    at, (first_got, *_) = settings.address, got.values()
    if may := [what for what, each in got.items() if each == "through"]:
        level: Literal["WARN", "FAIL"] = "WARN" if settings.host in LOCAL else "FAIL"
        return Finding(level, "stranger", f"anyone who can reach {at} can {' and '.join(may)}", GIVE_RIGHTS)
    if first_got in REFUSALS:
        without = "certificate" if first_got == "wants_certificate" else "login"
        return Finding("OK", "stranger", f"{at} refuses a client without a {without}")
    if failures := [each for each in got.values() if each in SEEN]:
        return _not_tried(SEEN[failures[0]])
    if "unknown" in got.values():
        what = f"{at} accepts a client without a login; by MQTT 3.1.1 it does not say whether it drops its messages"
        return Finding("WARN", "stranger", what, GIVE_RIGHTS)
    if SETTLES not in got:
        what = f"{at} accepts a client without a login, but no order of it; not tried: a round, as none was sent yet"
        return Finding("OK", "stranger", what)
    return Finding("OK", "stranger", f"{at} accepts a client without a login, but none of its messages")


def _not_tried(why: str) -> Finding:
    return Finding("WARN", "stranger", f"not tried what a client without a login may do: {why}", TRY_AGAIN)


def _without_login(settings: BrokerSettings) -> BrokerSettings:
    """Return the same broker for a client without a login, by TLS if this table uses it. Raises OSError, NotPem."""
    name = f"stranger-{secrets.token_hex(4)}"
    tls = (settings.tls or tls_context(settings.ca, None, None)) if settings.encrypted else None
    return replace(settings, client_id=name, username=None, password=None, cert=None, key=None, tls=tls)


async def _try(settings: BrokerSettings, topic: str, payload: bytes) -> Got:
    """Return what comes of a message of a client with these settings."""
    loop, found = asyncio.get_running_loop(), asyncio.Queue[Got]()
    report, was_in = found.put_nowait, asyncio.Event()

    def write() -> None:
        was_in.set()
        link.publish(topic, payload)
        if link.protocol != 5:
            loop.call_later(ECHO_S, report, "unknown")

    def acknowledged(_: int) -> None:
        if link.protocol == 5:
            report("through")

    def received(message: Incoming) -> None:
        if message.payload == payload and not message.retained:
            report("through")

    def down(_: Phrase) -> None:
        row = link.failure or "no_connection"
        if was_in.is_set():
            report("dropped" if row == "not_taken" else "unknown")
        else:
            report(row_of_hang_up(settings, row))

    link = Link(
        settings, loop, will=lambda: Message(f"{topic}/will", b"", qos=0), own=lambda _: (topic,),
        on_up=write, on_down=down, on_delivered=acknowledged, on_message=received,
    )  # fmt: skip
    return await first(link, found, "silence")
