"""Checks of the broker (whether it can be reached, and accepts this client) and of the store behind it."""

from __future__ import annotations

import asyncio
import logging
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from firmware_bridge.cli.check.finding import Finding, Machine, failed
from firmware_bridge.cli.watch.screen import far
from firmware_bridge.config.load import broker_settings
from firmware_bridge.config.sections import MqttConfig
from firmware_bridge.errors import ConfigError
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import BrokerSettings, Message
from firmware_bridge.mqtt.words import silence

ANSWER_S: Final = 25.0
"""Long enough for name server, TCP, TLS and CONNECT with both protocol versions, each of which has its own limit."""

LOCAL: Final = ("127.0.0.1", "localhost", "::1")
REMEDY = "start the receiver, or see its log; until it has them, no journal is deleted"

Answer = TypeVar("Answer")


def broker(machine: Machine) -> Iterator[Finding]:
    """Whether the broker takes us, asked under another client id; the daemon's own link if it runs."""
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
        yield Finding("OK", "broker", f"{settings.address} lets us in (MQTT {version})")
    else:
        yield failed("broker", found)


def _held(link: dict[str, Any], settings: BrokerSettings) -> Finding:
    if shared := link["shared"]:
        return failed("broker", shared)
    if link["up"]:
        return Finding("OK", "broker", f"{settings.address}, the daemon is connected (MQTT {link['protocol']})")
    return failed("broker", f"the daemon is not connected, {link['why_down']}")


def in_clear(settings: BrokerSettings) -> Iterator[Finding]:
    """A warning where rounds and password travel unprotected."""
    if not settings.encrypted and settings.host not in LOCAL:
        what = f"{settings.address} is reached without TLS: anybody on the network can read and change rounds"
        yield Finding("WARN", "broker", what, "set [mqtt] ca, and the broker's TLS port")


def _seen_by_others(mqtt: MqttConfig) -> Iterator[Finding]:
    """A warning for a secret that others on this machine can read."""
    for key, name in (("password_file", mqtt.password_file), ("key", mqtt.key)):
        if name and stat.S_IMODE(Path(name).stat().st_mode) & 0o077:
            what = f"[mqtt] {key} {name} can be read by others on this machine"
            yield Finding("WARN", "broker", what, f"sudo chmod 0600 {name}")


async def _connect(settings: BrokerSettings, topic: str) -> int | str:
    """Connect once and write `topic`: the protocol level the broker took, or why it took none."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[int | str] = loop.create_future()

    def tell(found: int | str) -> None:
        if not answer.done():
            answer.set_result(found)

    will = Message(topic, b"{}", qos=0)
    level = 5

    def write() -> None:
        nonlocal level
        level = link.protocol or level
        link.publish(topic, b"{}")

    link = Link(settings, lambda: will, (), lambda _: (), write, tell, lambda _: tell(level), lambda _: None, loop)
    return await answered(link, answer, silence(settings))


async def answered(link: Link, answer: asyncio.Future[Answer], silent: Answer) -> Answer:
    """Run a link until `answer` is set, then close it; `silent` after `ANSWER_S`."""
    with _unlogged():
        link.start()
        try:
            return await asyncio.wait_for(answer, ANSWER_S)
        except TimeoutError:
            return silent
        finally:
            await link.close(None)


@contextmanager
def _unlogged() -> Iterator[None]:
    """Keep the link's warnings out of the log: each is a finding."""
    log = logging.getLogger("firmware_bridge")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def store(machine: Machine) -> Iterator[Finding]:
    """Whether the receiver of `[mqtt] stored` has what was sent, as the daemon knows it; nothing where none counts."""
    link = machine.daemon["broker"] if machine.daemon else {}
    told = link.get("store")
    if not told:
        return
    alarms = machine.daemon["alarm"]["open"] if machine.daemon else []
    if any(each["id"] == "store_silent" for each in alarms):
        yield Finding("FAIL", "store", far(told), REMEDY)
    elif told["refused"]:
        yield Finding("WARN", "store", far(told), "one receiver counts, and says only what it committed")
    else:
        yield Finding("OK", "store", far(told))
