"""Checks of the broker (connection, rights of this client and of one without a login) and of the store behind it."""

import asyncio
import logging
import secrets
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from msgspec.structs import replace

from firmware_bridge.cli.check.finding import Finding, Machine, failed
from firmware_bridge.cli.watch.screen import far
from firmware_bridge.config.load import broker_settings
from firmware_bridge.config.sections import MqttConfig
from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.files import file_name
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.mqtt.errors import BrokerErrors
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message
from firmware_bridge.topics.event_and_round import messages

ANSWER_S: Final = 25.0
"""Seconds for name server, TCP, TLS and CONNECT with both protocol versions; each has a limit of its own."""

LOCAL: Final = ("127.0.0.1", "localhost", "::1")
REMEDY = "start the receiver, or see its log; no journal is deleted until it has everything"

Answer = TypeVar("Answer")


def broker(machine: Machine) -> Iterator[Finding]:
    """Whether the broker accepts this client, tried under another client id; the daemon's own link if it runs."""
    try:
        settings = broker_settings(machine.config)
    except ConfigError as error:
        yield Finding("FAIL", "broker", error.what, error.hint)
        return
    yield from in_clear(settings)
    yield from _seen_by_others(machine.config.mqtt)
    if machine.daemon:
        yield _held(machine.daemon["broker"], settings)
        return
    topic = f"{machine.config.mqtt.root}/{machine.config.table.id}/check"
    found = asyncio.run(_connect(replace(settings, client_id=f"{settings.client_id}-check"), topic))
    if isinstance(found, int):
        version = {4: "3.1.1", 5: "5"}[found]
        yield Finding("OK", "broker", f"{settings.address} accepts this shoe (MQTT {version})")
    else:
        yield failed("broker", found)


def _held(link: dict[str, Any], settings: BrokerSettings) -> Finding:
    if shared := link["shared"]:
        return failed("broker", shared)
    if link["up"]:
        return Finding("OK", "broker", f"{settings.address}, the daemon is connected (MQTT {link['protocol']})")
    return failed("broker", f"the daemon is not connected, {link['why_down']}")


def in_clear(settings: BrokerSettings) -> Iterator[Finding]:
    """Warns if rounds and password travel unprotected."""
    if not settings.encrypted and settings.host not in LOCAL:
        what = f"{settings.address} is used without TLS: anyone on the network can read and change rounds"
        yield Finding("WARN", "broker", what, "set [mqtt] ca, and the broker's TLS port")


def _seen_by_others(mqtt: MqttConfig) -> Iterator[Finding]:
    """Warns of a secret that other users of this machine can read."""
    for key, name in (("password_file", mqtt.password_file), ("key", mqtt.key)):
        if name and stat.S_IMODE(Path(name).stat().st_mode) & 0o077:
            what = f"[mqtt] {key} {name} can be read by others on this machine"
            yield Finding("WARN", "broker", what, f"sudo chmod 0600 {name}")


async def _connect(settings: BrokerSettings, topic: str) -> int | str:
    """Connects once and writes `topic`: the accepted protocol level, or the broker's reason for refusing."""
    loop, found = asyncio.get_running_loop(), asyncio.Queue[int | str]()
    report, will = found.put_nowait, Message(topic, b"{}", qos=0)
    level = 5

    def write() -> None:
        nonlocal level
        level = link.protocol or level
        link.publish(topic, b"{}")

    link = Link(settings, loop, will=lambda: will, on_up=write, on_down=report, on_delivered=lambda _: report(level))
    return await first(link, found, BrokerErrors(settings).text("silence"))


async def first(link: Link, found: asyncio.Queue[Answer], silent: Answer) -> Answer:
    """Runs a link until the first answer is found, then closes it; `silent` after `ANSWER_S`."""
    log = logging.getLogger("firmware_bridge")
    before = log.level
    log.setLevel(logging.CRITICAL)  # the link's warnings become findings
    try:
        link.start()
        return await asyncio.wait_for(found.get(), ANSWER_S)
    except TimeoutError:
        return silent
    finally:
        await link.close(None)
        log.setLevel(before)


