"""Checks of the broker (connection and rights of this client) and of the store behind it."""

import asyncio
import errno
import logging
import os
import socket
import ssl
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from firmware_bridge.cli.check.finding import RESTART, UNIT, Machine, failed
from firmware_bridge.cli.watch.machine import far
from firmware_bridge.config.findings import Finding, unseen
from firmware_bridge.config.load import broker_settings
from firmware_bridge.config.plain import warn
from firmware_bridge.config.sections import MqttConfig
from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.facts.book.refusals import Phrase
from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.files import file_name
from firmware_bridge.journal.messages import messages
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.mqtt.client import QuickConnection
from firmware_bridge.mqtt.errors import BrokerErrors, alert_row
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import (
    LARGEST_MESSAGE,
    BrokerSettings,
    Incoming,
    Message,
    NotPem,
    tls_context,
)
from firmware_bridge.topics.texts.refusals import english, failure

ANSWER_S: Final = 25.0
"""Seconds for name server, TCP, TLS and CONNECT with both protocol versions; each has a limit of its own."""

PATIENT_S: Final = 1.0
"""Seconds of waiting after which a terminal shows what is waited for."""

CREDENTIALS: Final = f"/run/credentials/{UNIT}/"
CREDSTORE: Final = f"/etc/credstore/{UNIT.removesuffix('service')}"
LOCAL: Final = ("127.0.0.1", "localhost", "::1")
REMEDY = "start the receiver, or see its log; no journal is deleted until it has everything"

REACH_S: Final = 3.0
"""Longest wait for a connection that is only looked at."""

ECHO_S: Final = 2.0
"""Seconds within which a broker of MQTT 3.1.1 forwards an accepted message."""

Answer = TypeVar("Answer")


def broker(machine: Machine) -> Iterator[Finding]:
    """Check whether the broker accepts this client, tried by another id; or the link of a daemon that has read this."""
    mqtt = machine.config.mqtt
    try:
        mqtt = replace(mqtt, password_file=_secret(machine, mqtt.password_file), key=_secret(machine, mqtt.key))
        _may_read(mqtt)
        settings = broker_settings(replace(machine.config, mqtt=mqtt))
    except ConfigError as error:
        yield Finding("FAIL", "broker", error.what, error.hint)
        return
    yield from in_clear(settings)
    yield from _seen_by_others(mqtt)
    if mqtt.password_file:
        yield from unseen("broker", "[mqtt] password_file", Path(mqtt.password_file))
    files = (mqtt.password_file, mqtt.ca, mqtt.cert, mqtt.key)
    if machine.daemon and machine.has_read("mqtt", "table", files=files):
        yield held(machine.daemon["broker"], settings)
        return
    prefix = f"{machine.config.mqtt.root}/{machine.config.table.id}"
    tries = {"check": b"{}"} | largest_messages(Path(machine.config.journal.dir))
    found = asyncio.run(_connect(replace(settings, client_id=f"{settings.client_id}-check"), prefix, tries))
    if isinstance(found, int):
        version, topics = {4: "3.1.1", 5: "5"}[found], ", ".join(tries)
        what = f"{settings.address} accepts this shoe (MQTT {version}) and what it writes to {topics}"
        if machine.daemon:
            yield Finding("WARN", "broker", f"{what}; the daemon has not read these settings yet", RESTART)
        else:
            yield Finding("OK", "broker", f"{what}; not tried: whether orders come through")
    else:
        yield failed("broker", english(found))


def held(link: dict[str, Any], settings: BrokerSettings) -> Finding:
    """Return the finding about the link of a daemon, by its status."""
    if shared := link["shared"]:
        return failed("broker", failure("en", shared))
    if link["up"] and (why := link["why_down"]):
        return failed("broker", f"the daemon is connected again and again, {failure('en', why)}")
    if link["up"] and (fault := link["fault"]):
        return failed("broker", failure("en", fault))
    if link["up"]:
        return Finding("OK", "broker", f"{settings.address}, the daemon is connected (MQTT {link['protocol']})")
    return failed("broker", f"the daemon is not connected, {failure('en', link['why_down'])}")


def _secret(machine: Machine, path: str | None) -> str | None:
    """Return a secret's file: of the unit's credentials that are not there, as it is stopped, the file they come from.

    Raises ConfigError where that is missing.
    """
    if path is None or not path.startswith(CREDENTIALS) or machine.at(path).exists():
        return path
    source = machine.at(f"{CREDSTORE}{Path(path).name}")
    if not source.exists():
        what = f"{path} comes from {source}, which is missing"
        raise ConfigError(what, f"write the secret there: sudo install -m 0600 /dev/stdin {source}")
    return str(source)


def _may_read(mqtt: MqttConfig) -> None:
    """Raise PermissionError for a file of `[mqtt]` that this user may not read: only the daemon and root may."""
    for name in filter(None, (mqtt.password_file, mqtt.ca, mqtt.cert, mqtt.key)):
        if Path(name).exists() and not os.access(name, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)


def in_clear(settings: BrokerSettings) -> Iterator[Finding]:
    """Warn if rounds and password travel unprotected."""
    if not settings.encrypted and settings.host not in LOCAL:
        what = f"{settings.address} is used without TLS: anyone on the network can read and change rounds"
        yield Finding("WARN", "broker", what, "set [mqtt] ca, and the broker's TLS port")


def _seen_by_others(mqtt: MqttConfig) -> Iterator[Finding]:
    """Warn of a secret that other users of this machine can read."""
    for key, name in (("password_file", mqtt.password_file), ("key", mqtt.key)):
        if name and stat.S_IMODE(Path(name).stat().st_mode) & 0o077:
            what = f"[mqtt] {key} {name} can be read by others on this machine"
            yield Finding("WARN", "broker", what, f"sudo chmod 0600 {name}")


