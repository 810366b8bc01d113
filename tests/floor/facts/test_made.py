"""Facts follow from the messages: of every game, in any order, once each."""

import json
import random
from decimal import Decimal

import pytest

from firmware_bridge.floor.facts.made import facts_of
from firmware_bridge.floor.facts.rows import (
    AlarmBegan,
    AlarmEnded,
    OrderGiven,
    ShiftActs,
    ShoeBegan,
    ShoeOver,
    micros,
    nets_of,
)
from firmware_bridge.floor.record.message import ROUND, now, row
from scripts.tools.messages.played import TABLE
from tests.floor.facts.played import NAMES, rows


@pytest.mark.parametrize("game", NAMES)
def test_each_message_of_a_round_is_a_fact(game: str) -> None:
    made = facts_of(rows(game))
    messages = [json.loads(each.body) for each in rows(game) if each.topic == ROUND]
    assert not made.not_made
    assert [(each.status, each.outcome) for each in made.rounds] == [
        (each["status"], each.get("outcome", "")) for each in messages
    ]
    for fact, message in zip(made.rounds, messages, strict=True):
        assert nets_of(fact.bets) == {bet: int(Decimal(net) * 10**6) for bet, net in message.get("bets", {}).items()}
        assert sum(json.loads(fact.faces).values()) == len(message["cards"])
        assert made.opened[fact.name] <= fact.at
        if game == "blackjack" and fact.counts:
            assert fact.house == int(Decimal(message["house"]) * 10**6)


@pytest.mark.parametrize("game", NAMES)
def test_the_order_of_messages_makes_no_difference(game: str) -> None:
    shuffled = list(rows(game))
    random.Random(game).shuffle(shuffled)
    one, other = facts_of(rows(game)), facts_of(shuffled)
    assert one.opened == other.opened
    assert sorted(one.events, key=repr) == sorted(other.events, key=repr)
    assert sorted(one.rounds) == sorted(other.rounds)


EVENTS = {
    '{"type":"Irregular","id":"jam","detail":"a card is stuck","since":1}': AlarmBegan,
    '{"type":"Irregular","id":"jam","since":1,"values":{"round":3}}': AlarmBegan,
    '{"type":"Irregular","id":"burn_over","since":1}': AlarmBegan,
    '{"type":"IrregularityClosed","id":"jam","choice":"resume","by":"anna"}': AlarmEnded,
    '{"type":"IrregularityClosed","id":"jam","choice":"shoe_ended","values":{"x":1}}': AlarmEnded,
    '{"type":"ShoeOpened","number":3,"house":{"game":"baccarat","decks":8}}': ShoeBegan,
    '{"type":"ShoeEnded","why":"cut","rounds":71}': ShoeOver,
    '{"type":"ShoeEnded","code":"last_round","rounds":71}': ShoeOver,
    '{"type":"CommandAnswered","answer":{"ok":false,"do":"void","error":"no"},"by":"key/pit"}': OrderGiven,
    '{"type":"ShiftEnded","shift":"day","gaming_day":"2026-11-20","acts":[{"dealer":"WU","voided":2}]}': ShiftActs,
}


def message(event: str, **more: object) -> bytes:
    head = {"v": 1, "table": TABLE, "shoe": 3, "journal": "3-abc", "seq": 7, "at": "2026-11-20T20:45:03.000Z"}
    return json.dumps(head | {"boot": "b", "n": 1, "of": 1} | more).encode()[:-1] + f',"event":{event}}}'.encode()


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_is_a_fact(event: str) -> None:
    (fact,) = facts_of([row("event", TABLE, message(event), now())]).events
    assert isinstance(fact, EVENTS[event])
    assert fact.place[:4] == (TABLE, "3-abc", 7, 1)


def test_a_shoe_ends_by_its_code_and_in_versions_before_by_its_sentence() -> None:
    for ended, how in {
        '"code":"last_round"': ("last_round", "", "", ""),
        '"why":"the last round is over"': ("last_round", "", "", ""),
        '"code":"closed","values":{"by":"anna"},"why":"worn"': ("closed", "", "anna", "worn"),
        '"code":"pit","values":{"alarm":"lid_opened"},"why":"torn"': ("pit", "lid_opened", "", "torn"),
        '"why":"the pit ended it: lid_opened: torn"': ("pit", "lid_opened", "", "torn"),
        '"code":"of_tomorrow"': ("of_tomorrow", "", "", ""),
    }.items():
        event = f'{{"type":"ShoeEnded",{ended},"rounds":71}}'
        (fact,) = facts_of([row("event", TABLE, message(event), now())]).events
        assert isinstance(fact, ShoeOver)
        assert fact[3:] == how


def test_the_person_of_an_order_is_the_login_or_the_one_a_key_names() -> None:
    given = '{"type":"CommandAnswered","answer":{"ok":true,"do":"void"},"by":"key/pit"%s}'
    for more, person in {
        ',"on_behalf_of":"anna"': "anna",
        ',"person":{"uid":1001,"login":"bo","role":"pit"}': "bo",
        "": "",
    }.items():
        (fact,) = facts_of([row("event", TABLE, message(given % more), now())]).events
        assert isinstance(fact, OrderGiven)
        assert fact.person == person


@pytest.mark.parametrize("event", ['{"type":"ShoeOpened","number":"x"}', '{"type":"ShiftEnded","acts":[7]}'])
def test_an_event_in_another_form_is_no_fact_and_stops_none(event: str) -> None:
    good = next(iter(EVENTS))
    made = facts_of([row("event", TABLE, message(each), now()) for each in (event, good)])
    assert [type(each) for each in made.events] == [AlarmBegan]
    assert [each.place[:4] for each in made.not_made] == [(TABLE, "3-abc", 7, 1)]


@pytest.mark.parametrize(("amount", "exact"), [("0.95", 950_000), (-1, -1_000_000), ("9007199254.740992", 2**53)])
def test_amounts_are_exact(amount: str | int, exact: int) -> None:
    assert micros(amount) == exact


@pytest.mark.parametrize("amount", ["1e99", "0.0000001", "NaN", "Infinity", "x", "9007199254.740993"])
def test_what_cannot_be_kept_exactly_is_refused(amount: str) -> None:
    with pytest.raises(ValueError, match=r"amount|decimals"):
        micros(amount)
