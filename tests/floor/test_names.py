import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from msgspec import UnsetType

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.facts.house import Acts
from firmware_bridge.facts.inputs import Person
from firmware_bridge.facts.people import people
from firmware_bridge.facts.wire import RoundMessage
from firmware_bridge.floor.record.message import Unread, row
from firmware_bridge.floor.record.names import Names, names
from tests.floor.journals import AT, event, round_of
from tests.kit.table import Table

KEY = b"k" * 32
HIDDEN = Names(KEY)
ANNA, BO = HIDDEN.pseudonym("ANNA"), HIDDEN.pseudonym("Bo")
PTS = HIDDEN.pseudonym("pts/1")

NO_PERSON = {
    *(
        "answer",
        "at",
        "board",
        "boot",
        "choice",
        "code",
        "commit",
        "detail",
        "digest",
        "game",
        "gaming_day",
        "id",
        "journal",
        "key",
    ),
    *("head", "new", "old", "origin", "sig", "table"),
    *(
        "nonce",
        "outcome",
        "pit",
        "reason",
        "seat",
        "shift",
        "slot",
        "unread",
        "value",
        "version",
        "what",
        "why",
        "word",
    ),
}
"""Texts of events that name no person, or in somebody's own words."""


def said(kind: str, fields: str) -> bytes:
    return event(1, kind=kind).body.replace(b'"}}', f'",{fields}}}}}'.encode())


def test_every_text_of_an_event_is_a_person_or_none() -> None:
    for each in (*get_args(AnyEvent), *get_args(RoundMessage)):
        for kind in (each, *_parts(each)):
            texts = {name for name, hint in get_type_hints(kind).items() if _is_text(hint)}
            assert texts - {*people(kind)} <= NO_PERSON, kind.__name__
            assert {*people(kind)} <= texts, kind.__name__


def _is_text(hint: object) -> bool:
    return hint in (str, str | None, str | UnsetType)


def _parts(event: type) -> Iterator[type]:
    """The structs in an event that are about people."""
    for hint in get_type_hints(event).values():
        yield from (each for each in (Person, Acts) if each in (*get_args(hint), hint))