async def _connect(settings: BrokerSettings, prefix: str, tries: Mapping[str, bytes]) -> int | Phrase:
    """Connect once and write `tries`; return the accepted protocol level, or the broker's reason for refusing.

    By MQTT 3.1.1 a message counts when it has come back: brokers acknowledge what they drop.
    """
    loop, found = asyncio.get_running_loop(), asyncio.Queue[int | Phrase]()
    report, errors = found.put_nowait, BrokerErrors(settings)
    topics = [f"{prefix}/{name}" for name in tries]
    left, level = set(topics), 5
    mids: dict[int, str] = {}

    def write() -> None:
        nonlocal level
        level = link.protocol or level
        left.update(topics)
        for topic, payload in zip(topics, tries.values(), strict=True):
            mids[link.publish(topic, payload)] = topic
        if level != 5:
            loop.call_later(ECHO_S, lambda: report(errors.failure("no_echo", topic=min(left, default=topics[0]))))

    def arrived(topic: str) -> None:
        left.discard(topic)
        if not left:
            report(link.fault or level)

    def received(message: Incoming) -> None:
        if not message.retained and message.topic in topics and level != 5:
            arrived(message.topic)

    def acknowledged(mid: int) -> None:
        if level == 5:
            arrived(mids[mid])

    link = Link(
        settings, loop, will=lambda: Message(topics[0], b"{}", qos=0), topics=(f"{prefix}/command",),
        own=lambda version: () if version == 5 else topics, on_up=write, on_down=report,
        on_fault=lambda: report(link.fault or level),
        on_delivered=acknowledged, on_message=received, driver=QuickConnection, largest=LARGEST_MESSAGE,
    )  # fmt: skip
    got = await first(link, found, errors.failure("silence"))
    row = link.failure
    return errors.failure(seen) if row and (seen := row_of_hang_up(settings, row)) != row else got


def row_of_hang_up(settings: BrokerSettings, row: str) -> str:
    """Return the code of a hang-up, found by a TLS handshake without CONNECT; another code as given."""
    if row not in ("hung_up", "hung_up_tls"):
        return row
    try:
        with socket.create_connection((settings.host, settings.port), REACH_S) as sock:
            if settings.encrypted:
                context = settings.tls or tls_context(settings.ca, settings.cert, settings.key)
                with context.wrap_socket(sock, server_hostname=settings.host) as tls:
                    tls.recv(1)
            else:
                context = ssl.create_default_context()
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                with context.wrap_socket(sock):
                    return "wants_tls"
    except ssl.SSLError as error:
        found = alert_row(str(error))
        return found if found and settings.encrypted else "wants_tls" if found == "wants_certificate" else row
    except (OSError, NotPem):
        pass
    return row


async def first(link: Link, found: asyncio.Queue[Answer], silent: Answer) -> Answer:
    """Run a link until the first answer is found, then close it; return it, or `silent` after `ANSWER_S`."""
    log = logging.getLogger("firmware_bridge")
    before = log.level
    log.setLevel(logging.CRITICAL)  # the link's warnings become findings
    waits = asyncio.get_running_loop().call_later(PATIENT_S, _say_that_it_waits)
    try:
        link.start()
        return await asyncio.wait_for(found.get(), ANSWER_S)
    except TimeoutError:
        return silent
    finally:
        waits.cancel()
        await link.close(None)
        log.setLevel(before)


def _say_that_it_waits() -> None:
    """Write on a terminal what the command waits for."""
    if sys.stderr and sys.stderr.isatty():
        warn(f"asking the broker .. (it has {ANSWER_S:g} s to answer)")


def store(machine: Machine) -> Iterator[Finding]:
    """Check that the receiver of `[mqtt] stored` has all that was sent, by the daemon's status; nothing without one."""
    link = machine.daemon["broker"] if machine.daemon else {}
    receiver = link.get("store")
    if not receiver:
        if machine.config.mqtt.stored and not machine.daemon:
            what = f"not tried whether {machine.config.mqtt.stored} has everything: the daemon does not run"
            yield Finding("WARN", "store", what, "start the daemon, then shoe check")
        return
    alarms = machine.daemon["alarm"]["open"] if machine.daemon else []
    if any(each["id"] == "store_silent" for each in alarms):
        yield Finding("FAIL", "store", far(receiver), REMEDY)
    elif receiver["refused"]:
        yield Finding(
            "WARN", "store", far(receiver), "only the configured receiver counts, and only for what it has committed"
        )
    else:
        yield Finding("OK", "store", far(receiver))


def largest_messages(directory: Path) -> dict[str, bytes]:
    """Return the largest message of `event` and of `round` delivered, of the newest journal there; no entry if none.

    To send one again changes nothing: every backend drops a repeat.
    """
    found = dict[str, bytes]()
    for topic, payload in _delivered(directory):
        if len(payload) > len(found.get(topic, b"")):
            found[topic] = payload
    return found


def last_round(directory: Path) -> bytes | None:
    """Return the last message of `round` that was delivered, of the newest journal there; None if none."""
    return next((payload for topic, payload in reversed(_delivered(directory)) if topic == "round"), None)


def _delivered(directory: Path) -> list[tuple[str, bytes]]:
    """Return topic and payload of what the broker has of the newest journal that it has a part of, in order."""
    sent: list[tuple[str, bytes]] = []
    try:
        cursor = read_cursor(directory / "cursor")
        if cursor is None:
            return sent
        for line, _ in read_lines(Place(directory / file_name(cursor.journal), 0)):
            if line.public.seq > cursor.seq:
                break
            sent += [(each.topic, each.payload) for each in messages(line) if each.topic in ("event", "round")]
    except (JournalError, OSError):
        pass  # reported by the checks of disk and journal
    return sent
