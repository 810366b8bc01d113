"""Checks across the keys of `bridge.toml`, and the defaults of `[service] mode` with what contradicts them."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from firmware_bridge.config.sections import (
    READERS,
    Config,
    MqttConfig,
    OrderKeyConfig,
    RecordConfig,
    orders_by_mqtt,
)
from firmware_bridge.config.toml_text import as_written
from firmware_bridge.facts.book.orders import ORDERS
from firmware_bridge.facts.orders import BY_MQTT
from firmware_bridge.games.game import Game, Terms
from firmware_bridge.games.house import cut_place
from firmware_bridge.games.moves import LOT
from firmware_bridge.record.verify import ED25519, Refused, parse_vkey

NETWORK: Final = re.compile(r"socket://[^\s/]+:\d{1,5}")

MODES: Final[dict[str, dict[str, dict[str, Any]]]] = {
    "standard": {},
    "vip": {
        "table": {"disclose": "sealed", "betting": "required"},
        "mqtt": {"commands": [*BY_MQTT, "reveal", "fly", "request_shoe_change", "request_dealer_change"]},
    },
    "squeeze": {
        "table": {"disclose": "sealed"},
        "game": {"squeeze": "any-bettor"},
        "mqtt": {"commands": [*BY_MQTT, "reveal"]},
    },
}
"""Mode -> section -> keys it sets. A key written in the file wins."""

_MEANS: Final = {
    "disclose": "cards are shown when drawn, so guests have none to open",
    "betting": "bets are never closed, so the time to open cards restarts at each step",
    "squeeze": "only the guest with the largest stake on a side may open its cards",
}
"""Key -> effect of a value other than the mode's."""


_OF_BACCARAT: Final = "the modes vip and squeeze are baccarat's, where guests open the cards"


class Contradiction(NamedTuple):
    """Key that contradicts the mode: its effect, and what to do."""

    what: str
    remedy: str


def contradictions(config: Config) -> Iterator[Contradiction]:
    """Yield contradictions between the config and its mode, where a key is written out."""
    mode, read = config.service.mode, {"table": config.table, "game": config.terms, "mqtt": config.mqtt}
    for section, keys in MODES[mode].items():
        for key, meant in keys.items():
            found = getattr(read[section], key, meant)
            if key == "commands":
                yield from _not_passed_on(mode, set(meant) - set(BY_MQTT) - orders_by_mqtt(config.mqtt, config.orders))
            elif found != meant:
                what = f'[service] mode = "{mode}" and [{section}] {key} = {as_written(found)}: {_MEANS[key]}'
                yield Contradiction(what, f"write {key} = {as_written(meant)}, or remove the key")


def refused_by_wire(config: Config) -> Iterator[Contradiction]:
    """Yield the orders that `[mqtt] commands` allows and `[service] second_person` refuses there."""
    alone = [each for each in config.orders if not each.two_people]  # the others may name the second person
    at_table = {do for do, row in ORDERS.items() if not row.two_by_key}
    refused = orders_by_mqtt(config.mqtt, alone) | (orders_by_mqtt(config.mqtt, config.orders) & at_table)
    both = [each for each in config.service.second_person if each in refused]
    if both:
        where = "[mqtt] commands" if set(both) <= set(config.mqtt.commands) else "[[orders]] allows"
        what = f"{where} has {', '.join(both)}, which [service] second_person keeps to two people at the table"
        yield Contradiction(what, "by MQTT they are refused: remove them from one of the lists")


class Read(NamedTuple):
    """A document that was read whole, and what several checks need of it.

    raw: the document. config: made of its good keys. terms: the game's settings. commands: the orders that can come by
    MQTT. close: what ends a complete round. cards: how many a full shoe has.
    """

    raw: dict[str, Any]
    config: Config
    game: Game
    terms: Terms
    commands: frozenset[str]
    close: str
    cards: int


