"""Examples of all messages, from simulated tables; `status` and `health`, which need a machine, are made here."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from nacl.signing import SigningKey

from firmware_bridge import __version__
from firmware_bridge.daemon.table.command import NotAnOrder, parse
from firmware_bridge.daemon.table.odds_child import Question, answer
from firmware_bridge.facts.book.measures import Health, ReaderHealth
from firmware_bridge.facts.events import (
    CodeFound,
    KeyChanged,
    OrdersRefused,
    RecordEnded,
    ShiftEnded,
    SoftwareChanged,
)
from firmware_bridge.facts.house import Acts
from firmware_bridge.facts.inputs import Code
from firmware_bridge.facts.wire import VERSION, StateHead, Stored, joined
from firmware_bridge.facts.wire_states import Record, Status
from firmware_bridge.games.house import house_of
from firmware_bridge.record.signer import signer
from firmware_bridge.record.verify import COSIGNATURE, cosigned_bytes, key_of, parse_checkpoint, parse_note
from firmware_bridge.topics.texts.refusals import worded
from scripts.tools.messages.played import BEGAN, BOOT, KEY, TABLE, Moment, Sent, played
from scripts.tools.messages.scenes import GAMES, MORE

Examples = dict[str, dict[str, Any]]
"""Kind of message -> name of an example -> the message: a JSON object, or text."""

BY_GAME: Final = ("table", "BetsClosed", "MarkGiven", "QuestionAnswered", "Happened", "RoundClosed", "RoundCorrected")
"""Messages with an example for each game, because they differ so much."""


def kind(sent: Sent) -> str:
    """Return the name of a message's definition in the JSON Schema."""
    match sent.topic:
        case "event":
            return f"event.{sent.payload['event']['type']}"
        case "round":
            return f"round.{sent.payload['game']}.{sent.payload['status']}"
        case "command":
            return f"command.{sent.payload['do']}"
    return sent.topic


@cache
def moments() -> dict[str, tuple[Moment, ...]]:
    """Return game -> the moments of its scene."""
    return {scene.game: tuple(played(scene)) for scene in GAMES}


@cache
def examples() -> Examples:
    """Return at least one example of every kind of message; the same every time."""
    found: Examples = {}
    for game, sent in ((game, sent) for game, moment in _all() for sent in moment.sent):
        of = found.setdefault(kind(sent), {})
        name = _name(sent, game)
        if name not in of or _shows_more(sent, of[name]):
            of[name] = sent.payload
    found["stored"] = {"stored": _stored()}
    found["checkpoint"], found["witnessed"] = {"checkpoint": _note()}, {"witnessed": _cosigned(_note())}
    found |= {f"event.{name}": {name: message} for name, message in _of_the_record()}
    found["reply"]["refused: no order"] = _no_order()
    return found | {"status": _status(), "health": {"health": _beside(HEALTH)}, "odds": {"odds": _odds()}}


def _all() -> Iterator[tuple[str, Moment]]:
    """Yield every moment of every scene, with its game."""
    for game, all_moments in moments().items():
        yield from ((game, moment) for moment in all_moments)
    for scene in MORE:
        yield from ((scene.game, moment) for moment in played(scene))


def _name(sent: Sent, game: str) -> str:
    """Return the name of an example within its kind."""
    if kind(sent).removeprefix("event.") in BY_GAME:
        return game
    if sent.topic == "reply":
        return "obeyed" if sent.payload["ok"] else f"refused: {sent.payload['error']}"
    return kind(sent).rsplit(".", 1)[-1]


def _shows_more(sent: Sent, known: dict[str, Any]) -> bool:
    """Return whether a state shows more than the example found before; other messages keep the first one."""
    return sent.topic in ("table", "lamps", "alarm", "roads") and len(str(sent.payload)) > len(str(known))


