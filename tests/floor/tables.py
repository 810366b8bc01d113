"""What simulated tables say, with the topics of their names and times of now: for everything that shows a floor."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from firmware_bridge.facts.wire import VERSION, StateHead, joined
from firmware_bridge.facts.wire_states import NO_RECORD, Record, Status
from firmware_bridge.floor.latest import milliseconds
from firmware_bridge.floor.page.state import Floor
from scripts.tools.messages.examples import HEALTH
from scripts.tools.messages.played import Sent, played
from scripts.tools.messages.scenes import GAMES, Scene, Step

NOW = 1_795_300_000_000
RETAINED = ("table", "lamps", "alarm", "roads", "status", "health")
SLOWER = 6
"""A simulated dealer draws a card every 1.5 s, and a round takes as long as people take this many times."""


class Message(NamedTuple):
    """A message as it is published."""

    topic: str
    payload: bytes
    retained: bool


def messages(name: str, scene: Scene, now: int = NOW) -> list[Message]:
    """What a table says that plays a scene; the last of it is said now."""
    return renamed(name, sent_by(scene), now)


def sent_by(scene: Scene) -> list[Sent]:
    """What the page reads of a scene."""
    return [each for moment in played(scene) for each in moment.sent if each.topic in (*RETAINED, "round")]


def renamed(name: str, sent: Sequence[Sent], now: int = NOW) -> list[Message]:
    """The same of another table, the last of it now."""
    last = milliseconds(sent[-1].payload["at"]) or 0
    batch = []
    for topic, payload in sent:
        at = now - SLOWER * (last - (milliseconds(payload["at"]) or 0))
        body = _named(payload, name) | {"at": rfc3339(at)}
        if topic == "alarm":
            body["open"] = [each | {"since": now - SLOWER * (last - each["since"])} for each in payload["open"]]
        batch.append(Message(f"shoe/{name}/{topic}", msgspec.json.encode(body), topic in RETAINED))
    return batch


def _named(payload: dict[str, Any], name: str) -> dict[str, Any]:
    """A payload of another table: the journals of two are never the same."""
    prev = payload.get("prev")
    renamed = {"table": name, "journal": _journal(payload["journal"], name)}
    return payload | renamed | ({"prev": prev | {"journal": _journal(prev["journal"], name)}} if prev else {})


def _journal(id: str, name: str) -> str:
    return f"{id.partition('-')[0]}-{sha256(f'{id} {name}'.encode()).hexdigest()[:12]}"


def latest(batch: Sequence[Message]) -> list[Message]:
    """What a broker gives to who comes later: the last of each retained topic."""
    return list({each.topic: each for each in batch if each.retained}.values())


def alive(
    name: str, now: int = NOW, state: Any = "online", mode: str = "FULL", record: Record = NO_RECORD, **measured: Any
) -> list[Message]:
    """Status and health of a table."""
    head = StateHead(VERSION, name, 1, "1-ab12", 17, rfc3339(now), "5c1e8a02")
    health = replace(HEALTH, uptime_s=4000, reader=replace(HEALTH.reader, quality=221.4, lamp=188))
    states = {
        "status": Status(state, "0.1.0", "4c7c4bc 2026-11-20", 18, mode, "synchronised", 1, record),
        "health": replace(health, **measured),
    }
    return [Message(f"shoe/{name}/{topic}", joined(head, body), True) for topic, body in states.items()]


def rfc3339(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def baccarat(rounds: int = 30, seed: int = 7, *then: Step) -> Scene:
    """A shoe of so many rounds at least, and what comes after it."""
    pack = [rank + suit for rank in "A23456789TJQK" for suit in "shdc"] * 8
    random.Random(seed).shuffle(pack)
    return Scene("baccarat", {"burn": "none"}, (f"shoe {' '.join(pack[: rounds * 6])}", *then))


def game(name: str) -> Scene:
    """The scene of a game: a closed round and, after it, one that was voided."""
    return next(scene for scene in GAMES if scene.game == name)


def floor_of(*batches: Sequence[Message], now: int = NOW) -> Floor:
    """A floor that has heard these messages as they came."""
    floor = Floor("shoe")
    for each in (message for some in batches for message in some):
        floor.handle(each.topic, each.payload, False, now)
    return floor


def a_hundred(now: int = NOW) -> Iterator[Message]:
    """The latest words of a hundred tables of all games, and their rounds."""
    scenes = [sent_by(each) for each in (baccarat(24, 1), baccarat(60, 2), *GAMES[1:])]
    for number in range(1, 101):
        name = f"T{number:03}"
        batch = renamed(name, scenes[number % len(scenes)], now)
        yield from latest(batch)
        yield from alive(name, now)
        yield from (each for each in batch[-60:] if not each.retained)
