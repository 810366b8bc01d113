import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.orders import ALL
from firmware_bridge.topics.event_and_round import messages
from tests import backend as listening
from tests import broker as real
from tests.backend import Backend
from tests.broker import Broker
from tests.system.rule_book import by_the_book, shoe, timeless
from tests.system.table import DaemonTable

broker, brokers, backend = real.broker, real.brokers, listening.backend  # fixtures

COMMAND = "shoe/T07/command"


@pytest.fixture
def table(tmp_path: Path, broker: Broker, backend: Backend) -> Iterator[Callable[..., DaemonTable]]:
    made: list[DaemonTable] = []

    def make(**sections: Any) -> DaemonTable:
        made.append(DaemonTable(tmp_path, broker.port, **sections))
        backend.meanwhile = lambda: made[-1].pause(0.005)
        return made[-1].start()

    yield make
    for each in made:
        each.close()


def dealt(backend: Backend) -> list[str]:
    """The cards dealt face up, repeats dropped."""
    first = {(payload["journal"], payload["seq"], payload["n"]): payload["event"] for payload in backend.on("event")}
    return [event["card"] for event in first.values() if event["type"] == "CardDealt" and "card" in event]


def types(backend: Backend) -> list[str]:
    """The types of all events; repeats, which may follow a restart, are dropped."""
    first = {(payload["journal"], payload["seq"], payload["n"]): payload for payload in backend.on("event")}
    return [payload["event"]["type"] for payload in first.values()]


def status_is(backend: Backend, state: str) -> None:
    backend.wait_until(lambda: [p["state"] for p in backend.on("status")][-1:] == [state])


def test_one_card_from_the_reader_to_the_backend(table: Any, backend: Backend) -> None:
    table().deal("9s")
    found = backend.wait_for(lambda each: each.payload.get("event", {}).get("type") == "CardDealt")
    assert found.topic == "shoe/T07/event"
    assert found.payload["event"] == {"type": "CardDealt", "card": "9s", "round": 1, "slot": "P1"}
    assert not found.retained


@pytest.mark.parametrize("procedure", ["on-demand", "six-card"])
def test_a_whole_shoe_gives_the_rounds_of_the_rule_book(table: Any, backend: Backend, procedure: str) -> None:
    house = {"procedure": procedure, "decks": 1, "burn": "first-card", "close": "auto"}
    expected, drawn = by_the_book(shoe(7), **house)
    bridge = table(table=house)
    bridge.deal(" ".join(shoe(7).split()[:drawn]))
    backend.wait_until(lambda: "ShoeEnded" in types(backend))
    assert timeless(backend.on("round")) == timeless(expected)
    assert [each["last"] for each in expected] == [False] * (len(expected) - 1) + [True]
    backend.wait_until(lambda: backend.on("table")[-1]["shoe_change"] == "due")


def test_what_the_backend_gets_is_the_journal_byte_for_byte_and_in_order(table: Any, backend: Backend) -> None:
    bridge = table(table={"decks": 1})
    bridge.deal("9s Td Ts Tc 2s 3h 4d 5c Ah Ad")
    wanted = [json.loads(each.payload) for line in bridge.lines() for each in messages(line)]
    backend.wait_until(lambda: len(backend.on("event")) + len(backend.on("round")) >= len(wanted))
    got = [each.payload for each in backend.received if each.topic.rsplit("/")[-1] in ("event", "round")]
    assert got == wanted


def test_six_card_with_next_by_mqtt(table: Any, backend: Backend) -> None:
    bridge = table(table={"procedure": "six-card"})
    status_is(backend, "online")
    bridge.deal("9s Td Ts Tc 2s 3h")
    assert not backend.on("round")
    backend.publish(COMMAND, {"id": "n1", "do": "next"})
    closed = backend.wait_for(lambda each: each.topic.endswith("/round")).payload
    assert closed["hands"]["player"] == {"cards": ["9s", "Ts"], "total": 9, "points": "natural 9"}
    assert closed["carried"] == 2
    bridge.deal("4s 5s")
    backend.wait_until(lambda: dealt(backend)[-2:] == ["4s", "5s"])
    revealed = [each["event"] for each in backend.on("event") if each["event"]["type"] == "CardRevealed"]
    assert [(each["card"], each["slot"]) for each in revealed] == [("2s", "P1"), ("3h", "B1")]


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