def store(machine: Machine) -> Iterator[Finding]:
    """Whether the receiver of `[mqtt] stored` has all that was sent, by the daemon's status; nothing without one."""
    link = machine.daemon["broker"] if machine.daemon else {}
    receiver = link.get("store")
    if not receiver:
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


REACH_S: Final = 3.0
ECHO_S: Final = 2.0
"""Seconds within which a broker of MQTT 3.1.1 forwards an accepted message."""

NO_ORDER: Final = b""
"""Payload that the daemon answers without obeying or journaling it."""

GIVE_RIGHTS: Final = "give the broker users and an ACL; to copy one: shoe help broker"

Got = Literal["nothing", "in", "through"]
"""How far a client without a login got: refused, connected, or its message delivered."""


def stranger(machine: Machine) -> Iterator[Finding]:
    """Whether a client without a login may give this table's orders or settle its rounds; nothing is changed by it.

    It sends an invalid order, and the last round the broker has had, which every backend drops as a repeat.
    """
    try:
        settings = broker_settings(machine.config)
    except ConfigError:
        return  # reported by the check of the broker
    if not _is_there(settings):
        return
    prefix = f"{machine.config.mqtt.root}/{machine.config.table.id}"
    tries = {"give this table's orders": (f"{prefix}/command", NO_ORDER)}
    if (last := _last_round(Path(machine.config.journal.dir))) is not None:
        tries["settle this table's rounds"] = f"{prefix}/round", last
    got = {what: asyncio.run(_try(_without_login(settings), *each)) for what, each in tries.items()}
    may = [what for what, how_far in got.items() if how_far == "through"]
    if may:
        level: Literal["WARN", "FAIL"] = "WARN" if settings.host in LOCAL else "FAIL"
        yield Finding(
            level, "stranger", f"anyone who can reach {settings.address} can {' and '.join(may)}", GIVE_RIGHTS
        )
    elif "in" in got.values():
        yield Finding(
            "OK", "stranger", f"{settings.address} accepts a client without a login, but none of its messages"
        )
    else:
        yield Finding("OK", "stranger", f"{settings.address} refuses a client without a login")


def _without_login(settings: BrokerSettings) -> BrokerSettings:
    name = f"stranger-{secrets.token_hex(4)}"
    return replace(settings, client_id=name, username=None, password=None, cert=None, key=None)


def _is_there(settings: BrokerSettings) -> bool:
    try:
        socket.create_connection((settings.host, settings.port), REACH_S).close()
    except OSError:
        return False
    return True


def _last_round(directory: Path) -> bytes | None:
    """The last message of the topic `round` delivered to the broker, from its newest journal; None if there is none."""
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
        return None  # reported by the checks of disk and journal
    return last


async def _try(settings: BrokerSettings, topic: str, payload: bytes) -> Got:
    """How far a client with these settings gets with a message."""
    loop, found = asyncio.get_running_loop(), asyncio.Queue[Got]()
    report, was_in = found.put_nowait, asyncio.Event()

    def write() -> None:
        was_in.set()
        link.publish(topic, payload)
        if link.protocol != 5:
            loop.call_later(ECHO_S, report, "in")

    def acknowledged(_: int) -> None:
        if link.protocol == 5:
            report("through")

    def received(message: Incoming) -> None:
        if message.payload == payload and not message.retained:
            report("through")

    def down(_: str) -> None:
        report("in" if was_in.is_set() else "nothing")

    will = Message(f"{topic}/will", b"", qos=0)
    link = Link(
        settings, loop, will=lambda: will, own=lambda _: (topic,),
        on_up=write, on_down=down, on_delivered=acknowledged, on_message=received,
    )  # fmt: skip
    return await first(link, found, "nothing")
