"""The way of a card from the reader to the backend, and of the daemon from its start to its end."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from firmware_bridge.facts.cards import Card
from firmware_bridge.journal.messages import messages
from tests.daemon import listened
from tests.daemon.listened import COMMAND, dealt, status_is, types
from tests.daemon.rule_book import by_the_book, shoe, timeless
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend

broker, brokers = real.broker, real.brokers  # fixtures
backend, table = listening.backend, listened.table  # fixtures


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


def test_live_odds_are_published_where_the_house_wants_them(table: Any, backend: Backend) -> None:
    table(mqtt={"live_odds": True}).deal("9s Kd Th Kc")
    published = backend.wait_until(lambda: next((each for each in backend.on("odds") if each["round"] == 2), None))
    assert published["odds"]["banker"]["tiers"][-1]["pays"] == -1


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


def test_a_killed_daemon_is_reported_by_its_will(table: Any, backend: Backend) -> None:
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
    assert "the order has no name" in bridge.ask(do="open_shoe")["error"]
    assert bridge.ask(do="open_shoe", by="anna")["ok"]
    assert bridge.ask(do="status")["table"]["phase"] == "ready"
    answered = backend.wait_for(lambda each: each.payload.get("event", {}).get("type") == "CommandAnswered")
    assert answered.payload["event"]["by"] == "anna"