def wrong_together(read: Read) -> Iterator[str]:
    """Yield all mistakes beyond a key's type, of a document that was read."""
    raw, config, game, table = read.raw, read.config, read.game, read.config.table
    port, directory = _text(raw, "reader", "port"), _text(raw, "journal", "dir")
    if port and not port.startswith("/") and not NETWORK.fullmatch(port):
        known = "write a device, /dev/.., or a reader on the network, socket://HOST:PORT"
        yield f"[reader] port = {as_written(port)}: {known}"
    if directory and not directory.startswith("/"):
        yield f"[journal] dir = {as_written(directory)}: write the full path, starting with /"
    yield from _pins_used_twice(raw)
    if (pattern := _text(raw, "reader", "pattern")) is not None:
        yield from _bad_pattern(pattern)
    yield from _impossible_in_table(read)
    yield from _judged_twice(read)
    yield from _no_next(read)
    yield from _unreachable(read)
    mode = config.service.mode
    if mode != "standard" and not game.play.squeezed:
        yield f'[service] mode = "{mode}": {_OF_BACCARAT}, and this table deals {game.name}: remove mode'
    if table.decks not in game.packs:
        yield f"[table] decks = {table.decks}: {game.name} is dealt from {game.dealt_from}"
    if "roads" in raw and "good_roads" not in game.terms.__struct_fields__:
        yield f"[roads]: {game.name} has no roads"
    if raw.get("presence") and not game.play.sensed:
        yield f"[presence]: a slot of {game.name} holds several cards, which no sensor can tell apart"
    if config.mqtt.live_odds and not game.money.bets:
        yield f"[mqtt] live_odds = true: {game.name} has no live odds; use shoe odds --game {game.name}"
    if game.money.must_bet and table.betting != "required":
        yield f'[table] betting = "ignored": {game.name} needs "required", it is dealt to the seats in bets_closed'
    if not game.play.may_burn and table.burn not in ("none", 0):
        yield f"[table] burn = {as_written(table.burn)}: {game.name} deals all {game.size} of a pack: remove burn"
    yield from _no_witnesses(config.record)
    yield from _wrong_order_keys(config.orders, config.mqtt)


def _no_witnesses(record: RecordConfig) -> Iterator[str]:
    for each in record.witnesses:
        try:
            kind = parse_vkey(each).kind
        except Refused as error:
            yield f"[record] witnesses: {error}"
            continue
        if kind == ED25519:
            yield f"[record] witnesses: {each[:40]}.. is the key of a table: write that of a witness"


def _wrong_order_keys(keys: Sequence[OrderKeyConfig], mqtt: MqttConfig) -> Iterator[str]:
    """Yield keys of orders that are none, or there twice: then it would not be known who gave an order."""
    names, publics = set[str](), set[bytes]()
    for each in keys:
        try:
            key = parse_vkey(each.key)
        except Refused as error:
            yield f"[[orders]] {each.name}: {error}"
            continue
        if key.kind != ED25519:
            yield f"[[orders]] {each.name}: {each.key[:40]}.. is the key of a witness: make one with shoe-floor key new"
        if each.name in names or key.public in publics:
            yield f"[[orders]] {each.name}: this name or this key is there twice: give each owner a key"
        names.add(each.name)
        publics.add(key.public)
    if keys and mqtt.stored and not mqtt.commands and not any("stored" in each.allows for each in keys):
        yield '[mqtt] stored: no key in [[orders]] allows "stored": add it to allows of the back office\'s key'


def _no_next(read: Read) -> Iterator[str]:
    """Yield the mistake of a table where rounds end or packs begin by NEXT, without a key or an order for it."""
    raw, game, ends = read.raw, read.game, read.close == "next"
    opens = game.play.one_round_packs and read.config.service.confirm_shuffle
    if not ends and not opens:
        return
    pins, pads = raw.get("pins"), raw.get("keypad")
    has_key = isinstance(pins, dict) and "next" in pins
    has_pad = isinstance(pads, list) and any(isinstance(pad, dict) and pad.get("dealer") for pad in pads)
    if not (has_key or has_pad or "next" in read.commands):
        ways = '[pins] next = 22; or [[keypad]] dealer = true; or [mqtt] commands = [.., "next"]'
        why = f"rounds of {game.name} end by NEXT" if ends else f"NEXT opens the next pack of {game.name}"
        key = '[table] close = "next"' if ends else "[service] confirm_shuffle = true"
        yield f"{key}: {why}, and there is no NEXT: write {ways}"