def test_live_odds_are_published_where_the_house_wants_them(table: Any, backend: Backend) -> None:
    table(mqtt={"live_odds": True}).deal("9s Kd Th Kc")
    told = backend.wait_until(lambda: next((each for each in backend.on("odds") if each["round"] == 2), None))
    assert told["odds"]["banker"]["tiers"][-1]["pays"] == -1


@pytest.mark.parametrize("elsewhere", [None, "other/table/reply/me", "shoe/T07/event"])
def test_any_other_answer_goes_to_reply(table: Any, backend: Backend, elsewhere: str | None) -> None:
    table()
    status_is(backend, "online")
    backend.publish(COMMAND, {"id": "a", "do": "open_shoe"}, response_topic=elsewhere)
    assert backend.wait_for(lambda each: "ok" in each.payload).topic == "shoe/T07/reply"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ({"do": "next"}, "nothing to end"),
        ({"do": "nxet"}, "nxet is no command"),
        ({"do": "void"}, "the reason is missing"),
        ({"do": "enter", "card": "As", "second": "b"}, "enter is not allowed here"),
        ({"do": "resend", "journal": "9-none", "from": 1}, "journal 9-none is not on this disk"),
        ({"order": "next"}, 'no "do"'),
        ({"do": "void", "why": "x" * 5_000}, "too long"),
        ({"do": "next", "id": ""}, '"id" is no text of 1 to 64 characters'),
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
            "this id was used for open_shoe",
            "give each order an id of its own",
        )
    assert bridge.ask(do="open_shoe", id="1", by="backend")["ok"]
    assert "was used for open_shoe" in bridge.ask(do="open_shoe", id="1", by="anna")["error"]


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


def test_sigterm_ends_cleanly_and_says_so(table: Any, backend: Backend) -> None:
    bridge = table()
    bridge.deal("9s Td")
    status_is(backend, "online")
    assert bridge.stop() == 0
    status_is(backend, "stopped")
    assert not (bridge.journal_dir / "control.sock").exists()
    assert "Traceback" not in bridge.log
    bridge.start().deal("Ts Tc")
    backend.wait_for(lambda each: each.topic.endswith("/round"))
    assert dealt(backend) == ["9s", "Td", "Ts", "Tc"]


def test_a_killed_daemon_is_told_by_its_will(table: Any, backend: Backend) -> None:
    bridge = table()
    status_is(backend, "online")
    bridge.kill()
    status_is(backend, "lost")


def test_sigint_ends_it_too(table: Any, backend: Backend) -> None:
    bridge = table()
    status_is(backend, "online")
    process = bridge.process
    process.send_signal(signal.SIGINT)
    bridge.until(lambda: process.poll() is not None)
    assert process.returncode == 0


def test_a_card_that_passes_while_the_daemon_is_down_is_dealt_afterwards(table: Any, backend: Backend) -> None:
    bridge = table()
    bridge.deal("9s Td")
    bridge.kill()
    bridge.pull("Ts Tc 2s")
    bridge.start()
    backend.wait_until(lambda: len(dealt(backend)) == 5)
    assert dealt(backend) == ["9s", "Td", "Ts", "Tc", "2s"]
    assert Card("9s").points == backend.on("round")[0]["hands"]["player"]["total"]


def test_the_control_socket_answers_and_signs_orders(table: Any, backend: Backend) -> None:
    bridge = table()
    status_is(backend, "online")
    assert bridge.ask(do="status")["broker"]["up"]
    assert "nobody signed" in bridge.ask(do="open_shoe")["error"]
    assert bridge.ask(do="open_shoe", by="anna")["ok"]
    assert bridge.ask(do="status")["table"]["phase"] == "ready"
    answered = backend.wait_for(lambda each: each.payload.get("event", {}).get("type") == "CommandAnswered")
    assert answered.payload["event"]["by"] == "anna"
