"""The dealer's screen as HTML: no sealed face in it, everything escaped, and its events once each."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from firmware_bridge.floor.page.state import DoneAtTables
from firmware_bridge.topics.texts import LANGUAGES, Language
from firmware_bridge.topics.texts.acts import Line
from firmware_bridge.topics.texts.dealer import Pile, Screen, Trouble
from tests.floor.guests import PEOPLE, STAGES, WHY
from tests.topics.dealer_screens import Moment, moments

pytest.importorskip("jinja2")

from firmware_bridge.floor.page.dealer import document, drawn

FACE = re.compile(r'<span class="card [a-z]*">([^<]*)</span>')
SUITS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c", "●": "p"}


def faces(html: str) -> set[str]:
    """The cards that a screen names."""
    return {
        "wp" if shown == "▭" else f"{shown[:-1].replace('10', 'T')}{SUITS[shown[-1]]}" for shown in FACE.findall(html)
    }


@cache
def pages(name: str, lang: Language = "en") -> tuple[tuple[Moment, str], ...]:
    return tuple((each, drawn(each.screen(lang), lang)) for each in moments(name))


@pytest.mark.parametrize("name", STAGES)
def test_a_face_is_shown_only_while_the_table_shows_it(name: str) -> None:
    for moment, html in pages(name):
        table = moment.table
        hands = table.hands if table and isinstance(table.hands, dict) else {}
        open_now = {face for cards in hands.values() for face in cards if face}
        open_now |= {each.card for each in (table.slots if table else ()) if isinstance(each.card, str)}
        assert faces(html) <= open_now


@pytest.mark.parametrize("name", STAGES)
def test_no_commitment_nonce_or_person_is_shown(name: str) -> None:
    secret = {each for said in STAGES[name]().said if said.topic == "event" for each in secrets(said.payload)}
    for _, html in pages(name):
        assert not [word for word in re.findall(r"[0-9a-f]{32,}", html) if word in secret]
        assert not any(person in html for person in (*PEOPLE, WHY))


def secrets(payload: bytes) -> set[str]:
    return set(re.findall(r"[0-9a-f]{32,}", payload.decode()))


HOSTILE = '<script>alert("x")</script>'


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_text_is_escaped(lang: Language) -> None:
    trouble = Trouble(HOSTILE, HOSTILE, HOSTILE, True)
    shown = Screen(
        "blocked",
        HOSTILE,
        game=HOSTILE,
        where=HOSTILE,
        due=(Line("draw", HOSTILE),),
        why=(HOSTILE,),
        news=(HOSTILE,),
        compare=(Pile(HOSTILE, (None, "As")),),
        alarms=(trouble,),
        acts=(HOSTILE,),
    )
    for html in (drawn(shown, lang), document(shown, lang)):
        assert "<script>alert" not in html
        assert html.count("&lt;script&gt;") >= 10


def event(n: int, word: str = "H", table: str = "T07", **more: Any) -> bytes:
    given = {"type": "MarkGiven", "round": 1, "turn": n, "seat": "1", "word": word, "by": "keypad 1"}
    return json.dumps({"table": table, "journal": "3-5ad1", "seq": n, "n": 1, "event": given | more}).encode()


def test_a_message_that_comes_again_is_one_act() -> None:
    done = DoneAtTables("shoe")
    assert done.handle("shoe/T07/event", event(1))
    assert not done.handle("shoe/T07/event", event(1))
    assert done.handle("shoe/T07/event", event(2))
    assert len(done.tables["T07"].acts) == 2


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("shoe/T07/table", event(1)),
        ("shoe/T07/event", b""),
        ("shoe/T07/event", b"{"),
        ("shoe/T07/event", event(1, table="T08")),
        ("other/T07/event", event(1)),
    ],
)
def test_anything_else_changes_nothing(topic: str, payload: bytes) -> None:
    done = DoneAtTables("shoe")
    assert not done.handle(topic, payload)
    assert not done.tables


def test_a_table_keeps_few_acts() -> None:
    done = DoneAtTables("shoe")
    for n in range(200):
        done.handle("shoe/T07/event", event(n))
    assert len(done.tables["T07"].acts) <= 12