def _unreachable(read: Read) -> Iterator[str]:
    """Yield mistakes of a table that waits for bets to be closed, or for marks, which nothing can give."""
    raw, game, commands = read.raw, read.game, read.commands
    if read.config.table.betting == "required" and "bets_closed" not in commands:
        ignored = "" if game.money.must_bet else ', or write betting = "ignored"'
        yield (
            '[table] betting = "required": cards wait until bets are closed, and nothing can close them: '
            f'add "bets_closed" to [mqtt] commands{ignored}'
        )
    if not game.play.words or "mark" in commands:
        return
    keys, pads = raw.get("keys"), raw.get("keypad")
    named = [*keys] if isinstance(keys, dict) else []
    has_pad = isinstance(pads, list) and any(isinstance(pad, dict) and pad.get("seats") for pad in pads)
    asks, order = f"[table] game = {as_written(game.name)}: it asks", 'or add "mark" to [mqtt] commands'
    if not has_pad and all(name.startswith(LOT) for name in named):
        ways = f"write [keys] with a key for each, or [[keypad]] with seats, {order}"
        yield f"{asks} its seats for marks, and nothing can give one: {ways}"
    if LOT in game.play.words and not any(name.startswith(LOT) for name in named):
        ways = f'write [keys] "{LOT}=1" and so on for each seat, {order}'
        yield f"{asks} for the result of a draw, and nothing can give it: {ways}"


def _impossible_in_table(read: Read) -> Iterator[str]:
    """Yield mistakes with shifts, and with places of the cut card: beyond the shoe, or the earliest behind the last."""
    table, cards = read.config.table, read.cards
    if isinstance(table.virtual_cut, int) and table.virtual_cut >= cards:
        yield f"[table] virtual_cut = {table.virtual_cut}: the shoe has only {cards} cards"
    if len(set(table.shifts.values())) < len(table.shifts):
        yield f"[table] shifts = {as_written(table.shifts)}: two shifts begin at the same time"
    earliest = table.cut_earliest
    if not isinstance(earliest, int):
        return
    latest = table.virtual_cut or cut_place(read.game.name)
    if earliest >= cards:
        yield f"[table] cut_earliest = {earliest}: the shoe has only {cards} cards"
    elif isinstance(latest, int) and earliest <= latest:
        yield f"[table] cut_earliest = {earliest}: the cut card must come before {latest} cards are left (virtual_cut)"


def _judged_twice(read: Read) -> Iterator[str]:
    """Yield mistakes with a reader that judges the game: it deals by its rules; only such a reader reports results."""
    table, game, protocol = read.config.table, read.game, read.config.reader.protocol
    if not READERS[protocol]:
        if table.close == "result":
            yield '[table] close = "result": only an angel-eye reports results'
        return
    if game.play.verdict is None:
        yield f'[reader] protocol = "{protocol}": it decides its own games, and {game.name} is not one of them'
        return
    for key, why in game.play.unjudged(read.terms).items():
        yield f"[game] {key} = {as_written(getattr(read.terms, key))}: {why}"
    if table.disclose == "sealed":
        mode = read.config.service.mode
        by_mode = "" if mode == "standard" else f' (set by [service] mode = "{mode}")'
        why = 'an angel-eye reports the result before the cards are revealed: write disclose = "dealt"'
        yield f'[table] disclose = "sealed"{by_mode}: {why}'


def _pins_used_twice(raw: dict[str, Any]) -> list[str]:
    """Return the mistakes in pins: an input shares its pin with nothing; lamps may share one."""
    uses: dict[int, list[str]] = {}
    for section in ("pins", "presence", "keys", "lamps"):
        keys = raw.get(section)
        for key, value in keys.items() if isinstance(keys, dict) else ():
            number = value.get("pin") if isinstance(value, dict) else value
            if isinstance(number, int):
                uses.setdefault(number, []).append(f"[{section}] {key}")
    return [
        f"GPIO {number} is used by {' and '.join(names)}: each wire has one purpose"
        for number, names in uses.items()
        if len(names) > 1 and any(not name.startswith("[lamps]") for name in names)
    ]


def _bad_pattern(pattern: str) -> Iterator[str]:
    """Yield mistakes in a reader's pattern: a regular expression with one group, the code."""
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        yield f"[reader] pattern = {as_written(pattern)} is not a regular expression: {error}"
        return
    if groups != 1:
        yield f"[reader] pattern = {as_written(pattern)} has {groups} groups: put one pair of ( ) around the code"


def _text(raw: dict[str, Any], section: str, key: str) -> str | None:
    """Return a text of the document; None if there is none."""
    keys = raw.get(section)
    value = keys.get(key) if isinstance(keys, dict) else None
    return value if isinstance(value, str) else None


def _not_passed_on(mode: str, missing: set[str]) -> Iterator[Contradiction]:
    if missing:
        names = ", ".join(sorted(missing))
        what = f'[service] mode = "{mode}" and [mqtt] commands without {names}: no backend can send these orders'
        yield Contradiction(what, "add them to the list, or remove the key")
