"""Signed orders at a daemon: each acts once, of now, with the right of its key; all else is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.record.verify import parse_vkey
from tests.daemon import listened
from tests.daemon.listened import COMMAND, status_is, types
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.command import status
from tests.kit.order_keys import OrderKey, answer, as_of

broker, brokers = real.broker, real.brokers  # fixtures
backend, table = listening.backend, listened.table  # fixtures

BETS = ("bets_open", "bets_closed", "void", "open_shoe")


def events(backend: Backend, kind: str) -> list[dict[str, Any]]:
    """The events of a type, repeats dropped."""
    first = {(each["journal"], each["seq"], each["n"]): each["event"] for each in backend.on("event")}
    return [each for each in first.values() if each["type"] == kind]


def test_a_signed_order_acts_once_and_is_on_record_by_its_key(table: Any, backend: Backend) -> None:
    cage = OrderKey("cage", *BETS)
    table(orders=[cage.row])
    status_is(backend, "online")
    order = cage.order(as_of(backend), do="open_shoe")
    first = answer(backend, order)
    assert (first["ok"], first["do"]) == (True, "open_shoe")
    again = answer(backend, order)
    assert (again["ok"], again["id"]) == (True, first["id"])
    assert types(backend).count("ShoeOpened") == 1
    (on_record,) = events(backend, "CommandAnswered")
    assert (on_record["by"], on_record["count"]) == ("key/cage", 1)


def test_the_person_whom_a_key_names_is_on_record(table: Any, backend: Backend) -> None:
    page = OrderKey("page", *BETS)
    table(orders=[page.row])
    status_is(backend, "online")
    order = page.order(as_of(backend), do="open_shoe", on_behalf_of="ANNA")
    assert answer(backend, order)["ok"]
    (on_record,) = events(backend, "CommandAnswered")
    assert (on_record["by"], on_record["on_behalf_of"]) == ("key/page", "ANNA")
    used = page.order(as_of(backend), do="open_shoe", id="page-1", on_behalf_of="BO")
    assert answer(backend, used)["error"] == "this id was already used for open_shoe"
    nobodies: tuple[Any, ...] = ("", " ", "x" * 65, "a\nb", 7, None, {})
    for nobody in nobodies:
        refused = answer(backend, page.order(as_of(backend), do="open_shoe", on_behalf_of=nobody))
        assert (refused["code"], "on_behalf_of" in refused["error"]) == ("shape", True)


def test_without_a_signature_no_person_is_named(table: Any, backend: Backend) -> None:
    """Anybody could name anybody."""
    table()
    status_is(backend, "online")
    order = {"id": "a", "do": "open_shoe", "on_behalf_of": "ANNA"}
    assert "on_behalf_of" in answer(backend, json.dumps(order).encode())["error"]
    assert answer(backend, OrderKey("page").order(as_of(backend), do="open_shoe", on_behalf_of="ANNA"))["ok"]
    assert not any("on_behalf_of" in each for each in events(backend, "CommandAnswered"))


def test_each_refusal_has_its_code(table: Any, backend: Backend) -> None:
    cage, other = OrderKey("cage", *BETS), OrderKey("other", "void")
    table(orders=[cage.row])
    status_is(backend, "online")
    now = as_of(backend)
    envelope = json.loads(cage.order(now, do="open_shoe"))

    def code(payload: bytes) -> str:
        found = answer(backend, payload)
        assert not found["ok"]
        assert found["hint"]
        return str(found["code"])

    assert code(b'{"key":"' + b"x" * 9_000 + b'"}') == "too_long"
    assert code(b"not JSON") == "shape"
    assert code(json.dumps(envelope | {"more": 1}).encode()) == "shape"
    assert code(b'{"id":"a","do":"open_shoe"}') == "unsigned"
    assert code(other.order(now, do="void", why="x")) == "unknown_key"
    assert code(json.dumps(envelope | {"order": envelope["order"].replace("open", "shut")}).encode()) == "bad_signature"
    assert code(cage.order(now, topic="shoe/T08/command", do="open_shoe")) == "bad_signature"
    assert code(cage.seal('{"id":"x","do":"open_shoe"}')) == "shape"
    assert code(cage.seal('{"id":"x","do":"open_shoe","count":99,"count":1}')) == "shape"
    assert code(cage.order(now, do="open_shoe", count=2**53)) == "count_ahead"
    assert code(cage.order(None, do="open_shoe")) == "as_of"
    assert code(cage.order(now | {"seq": 999}, do="open_shoe")) == "as_of"
    assert code(cage.order(now | {"boot": "00000000"}, do="open_shoe")) == "as_of"
    assert code(cage.order(now | {"journal": "9-none"}, do="open_shoe")) == "as_of"
    assert code(cage.order(as_of(backend), do="close_shoe")) == "not_allowed"
    assert code(cage.order(as_of(backend), do="open_shoe", expires="soon")) == "expired"
    assert code(cage.order(as_of(backend), do="bets_closed")) == "round"
    assert code(cage.order(as_of(backend), do="bets_closed", round=7)) == "round"
    assert answer(backend, cage.order(as_of(backend), do="open_shoe", expires="2020-01-01T00:00:00Z"))["ok"]
    assert types(backend).count("ShoeOpened") == 1


def test_a_count_below_the_last_is_refused_and_the_sender_goes_on_from_it(table: Any, backend: Backend) -> None:
    cage = OrderKey("cage", *BETS)
    table(orders=[cage.row])
    status_is(backend, "online")
    ahead = 4_000_000_000_000
    assert answer(backend, cage.order(as_of(backend), do="open_shoe", count=ahead))["ok"]
    refused = answer(backend, cage.order(as_of(backend), do="void", why="x", round=1, count=1_795_409_800_123))
    assert (refused["code"], refused["count"]) == ("old_count", ahead)
    went_on = answer(backend, cage.order(as_of(backend), do="void", why="x", round=1, count=refused["count"] + 1))
    assert went_on["error"] == "no round is open"


def test_a_new_key_under_the_same_name_has_used_no_count(table: Any, backend: Backend) -> None:
    cage, new = OrderKey("cage", *BETS), OrderKey("cage", *BETS, seed="new")
    bridge = table(orders=[cage.row])
    status_is(backend, "online")
    assert answer(backend, cage.order(as_of(backend), do="open_shoe", count=4_000_000_000_000))["ok"]
    bridge.stop()
    status_is(backend, "stopped")
    bridge.configure(orders=[new.row])
    bridge.start()
    status_is(backend, "online")
    assert answer(backend, cage.order(as_of(backend), do="void", why="x", round=1))["code"] == "bad_signature"
    assert (
        answer(backend, new.order(as_of(backend), id="new", do="void", why="x", round=1))["error"] == "no round is open"
    )
    keys = [each["order_keys"]["cage"] for each in events(backend, "BridgeStarted")]
    assert keys == [parse_vkey(each.row["key"]).public.hex() for each in (cage, new)]


def test_a_refused_order_sent_again_when_it_fits_stays_refused(table: Any, backend: Backend) -> None:
    cage = OrderKey("cage", *BETS)
    bridge = table(orders=[cage.row], mqtt={"commands": ["open_shoe"]})
    status_is(backend, "online")
    early = cage.order(as_of(backend), do="bets_closed", round=1)
    first = answer(backend, early)
    assert first["code"] == "round"
    backend.publish(COMMAND, {"id": "s", "do": "open_shoe"})
    backend.wait_until(lambda: "ShoeOpened" in types(backend))
    backend.wait_until(lambda: len(backend.on("reply")) == 2)
    again = answer(backend, early)
    assert (again["ok"], again["error"]) == (False, first["error"])
    without_its_id = json.loads(json.loads(early)["order"])
    assert answer(backend, cage.seal(json.dumps(without_its_id | {"id": "new"})))["code"] == "old_count"
    assert types(backend).count("BetsClosed") == 0
    bridge.stop()


def test_counts_survive_a_restart_and_an_order_of_before_is_refused(table: Any, backend: Backend) -> None:
    cage = OrderKey("cage", *BETS)
    bridge = table(orders=[cage.row])
    status_is(backend, "online")
    before = as_of(backend)
    assert answer(backend, cage.order(before, do="open_shoe"))["ok"]
    kept_back = cage.order(as_of(backend), do="void", why="x", round=1)
    bridge.kill()
    status_is(backend, "lost")
    bridge.start()
    status_is(backend, "online")
    assert answer(backend, kept_back)["code"] == "as_of"
    assert answer(backend, cage.order(as_of(backend), do="void", why="x", round=1, count=1))["code"] == "old_count"
    assert answer(backend, cage.order(as_of(backend), do="void", why="x", round=1))["error"] == "no round is open"


def test_a_rolled_back_card_takes_no_order_of_before_though_its_entries_have_the_same_numbers(
    table: Any, backend: Backend, tmp_path: Path
) -> None:
    cage = OrderKey("cage", *BETS)
    bridge = table(orders=[cage.row])
    status_is(backend, "online")
    assert answer(backend, cage.order(as_of(backend), do="open_shoe"))["ok"]
    bridge.stop()
    image = shutil.copytree(bridge.journal_dir, tmp_path / "image", ignore=shutil.ignore_patterns("*.sock"))
    bridge.start()
    status_is(backend, "online")
    seen = as_of(backend)
    captured = cage.order(seen, do="void", why="x", round=1)
    assert answer(backend, captured)["error"] == "no round is open"
    bridge.stop()
    shutil.rmtree(bridge.journal_dir)
    image.rename(bridge.journal_dir)
    bridge.start()
    status_is(backend, "online")
    again = as_of(backend)
    assert again["journal"] == seen["journal"]
    assert again["seq"] >= seen["seq"]
    assert answer(backend, captured)["code"] == "as_of"


def test_a_table_without_a_clock_takes_good_orders_whatever_they_say_of_time(table: Any, backend: Backend) -> None:
    cage = OrderKey("cage", *BETS)
    table(orders=[cage.row])
    backend.wait_until(lambda: backend.on("status") and backend.on("status")[-1]["clock"] != "synchronised")
    assert answer(backend, cage.order(as_of(backend), do="open_shoe", expires="1999-01-01T00:00:00Z"))["ok"]


def test_refusals_are_counted_and_go_on_record_at_stop_with_the_highest_count(table: Any, backend: Backend) -> None:
    cage = OrderKey("cage", *BETS)
    bridge = table(orders=[cage.row])
    status_is(backend, "online")
    for _ in range(8):
        answer(backend, cage.order(as_of(backend), do="close_shoe"))
    for _ in range(4):
        answer(backend, b"{}")
    bridge.stop()
    bridge.start()
    backend.wait_until(lambda: "OrdersRefused" in types(backend))
    (refused,) = events(backend, "OrdersRefused")
    one_by_one = len(events(backend, "CommandAnswered"))
    assert refused["why"] == {"not_allowed": 8 - one_by_one, "shape": 4}
    assert refused["counts"] == {"cage": 8}
    status_is(backend, "online")
    assert answer(backend, cage.order(as_of(backend), do="open_shoe", count=8))["code"] == "old_count"


def test_a_table_without_keys_takes_what_is_in_an_envelope(table: Any, backend: Backend) -> None:
    table()
    status_is(backend, "online")
    assert answer(backend, OrderKey().order(None, do="open_shoe", id="a"))["ok"]
    assert [each["by"] for each in events(backend, "CommandAnswered")] == ["backend"]


def test_stored_comes_signed_too(table: Any, backend: Backend) -> None:
    floor = OrderKey("floor", "stored", "resend")
    bridge = table(orders=[floor.row], mqtt={"stored": "floor"})
    status_is(backend, "online")
    now = as_of(backend)
    stored = json.dumps({"journal": now["journal"], "seq": now["seq"], "by": "floor"})
    topic = "shoe/T07/stored"
    assert answer(backend, stored.encode(), topic)["error"].startswith("stored: ")
    backend.publish(topic, floor.seal(stored, topic))
    bridge.until(lambda: status(bridge)["broker"]["store"]["stored"])
    assert answer(backend, floor.order(None, do="resend", since="2026-01-01T00:00:00Z"))["ok"]


TWO: dict[str, Any] = {"service": {"second_person": ["void", "resolve", "correct"]}}


@pytest.mark.parametrize(
    ("names_two", "fields", "error"),
    [
        (True, {"on_behalf_of": "Ann", "second": "Bo"}, None),
        (False, {"on_behalf_of": "Ann", "second": "Bo"}, '"second" is only allowed at the table'),
        (True, {"second": "Bo"}, '"second" is only allowed at the table'),
        (True, {"on_behalf_of": "Ann", "second": "ANN"}, "void has one person twice"),
        (True, {"on_behalf_of": "Ann", "second": "a\u200bnn"}, "the second name contains the character \\u200b"),
        (True, {"on_behalf_of": "Ann", "second": "key/page"}, 'the second name looks like "key/", which is no person'),
        (True, {"on_behalf_of": "Ann"}, "void needs two people at this table ([service] second_person)"),
        (True, {"on_behalf_of": "Ann", "second": "\u3000"}, "void needs two people at this table"),
    ],
)
def test_only_a_key_that_may_names_the_second_person(
    table: Any, backend: Backend, names_two: bool, fields: dict[str, Any], error: str | None
) -> None:
    page = OrderKey("page", "void", "correct", two_people=names_two)
    floor = table(orders=[page.row], mqtt={"commands": ["open_shoe", "void"]}, **TWO)
    status_is(backend, "online")
    published = backend.on("status")[-1]
    assert published["orders"] == {"": ["open_shoe", "void"], "page": ["void", "correct"]}
    assert published["two_people"] == (["page"] if names_two else [])
    floor.deal("9d 4s")
    backend.wait_until(lambda: len(events(backend, "CardDealt")) == 2)
    given = answer(backend, page.order(as_of(backend), do="void", why="misdeal", round=1, **fields))
    assert (given["ok"], (given.get("error") or "")[: len(error or "")]) == (error is None, error or "")
    if error is None:
        backend.wait_until(lambda: events(backend, "RoundVoided"))
        (voided,) = events(backend, "RoundVoided")
        assert (voided["by"], voided["second"]) == ("key/page", "Bo")


def test_no_key_names_the_second_person_of_a_correction_and_no_unsigned_order_does(
    table: Any, backend: Backend
) -> None:
    page = OrderKey("page", "correct", two_people=True)
    table(orders=[page.row], mqtt={"commands": ["open_shoe", "void"]}, **TWO)
    status_is(backend, "online")
    two = {"on_behalf_of": "Ann", "second": "Bo", "why": "x"}
    given = answer(backend, page.order(as_of(backend), do="correct", round=1, cards=["9s"], **two))
    assert (given["ok"], given["error"]) == (False, '"second" is only allowed at the table')
    given = answer(backend, json.dumps({"id": "u", "do": "void", "second": "Bo", "why": "x"}).encode())
    assert (given["ok"], given["error"]) == (False, '"second" is only allowed at the table')