@pytest.mark.parametrize(
    ("kind", "fields", "kept"),
    [
        ("DealerSignedIn", '"dealer":"ANNA"', f'"dealer":"{ANNA}"'),
        ("DealerSignedIn", '"dealer":"an na"', f'"dealer":"{ANNA}"'),
        ("DealerSignedIn", '"dealer":"\\u0041NNA"', f'"dealer":"{ANNA}"'),
        ("ShoeOpened", '"dealer":"","confirmed_by":"Bo"', f'"dealer":"","confirmed_by":"{BO}"'),
        ("CardEntered", '"by":"ANNA","second":"Bo"', f'"by":"{ANNA}","second":"{BO}"'),
        ("CommandAnswered", '"answer":{"ok":true},"by":"backend"', '"answer":{"ok":true},"by":"backend"'),
        ("ReaderLent", '"to":"ANNA"', f'"to":"{ANNA}"'),
        (
            "CommandAnswered",
            '"by":"ANNA","person":{"uid":1,"login":"Bo","role":"pit","terminal_claimed":"pts/1"}',
            f'"by":"{ANNA}","person":{{"uid":1,"login":"{BO}","role":"pit","terminal_claimed":"{PTS}"}}',
        ),
        ("CommandAnswered", '"by":"key/page","on_behalf_of":"ANNA"', f'"by":"key/page","on_behalf_of":"{ANNA}"'),
        ("ShiftEnded", '"acts":[{"dealer":"ANNA","voided":1}]', f'"acts":[{{"dealer":"{ANNA}","voided":1}}]'),
        ("CutCardMet", '"by":"sensor"', '"by":"sensor"'),
        ("RoundVoided", '"by":"a\\"b","stakes":{"x":[1.50,0]}', None),
        ("Irregular", '"detail":"lent to ANNA for calibration"', f'"detail":"lent to {ANNA} for calibration"'),
        (
            "Irregular",
            '"id":"reader_lost","values":{"count":3,"to":"ANNA","by":"Bo"}',
            f'"id":"reader_lost","values":{{"count":3,"to":"{ANNA}","by":"{BO}"}}',
        ),
        (
            "Irregular",
            '"id":"cut_card_early","values":{"by":"sensor","left":99}',
            '"id":"cut_card_early","values":{"by":"sensor","left":99}',
        ),
        (
            "Irregular",
            '"id":"reader_lost","values":{"why":{"code":"port_busy","values":{"port":"/dev/x","by":"minicom"}}}',
            '"id":"reader_lost","values":{"why":{"code":"port_busy","values":{"port":"/dev/x","by":"minicom"}}}',
        ),
        ("Noted", '"what":"9 test cards passed, lent to Bo"', f'"what":"9 test cards passed, lent to {BO}"'),
        (
            "Noted",
            '"what":"9 test cards passed while no daemon ran, by Bo"',
            f'"what":"9 test cards passed while no daemon ran, by {BO}"',
        ),
        (
            "Noted",
            '"code":"test_cards","values":{"count":9,"by":"ANNA"}',
            f'"code":"test_cards","values":{{"count":9,"by":"{ANNA}"}}',
        ),
        (
            "Noted",
            '"code":"cut_again","values":{"by":"sensor","round":9}',
            '"code":"cut_again","values":{"by":"sensor","round":9}',
        ),
        ("ShoeEnded", '"why":"closed by ANNA","rounds":3', f'"why":"closed by {ANNA}","rounds":3'),
        (
            "ShoeEnded",
            '"code":"closed","values":{"by":"ANNA"},"rounds":3',
            f'"code":"closed","values":{{"by":"{ANNA}"}},"rounds":3',
        ),
        ("Noted", '"what":"the reader was closed by hand"', '"what":"the reader was closed by hand"'),
        (
            "CommandAnswered",
            '"error":"8 more orders were answered within a minute, the last one: void by ANNA: no round is open"',
            f'"error":"8 more orders were answered within a minute, the last one: void by {ANNA}: no round is open"',
        ),
        (
            "CommandAnswered",
            '"error":"8 more were answered within a minute, the last one: void by backend: no: x"',
            '"error":"8 more were answered within a minute, the last one: void by backend: no: x"',
        ),
    ],
)
def test_only_names_are_replaced(kind: str, fields: str, kept: str | None) -> None:
    body = said(kind, fields)
    found = HIDDEN.row(row("event", "T07", body, AT))
    wanted = said(kind, kept or f'"by":"{HIDDEN.pseudonym(chr(97) + chr(34) + "b")}","stakes":{{"x":[1.50,0]}}')
    assert found.body == wanted
    assert found.digest == (None if wanted == body else hashlib.sha256(body).digest())


def test_sentences_of_the_shoe_lose_the_name_in_them() -> None:
    table = Table(burn="none").play(inputs.ReaderBorrowed(at=0, by="ANNA"))
    table.take(table.order(orders.OpenShoe()))
    text = table.answer.error
    assert text is not None
    assert "ANNA" in text
    body = HIDDEN.row(row("event", "T07", said("CommandAnswered", f'"detail":"{text}"'), AT)).body
    assert b"ANNA" not in body
    assert ANNA.encode() in body


def test_a_round_that_was_voided_names_nobody() -> None:
    message = round_of(4, 2, status="voided")
    body = message.body.replace(b'"prev"', b'"by":"ANNA","prev"')
    assert HIDDEN.row(message._replace(body=body)).body == body.replace(b"ANNA", ANNA.encode())


@pytest.mark.parametrize("status", ["closed", "corrected", "voided"])
def test_a_round_does_not_name_its_dealer(status: str) -> None:
    message = round_of(4, 2, status=status)
    body = message.body.replace(b'"prev"', b'"dealt_by":"ANNA","pit":"Pit 3","prev"')
    assert HIDDEN.row(message._replace(body=body)).body == body.replace(b"ANNA", ANNA.encode())


def test_bytes_that_are_no_message_lose_what_looks_like_a_name() -> None:
    unread = HIDDEN.unread(Unread("t", AT, "bad", b'\xff"by":"ANNA" "second":"\xff"'))
    assert b"ANNA" not in unread.body
    assert unread.body.startswith(b'\xff"by":"p-')


def test_another_key_makes_other_pseudonyms() -> None:
    assert Names(b"K" * 32).pseudonym("ANNA") != ANNA == HIDDEN.pseudonym("anna ")
    assert ANNA != BO


def test_a_key_is_long_enough_and_there(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("short\n")
    with pytest.raises(ConfigError, match=r"shorter than 32 characters; make one: openssl rand -hex 32"):
        names(str(tmp_path / "key"))
    with pytest.raises(ConfigError, match="No such file"):
        names(str(tmp_path / "nowhere"))
    assert names(None) is None
