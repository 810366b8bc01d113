"""`shoe retire`: clears the retained topics of a table that is no longer used."""

import argparse
import asyncio
import sys
from contextlib import suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from firmware_bridge.cli.check.broker import first
from firmware_bridge.cli.check.finding import failed
from firmware_bridge.cli.daemon_socket import config_option
from firmware_bridge.config.load import broker_settings, load
from firmware_bridge.config.plain import say
from firmware_bridge.config.sections import TopicWord
from firmware_bridge.errors import BridgeError, UsageError
from firmware_bridge.facts.book.refusals import Phrase
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.games import GAMES
from firmware_bridge.mqtt.errors import BrokerErrors
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message
from firmware_bridge.topics.texts.refusals import english

LISTEN_S: Final = 1.0
"""Seconds after a subscription within which a broker sends what it retains."""

RETAINED: Final = {
    *("status", "table", "lamps", "alarm", "health", "odds", "checkpoint"),
    *(topic.name for game in GAMES.values() for topic in game.topics),
}
"""Retained topics of a table."""

OF_OTHERS: Final = "witnessed"
"""Retained for a table by its back office: the user of that alone may write it."""


class NotRetired(BridgeError):
    """Table that was not retired, and why."""


class _Status(msgspec.Struct):
    """The part of `status` that shows whether a daemon is online."""

    state: str = ""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe retire`."""
    config_option(parser)
    parser.add_argument("--table", metavar="NAME", help="another table at the same broker (default: the config's)")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--online", action="store_true", help="even if a daemon of that name is online")


def run(arguments: argparse.Namespace) -> int:
    """Empty a table's retained topics; return 0, or 1 if not confirmed. Raises NotRetired, UsageError, ConfigError."""
    config = load(arguments.config)
    settings = broker_settings(config)
    settings = replace(settings, client_id=f"{settings.client_id}-retire")
    name = arguments.table or config.table.id
    try:
        msgspec.convert(name, TopicWord)
    except msgspec.ValidationError:
        raise UsageError(f"{name!r} is not a table's name", "write it as in the topics") from None
    prefix = f"{config.mqtt.root}/{name}"
    kept = asyncio.run(_talk(settings, prefix, ()))
    if not arguments.online and is_online(kept.get("status", b"")):
        raise NotRetired(f"a daemon is online as {prefix}", "stop it first, or give --online")
    if not kept:
        say(f"the broker retains nothing of {prefix} that this user may read")
    if not arguments.yes and not _agreed(prefix, kept):
        say("nothing was changed")
        return 1
    asyncio.run(_talk(settings, prefix, sorted(RETAINED | set(kept))))
    left = asyncio.run(_talk(settings, prefix, ()))
    if left.pop(OF_OTHERS, b""):
        say(f"{prefix}/{OF_OTHERS} stays: the back office's user alone may empty it (mosquitto_pub -r -n)")
    if left:
        hint = "let this user write there (shoe help broker), or stop the daemon of that name"
        raise NotRetired(f"the broker still retains {', '.join(sorted(left))} of {prefix}", hint)
    say(f"{prefix} is retired: emptied {', '.join(sorted(kept)) or 'nothing'}")
    return 0


def is_online(status: bytes) -> bool:
    """Return whether a message of the topic `status` shows a daemon online; False for an unknown content."""
    with suppress(Undecodable):
        return from_json(status, _Status).state == "online"
    return False


def _agreed(prefix: str, kept: dict[str, bytes]) -> bool:
    say(f"The broker will delete the last messages of {prefix}: {', '.join(sorted(kept)) or 'all it retains'}.")
    print("The journal stays. Continue? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


async def _talk(settings: BrokerSettings, prefix: str, empty: tuple[str, ...] | list[str]) -> dict[str, bytes]:
    """Empty these topics; without any, read what is retained. Raises NotRetired."""
    loop, done = asyncio.get_running_loop(), asyncio.Queue[Phrase | None]()
    report = done.put_nowait
    kept: dict[str, bytes] = {}
    flying: set[int] = set()

    def up() -> None:
        flying.update(link.publish(f"{prefix}/{name}", b"", retain=True) for name in empty)
        if not flying:
            loop.call_later(LISTEN_S, report, None)

    def delivered(mid: int) -> None:
        flying.discard(mid)
        if not flying:
            report(None)

    def received(message: Incoming) -> None:
        if message.retained and message.payload:
            kept[message.topic.removeprefix(f"{prefix}/")] = message.payload

    will = Message(f"{prefix}/check", b"", qos=0)
    topics = () if empty else (f"{prefix}/#",)
    link = Link(
        settings, loop, will=lambda: will, topics=topics,
        on_up=up, on_down=report, on_delivered=delivered, on_message=received,
    )  # fmt: skip
    if why := await first(link, done, BrokerErrors(settings).failure("silence")):
        found = failed("broker", english(why))
        raise NotRetired(found.text, found.remedy)
    return kept
