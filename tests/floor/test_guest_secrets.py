"""Everything that guest screens are sent, searched: by its bytes, by when it is sent, and by what it depends on."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from random import Random
from typing import Any, Final, get_args

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.floor.page.guest.fold import NOTHING, fold
from firmware_bridge.floor.page.guest.html import screen
from firmware_bridge.floor.page.guest.view import Cards, View, view
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.topics.texts import LANGUAGES, Language
from tests.floor.guest_stage import VERSION_SAID, Said, Stage
from tests.floor.guests import BETS, PEOPLE, PURSES, STAGES, WHY
from tests.kit.texts import texts

MODES: Final[tuple[Cards, ...]] = get_args(Cards)
FACE: Final = re.compile(r'<span class="card[^"]*">(?:(10|[2-9AJQK])<i>([♠♥♦♣])|([1-9])<i>●|(White))')
SUITS: Final = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}

each_stage = pytest.mark.parametrize("name", STAGES)
each_mode = pytest.mark.parametrize("cards", MODES)


def views_of(said: Iterable[Said], cards: Cards) -> Iterator[View]:
    """What guests see after each message."""
    kept, seen = NOTHING, view(NOTHING, cards)
    for each in said:
        before, kept = kept, fold(kept, each.topic, each.payload)
        seen = seen if kept is before else view(kept, cards)
        yield seen


@cache
def views(name: str, cards: Cards) -> tuple[View, ...]:
    """What guests see after each message of a stage."""
    return tuple(views_of(STAGES[name]().said, cards))


@cache
def drawn(name: str, cards: Cards, lang: Language = "en") -> tuple[str, ...]:
    """The screen after each message of a stage."""
    return tuple(screen("T07", seen, lang) for seen in views(name, cards))


def faces(drawn: str) -> Counter[str]:
    """The cards that a screen names."""
    found = Counter[str]()
    for rank, suit, pips, white in FACE.findall(drawn):
        found[f"{rank.replace('10', 'T')}{SUITS[suit]}" if suit else "wp" if white else f"{pips}p"] += 1
    return found


# ---------------------------------------------------------------- by its bytes


@cache
def forbidden(name: str) -> frozenset[str]:
    """Every text that a table said or knows and that no screen may say."""
    stage = STAGES[name]()
    secrets = {WHY, VERSION_SAID, "SECRETBET", "ORDER", "4c7c4bc", *PEOPLE, *PURSES, *BETS}
    secrets |= {
        id for policy in POLICIES.values() for id in policy if "_" in id or id in ("overdrawn", "foreign", "jam")
    }
    for each in stage.said:
        plain = json.loads(each.payload)
        secrets |= {text for text in texts(plain) if re.search(" [a-z]+ ", text)}
        secrets |= {plain.get("journal", WHY), plain.get("at", WHY)}
    return frozenset(secrets)


@each_mode
@each_stage
def test_no_screen_says_a_name_a_purse_a_bet_a_reason_an_alarm_a_commitment_or_a_head(name: str, cards: Cards) -> None:
    words = sorted(forbidden(name) - {"player", "banker"})
    assert len(words) > 30
    langs: tuple[Language, ...] = LANGUAGES if cards == "live" else ("en",)
    parts = {part for lang in langs for each in {*drawn(name, cards, lang)} for part in re.split("(?=<)", each)}
    whole = "\n".join(parts)
    plain = html.unescape(re.sub("<[^>]*>", "\n", whole))
    assert [word for word in words if word in whole or word in plain] == []
    assert not re.search("[0-9a-f]{10}", whole)


def test_a_stage_has_said_what_must_not_be_seen() -> None:
    unsaid = {*PEOPLE, WHY, VERSION_SAID, *PURSES, *BETS, "SECRETBET", "commit", "head", "cards_left", "unreadable"}
    unsaid |= {f'"status":"{status}"' for status in ("closed", "voided", "corrected")}
    early = ("baccarat, as it stands", "baccarat, as it stands, anything", "blackjack", "erbagang")
    for name in (*early, *STAGES):
        if unsaid:
            said = b"\n".join(each.payload for each in STAGES[name]().said).decode()
            unsaid = {word for word in unsaid if word not in said}
    assert unsaid == set()


# ---------------------------------------------------------------- by when it is sent


def hands_of(message: dict[str, Any]) -> Counter[str]:
    """The cards of a round that is over which the house shows."""
    shown = message.get("shown")
    hands = {slot: hand for slot, hand in message.get("hands", {}).items() if shown is None or slot in shown}
    dealer = message.get("dealer", {}).get("cards", [])
    return Counter([*dealer, *(card for hand in hands.values() for card in hand["cards"])])


@each_stage
def test_cards_are_shown_when_their_round_is_over_and_its_message_is_there(name: str) -> None:
    over: list[Counter[str]] = [Counter()]
    named = 0
    for said, shown in zip(STAGES[name]().said, drawn(name, "closed"), strict=True):
        if said.topic == "round":
            over.append(hands_of(json.loads(said.payload)))
        found = faces(shown)
        assert found in over, (said, found)
        named += bool(found)
    assert named or name.startswith("zhajinhua")


def disclosed(stage: Stage, line: int) -> Counter[str]:
    """The open cards of the present round after so many lines, none while bets are open; read off the journal."""
    cards: dict[tuple[int, int], str] = {}
    is_open = False
    for each in (each for one in stage.lines[:line] if one.entry for each in _numbered(one)):
        seq, n, event = each
        match event:
            case e.RoundClosed() | e.RoundVoided() | e.ShoeOpened():
                cards, is_open = {}, False
            case e.BetsOpened():
                is_open = True
            case e.BetsClosed():
                is_open = False
            case e.CardDealt(card=card) if card is not None:
                cards[seq, n] = card.value
            case e.CardRevealed(card=card, round=round) if round is not None:
                cards[event.seq, event.n] = card.value
    return Counter() if is_open else Counter(cards.values())


def _numbered(line: Any) -> Iterator[tuple[int, int, Any]]:
    for n, event in enumerate(line.entry.events, 1):
        yield line.entry.seq, n, event


@each_stage
def test_live_cards_are_those_that_lie_open_after_bets_are_closed(name: str) -> None:
    stage, live = STAGES[name](), 0
    over: list[Counter[str]] = [Counter()]
    now, before = Counter[str](), -1
    for said, shown in zip(stage.said, drawn(name, "live"), strict=True):
        if said.topic == "round":
            over.append(hands_of(json.loads(said.payload)))
        if said.line != before:
            before, last, now = said.line, now, disclosed(stage, said.line)
        found = faces(shown)
        rests = [found - each for each in over if found >= each]
        assert any(rest <= now or rest <= last for rest in rests), (said, found, now)
        live += any(rest and rest <= now for rest in rests) and found not in over
    assert live or not name.startswith(("baccarat", "blackjack"))


# ---------------------------------------------------------------- by what it depends on

HEAD: Final = {"table", "shoe", "journal", "boot", "at"}
HAND: Final = {"cards", "total", "kind", "how", "outcome", "digit"}
MAY: Final[dict[str, set[str]]] = {
    "status": HEAD | {"as_of", "state", "link", "mode"},
    "alarm": HEAD | {"as_of", "open.blocks"},
    "table": HEAD
    | {"as_of", "game", "phase", "round", "slots.slot", "slots.card", "limits", "hands", "act", "anytime", "closed"}
    | {f"settings.{name}" for name in ("game", "betting", "confirm_shuffle")}
    | {f"settings.terms.{name}" for name in ("min", "max", "ante", "top", "base", "seats")}
    | {f"shows.{name}" for name in ("round", "stake", "pot")},
    "roads": HEAD
    | {"as_of", "naturals", "bead", "big_grid", "big_eye_grid", "small_grid", "cockroach_grid"}
    | {"ask.banker", "ask.player"},
    "round": HEAD
    | {"seq", "game", "round", "revision", "status", "outcome", "natural", "banker", "outcomes", "winner", "pot"}
    | {
        "pairs.player",
        "pairs.banker",
        "shown",
        *(f"hands.*.{name}" for name in HAND),
        *(f"dealer.{name}" for name in ("cards", "total")),
    }
    | {"dealer.blackjack", "dealer.bust"},
}
"""Topic -> what a screen may depend on; of any other part of a message nothing may be seen."""

IN_HAND: Final = ("table.slots.card", "table.hands")
"""What is not seen either before a round is over, where cards are shown then."""

LIMITS_SAID: Final = ("table", "banker", "player", "tie", "banker_pair", "player_pair", "differential")


def scrambled(rng: Random, topic: str, value: Any, path: str, hidden: tuple[str, ...]) -> Any:
    """A part of a message, by its path in it, with everything else changed."""
    if f"{topic}.{path}" in hidden:
        return _hidden(rng, value)
    if path in MAY.get(topic, ()):
        return _limits(rng, value) if path == "limits" else value
    if isinstance(value, list):
        return [scrambled(rng, topic, each, path, hidden) for each in value]
    if isinstance(value, dict):
        return {key: _part(rng, topic, key, value, path, hidden) for key in value}
    return _other(rng, value)


def _part(rng: Random, topic: str, key: str, value: dict[str, Any], path: str, hidden: tuple[str, ...]) -> Any:
    below = f"{path}.*" if path == "hands" and topic == "round" else f"{path}.{key}" if path else key
    return scrambled(rng, topic, value[key], below, hidden)


def _other(rng: Random, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return rng.randrange(10**6)
    return f"{rng.getrandbits(48):012x}"


def _hidden(rng: Random, value: Any) -> Any:
    """Cards in place of cards."""
    if isinstance(value, dict):
        return {key: [rng.choice(["As", "9h", "5p", None]) for _ in each] for key, each in value.items()}
    return rng.choice(["As", "9h", "5p"])


def _limits(rng: Random, limits: dict[str, Any]) -> dict[str, Any]:
    """Those that a screen has no words for are changed."""
    return {key: each if key in LIMITS_SAID else rng.randrange(999) for key, each in limits.items()}


def shaded(rng: Random, said: Said, cards: Cards) -> bytes:
    """A message of which only what a screen may depend on is left as it was."""
    plain = scrambled(rng, said.topic, json.loads(said.payload), "", IN_HAND if cards == "closed" else ())
    for slot, hand in plain.get("hands", {}).items() if said.topic == "round" and "shown" in plain else ():
        if slot not in plain["shown"]:
            hand |= {"cards": ["As"], "kind": "leopard"}
    for asked in ("act", "anytime"):
        for slot, words in plain.get(asked, {}).items():
            plain[asked][slot] = {word: rng.choice([True, "77", {"max": "78"}]) for word in words}
    return json.dumps(plain).encode()


@each_mode
@each_stage
def test_a_screen_depends_on_nothing_else_of_any_message(name: str, cards: Cards) -> None:
    said, rng = STAGES[name]().said, Random(name)
    now = views_of((each._replace(payload=shaded(rng, each, cards)) for each in said), cards)
    for each, other, seen, shown in zip(said, now, views(name, cards), drawn(name, cards), strict=True):
        assert other == seen or screen("T07", other, "en") == shown, each
