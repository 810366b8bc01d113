"""Orders by MQTT: each is obeyed once and answered; a refusal says why."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts.orders import ALL
from tests.daemon import listened
from tests.daemon.listened import COMMAND, status_is, types
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend

broker, brokers = real.broker, real.brokers  # fixtures
backend, table = listening.backend, listened.table  # fixtures


def test_an_answer_goes_to_the_response_topic_with_its_correlation(table: Any, backend: Backend) -> None:
    table()
    status_is(backend, "online")
    backend.publish(COMMAND, {"id": "a", "do": "open_shoe"}, response_topic="shoe/T07/reply/me", correlation=b"7")
    answer = backend.wait_for(lambda each: each.topic == "shoe/T07/reply/me")
    assert (answer.payload["id"], answer.payload["ok"], answer.correlation) == ("a", True, b"7")


GIVEN: dict[str, dict[str, Any]] = {
    "open_shoe": {"pack": {"decks": 8}, "dealer": "eve", "confirmed_by": "ben"},
    "mark": {"seat": 1, "word": "H"},
    "reveal": {"slots": ["P1"]},
    "dealer": {"dealer": "eve"},
    "void": {"why": "misdeal"},
    "resolve": {"irregularity": "duplicate", "choice": "keep", "why": "seen"},
    "correct": {"round": 1, "cards": ["9s", "Kd", "Th", "9c"], "why": "misread"},
    "resend": {"since": "2026-01-01T00:00:00Z"},
}
"""What the orders need that are more than a word."""


def test_every_order_is_answered(table: Any, backend: Backend) -> None:
    table(mqtt={"commands": list(ALL)})
    status_is(backend, "online")
    for do in ALL:
        backend.publish(COMMAND, {"id": do, "do": do, **GIVEN.get(do, {})})
    backend.wait_until(lambda: {each["id"] for each in backend.on("reply")} == set(ALL))
    assert not [each for each in backend.on("reply") if "is not allowed here" in each.get("error", "")]


def test_an_order_of_two_people_is_refused_by_mqtt(table: Any, backend: Backend) -> None:
    orders = ["void", "correct", "resolve"]
    table(mqtt={"commands": orders}, service={"second_person": orders})
    status_is(backend, "online")
    backend.publish(COMMAND, {"id": "a", "do": "void", "why": "misdeal", "second": "bo"})
    answer = backend.wait_for(lambda each: each.topic.endswith("/reply") and each.payload["id"] == "a").payload
    assert (answer["ok"], answer["error"]) == (False, '"second" is only allowed at the table')


@pytest.mark.parametrize("elsewhere", [None, "other/table/reply/me", "shoe/T07/event"])
def test_any_other_answer_goes_to_reply(table: Any, backend: Backend, elsewhere: str | None) -> None:
    table()
    status_is(backend, "online")
    backend.publish(COMMAND, {"id": "a", "do": "open_shoe"}, response_topic=elsewhere)
    assert backend.wait_for(lambda each: "ok" in each.payload).topic == "shoe/T07/reply"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ({"do": "next"}, "there is no round to end"),
        ({"do": "nxet"}, "nxet is not a command"),
        ({"do": "void"}, "the reason is missing"),
        ({"do": "enter", "card": "As", "second": "b"}, "enter is not allowed here"),
        ({"do": "resend", "journal": "9-none", "from": 1}, "journal 9-none is not on this disk"),
        ({"order": "next"}, '"do" is missing'),
        ({"do": "void", "why": "x" * 5_000}, "too long"),
        ({"do": "next", "id": ""}, '"id" must be a text of 1 to 64 printable characters'),
    ],
)
def test_a_refused_command_says_why(table: Any, backend: Backend, command: dict[str, Any], error: str) -> None:
    table()
    status_is(backend, "online")
    backend.publish(COMMAND, {"id": "x"} | command)
    answer = backend.wait_for(lambda each: each.topic.endswith("/reply")).payload
    assert answer["ok"] is False
    assert error in answer["error"]
    assert answer.get("do") == command.get("do") or "do" not in answer
    assert not {"malformed", "digest"} & {*answer, answer.get("do")}


def test_a_repeated_id_acts_once_also_after_a_restart(table: Any, backend: Backend) -> None:
    bridge = table()
    status_is(backend, "online")
    for _ in range(2):
        backend.publish(COMMAND, {"id": "once", "do": "open_shoe"})
    backend.wait_until(lambda: len(backend.on("reply")) == 2)
    bridge.kill()
    status_is(backend, "lost")
    bridge.start()
    status_is(backend, "online")
    backend.publish(COMMAND, {"id": "once", "do": "open_shoe"})
    backend.wait_until(lambda: len(backend.on("reply")) == 3)
    assert [(each["id"], each["ok"]) for each in backend.on("reply")] == [("once", True)] * 3
    assert types(backend).count("ShoeOpened") == 1


def test_a_used_id_with_another_order_is_refused_and_keeps_its_answer_also_after_a_restart(
    table: Any, backend: Backend
) -> None:
    bridge = table()
    status_is(backend, "online")
    backend.publish(COMMAND, {"id": "1", "do": "open_shoe"})
    backend.publish(COMMAND, {"id": "1", "do": "close_shoe"})
    backend.wait_until(lambda: len(backend.on("reply")) == 2)
    bridge.kill()
    status_is(backend, "lost")
    bridge.start()
    status_is(backend, "online")
    backend.publish(COMMAND, {"do": "open_shoe", "id": "1", "dealer": ""})
    backend.publish(COMMAND, {"id": "1", "do": "open_shoe", "dealer": "eve"})
    backend.wait_until(lambda: len(backend.on("reply")) == 4)
    done, used, again, other = backend.on("reply")
    assert (done["ok"], again["ok"]) == (True, True)
    for each, do in ((used, "close_shoe"), (other, "open_shoe")):
        assert (each["ok"], each["id"], each["do"]) == (False, "1", do)
        assert (each["error"], each["hint"]) == (
            "this id was already used for open_shoe",
            "use a new id for each order",
        )
    assert 'looks like "backend"' in bridge.ask(do="open_shoe", id="1", by="backend")["error"]
    assert "was already used for open_shoe" in bridge.ask(do="open_shoe", id="1", by="anna")["error"]


def test_a_retained_command_is_ignored(table: Any, backend: Backend) -> None:
    backend.publish(COMMAND, {"id": "old", "do": "open_shoe"}, retain=True)
    bridge = table()
    status_is(backend, "online")
    bridge.until(lambda: "retained command" in bridge.log)
    backend.publish(COMMAND, {"id": "new", "do": "close_shoe"})
    backend.wait_until(lambda: backend.on("reply"))
    assert [each["id"] for each in backend.on("reply")] == ["new"]
    assert "ShoeOpened" not in types(backend)


def test_resend_sends_the_same_bytes_again(table: Any, backend: Backend) -> None:
    bridge = table()
    status_is(backend, "online")
    bridge.deal("9s Td Ts Tc")
    opened = backend.wait_for(lambda each: each.topic.endswith("/round")).payload
    before = [p for p in backend.on("event") if p["journal"] == opened["journal"] and 2 <= p["seq"] <= 4]
    seen = len(backend.received)
    backend.publish(COMMAND, {"id": "r", "do": "resend", "journal": opened["journal"], "from": 2, "to": 4})
    backend.wait_until(lambda: len(again(backend, seen, opened["journal"])) == len(before))
    assert again(backend, seen, opened["journal"]) == before


def again(backend: Backend, since: int, journal: str) -> list[dict[str, Any]]:
    late = [each.payload for each in backend.received[since:] if each.topic.endswith("/event")]
    return [payload for payload in late if payload["journal"] == journal and 2 <= payload["seq"] <= 4]


@pytest.mark.parametrize("allowed", [True, False])
def test_a_mark_is_taken_back_by_mqtt_where_that_is_allowed(table: Any, backend: Backend, allowed: bool) -> None:
    game = {"game": "niuniu", "burn": "none", "new_shoe": "auto"}
    table(table=game, mqtt={"commands": ["mark", "next", *["unmark"] * allowed]})
    status_is(backend, "online")
    backend.publish(COMMAND, {"id": "1", "do": "mark", "seat": 1, "word": "grab", "value": "1", "round": 1, "turn": 0})
    backend.wait_until(lambda: backend.on("reply"))
    assert backend.on("reply")[-1]["ok"]
    backend.publish(COMMAND, {"id": "2", "do": "unmark"})
    backend.wait_until(lambda: len(backend.on("reply")) == 2)
    answer = backend.on("reply")[-1]
    assert answer["ok"] is allowed
    if allowed:
        backend.wait_until(lambda: "MarkTakenBack" in types(backend))
        (taken,) = [each["event"] for each in backend.on("event") if each["event"]["type"] == "MarkTakenBack"]
        assert (taken["seat"], taken["word"], taken["value"], taken["by"]) == ("1", "grab", "1", "backend")
    else:
        assert "unmark is not allowed here" in answer["error"]