HEALTH: Final = Health(
    uptime_s=3600,
    reader=ReaderHealth(
        reads=412,
        unread=1,
        frames_bad=0,
        heard="understood",
        not_understood=0,
        quality=231.4,
        lamp=198,
        ambient=12,
        temperature=41.5,
        quality_calibrated=233.0,
        lamp_calibrated=200.0,
        forecast=None,
    ),
    disk_free_mb=21480,
    temperature=52.1,
    under_voltage=False,
    queue=0,
    faults=(),
    orders_refused=0,
    unmarked={"WU": 1},
    acts=(Acts(dealer="WU", entered=1, taken_back=1),),
)


def _status() -> dict[str, dict[str, Any]]:
    states: tuple[Any, ...] = ("online", "stopped", "lost")
    size = parse_checkpoint(parse_note(_note()).text).size
    record = Record(KEY.key.name, size, KEY.key.vkey, signed=True, witnessed=size)
    online = Status("online", __version__, "unknown", 15, "FULL", "synchronised", 1, record)
    return {each: _beside(replace(online, state=each)) for each in states}


def _stored() -> dict[str, Any]:
    """Return the message of a store after the commit of the first round of baccarat."""
    first = next(each.payload for moment in moments()["baccarat"] for each in moment.sent if each.topic == "round")
    return dict(msgspec.to_builtins(Stored(first["journal"], first["seq"], "store", first["head"])))


def _note() -> str:
    """Return the newest checkpoint when the scene of baccarat ends."""
    events = [each.payload for moment in moments()["baccarat"] for each in moment.sent if each.topic == "event"]
    return str([each["checkpoint"] for each in events if "checkpoint" in each][-1])


def _cosigned(note: str) -> str:
    """Return the note with the cosignature of a witness."""
    secret, at = SigningKey(bytes(range(32, 64))), BEGAN // 1000 + 30
    key = key_of("witness.example/surveillance", COSIGNATURE, bytes(secret.verify_key))
    signature = secret.sign(cosigned_bytes(at, parse_note(note).text)).signature
    encoded = base64.b64encode(key.id + at.to_bytes(8, "big") + signature).decode()
    return f"{note}\u2014 {key.name} {encoded}\n"


def _of_the_record() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield kind and message of the events of the record that no scene makes, in place of the first of baccarat."""
    first = moments()["baccarat"][0].sent[0].payload
    new = signer(KEY.key.name, bytes(range(1, 33))).key.vkey
    code = Code(software="0" * 64, packages="1" * 64, python="3.11.2-6", config="2" * 64)
    events = (
        KeyChanged(old=KEY.key.vkey, new=new, by="ANNA", second="BORIS"),
        RecordEnded(origin=KEY.key.name, why="another card", by="ANNA", second="BORIS"),
        SoftwareChanged(old=code, new=replace(code, software="3" * 64), by="ANNA"),
        ShiftEnded(shift="night", gaming_day="2026-11-20", acts=(Acts(dealer="WU", entered=1, voided=2),)),
        CodeFound(changed=("firmware_bridge/shoe/decide.py",)),
        OrdersRefused(why={"bad_signature": 12, "as_of": 1}, counts={"cage": 1795409800123}),
    )
    for event in events:
        yield type(event).__name__, first | {"event": msgspec.json.decode(msgspec.json.encode(event))}


def _no_order() -> dict[str, Any]:
    """Return the answer to bytes that are no order."""
    try:
        parse(b"{}")
    except NotAnOrder as error:
        return _beside(worded(error.answer))
    raise AssertionError("an empty object is an order")


def _odds() -> dict[str, Any]:
    """Return the odds of the first round of a full shoe of baccarat."""
    house = house_of()
    return _beside(answer(Question(house.game, house.decks, house.terms, 1, 416, {})))


def _beside(body: Struct) -> dict[str, Any]:
    """Return a state under the head that the first table has when its scene ends."""
    last = next(each.payload for each in reversed(moments()["baccarat"][-1].sent) if each.topic == "table")
    head = StateHead(VERSION, TABLE, last["shoe"], last["journal"], last["as_of"], last["at"], BOOT)
    return dict(msgspec.json.decode(joined(head, body)))
