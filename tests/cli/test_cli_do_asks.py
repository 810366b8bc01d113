"""Acts that move money: shown, asked about, and given by two people where the house wants it."""

from __future__ import annotations

import os
import pty
from collections.abc import Callable
from typing import Any

import pytest

from firmware_bridge.daemon.table.preview import preview
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts import events, orders
from firmware_bridge.games.house import house_of
from firmware_bridge.shoe import Shoe
from tests.cli.watch import watched
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import ended, until

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures
table = watched.table  # a fixture

Make = Callable[..., DaemonTable]
CLOSED = "9s Td Ts Tc"
OTHER = ("correct", "1", "9sTdTs9c", "--why", "misread", "--by", "anna")


def _events(bridge: DaemonTable) -> list[object]:
    return [event for line in bridge.lines() if line.entry for event in line.entry.events]


def _typed(bridge: DaemonTable, answer: str, *words: str) -> tuple[int, str]:
    """Exit code and output of `shoe do` at a terminal, where `answer` is typed once it asks."""
    ours, theirs = pty.openpty()
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    process = command.spawn("do", *words, "--config", bridge.config_path, **streams)
    os.close(theirs)
    os.set_blocking(ours, False)
    shown, is_closed = b"", False

    def asks() -> bool:
        nonlocal shown, is_closed
        try:
            shown += os.read(ours, 4_096)
        except BlockingIOError:
            pass
        except OSError:  # the kernel passes on what was written first, some time after it was
            is_closed = True
        return b"[y/N]" in shown or is_closed

    until(asks)
    os.write(ours, answer.encode() + b"\n")
    code = ended(process)
    until(lambda: asks() and is_closed)
    os.close(ours)
    return code, shown.decode().replace("\r\n", "\n")


def test_a_correction_shows_before_and_after_and_asks(table: Make) -> None:
    bridge = table()
    bridge.deal(CLOSED)
    code, shown = _typed(bridge, "n", *OTHER)
    assert (code, "nothing is changed" in shown) == (1, True)
    assert "before: player; player 9s Ts (natural 9); banker Td Tc (0)\n" in shown
    assert "after:  tie; player 9s Ts (natural 9); banker Td 9c (natural 9)\n" in shown
    assert "  tie                                -1 ->        8  (+9)\n" in shown
    assert not [each for each in _events(bridge) if isinstance(each, events.RoundCorrected)]
    code, shown = _typed(bridge, "y", *OTHER)
    assert (code, shown.splitlines()[-1]) == (0, "correct: done")
    assert [each.by for each in _events(bridge) if isinstance(each, events.RoundCorrected)] == ["anna"]


def test_without_a_terminal_it_is_refused_and_says_so(table: Make, shoe: command.Run) -> None:
    bridge = table()
    bridge.deal(f"{CLOSED} 2s")
    before = len(bridge.lines())
    for words in (OTHER, ("void", "--why", "misdeal", "--by", "anna")):
        ran = shoe("do", *words, "--config", bridge.config_path)
        asks = f"shoe do: {words[0]} asks before it acts, and there is no terminal; add --yes; nothing is changed\n"
        assert (ran.code, ran.err) == (2, asks)
    assert len(bridge.lines()) == before
    ran = shoe("do", "void", "--why", "misdeal", "--by", "anna", "--yes", "--config", bridge.config_path)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "round 2, not closed; cards: 2s")


def test_a_correction_that_changes_nothing_is_refused(table: Make, shoe: command.Run) -> None:
    bridge = table()
    bridge.deal(CLOSED)
    words = ("correct", "1", "9sTdTsTc", "--why", "again", "--by", "anna", "--yes")
    ran = shoe("do", *words, "--config", bridge.config_path)
    said = "shoe: correct refused: this changes nothing: round 1 is on record so; check the cards\n"
    assert (ran.code, ran.err) == (1, said)
    assert not [each for each in _events(bridge) if isinstance(each, events.RoundCorrected)]


@pytest.mark.parametrize(
    ("second", "error"),
    [
        ("", "void needs two people at this table ([service] second_person)"),
        (" Anna ", "void has one person twice"),
        ("bo", None),
    ],
)
def test_a_house_may_ask_for_two_people(table: Make, second: str, error: str | None) -> None:
    bridge = table(service={"second_person": ["correct", "void"]})
    bridge.deal("9s")
    answer = bridge.ask(do="void", why="misdeal", by="anna", second=second)
    assert (answer["ok"], answer.get("error")) == (error is None, error)
    voided = [(each.by, each.second) for each in _events(bridge) if isinstance(each, events.RoundVoided)]
    assert voided == ([] if error else [("anna", "bo")])


def test_a_backend_alone_gives_no_order_of_two_people(table: Make, broker: real.Broker) -> None:
    bridge = table(service={"second_person": ["void"]}, mqtt={"commands": ["void"], "port": broker.port})
    bridge.deal("9s")
    with Backend(broker.port) as backend:
        backend.wait_until(lambda: backend.on("status"))
        backend.publish("shoe/T07/command", {"id": "a", "do": "void", "why": "misdeal"})
        answer = backend.wait_for(lambda each: each.topic == "shoe/T07/reply").payload
    assert answer["error"] == "void needs two people at this table ([service] second_person)"
    assert answer["hint"] == "give it at the table with both names: --by NAME --second NAME"
    assert not [each for each in _events(bridge) if isinstance(each, events.RoundVoided)]


def test_a_decision_that_voids_a_round_needs_two_people_too(table: Make) -> None:
    bridge = table(service={"second_person": ["void"]})
    bridge.deal("9s Td")
    bridge.ask(do="next", by="anna")
    refused = bridge.ask(do="resolve", irregularity="missing_third", choice="void", by="anna")
    assert refused["error"] == "resolve needs two people at this table ([service] second_person)"
    done = bridge.ask(do="resolve", irregularity="missing_third", choice="void", by="anna", second="bo")
    assert done["ok"], done
    assert [each.second for each in _events(bridge) if isinstance(each, events.RoundVoided)] == ["bo"]


def test_a_yes_to_what_was_shown_is_not_for_the_next_round(table: Make) -> None:
    bridge = table()
    bridge.deal("9s Td")
    seen = bridge.ask(do="preview", by="anna", order={"do": "void", "why": "misdeal"})
    assert (seen["ok"], seen["round"]) == (True, 1)
    bridge.deal("Ts Tc 2s")
    late = bridge.ask(do="void", why="misdeal", by="anna", as_of=seen["as_of"])
    assert (late["ok"], late["error"]) == (False, "the table went on after it was shown")


def test_a_decision_that_voids_a_round_asks_as_void_does(table: Make, shoe: command.Run) -> None:
    bridge = table()
    bridge.deal("9s Td")
    bridge.board.fault("jam")
    bridge.until(lambda: status(bridge)["alarm"]["open"])
    words = ("resolve", "jam", "void", "--by", "anna")
    ran = shoe("do", *words, "--config", bridge.config_path)
    asks = "shoe do: resolve asks before it acts, and there is no terminal; add --yes; nothing is changed\n"
    assert (ran.code, ran.err) == (2, asks)
    code, shown = _typed(bridge, "n", *words)
    assert (code, "round 1, not closed; cards: 9s Td\n" in shown, "Void round 1? [y/N]" in shown) == (1, True, True)
    assert not [each for each in _events(bridge) if isinstance(each, events.RoundVoided)]
    ran = shoe("do", *words, "--yes", "--config", bridge.config_path)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "resolve: done")
    assert [each.by for each in _events(bridge) if isinstance(each, events.RoundVoided)] == ["anna"]


def test_a_decision_that_voids_no_round_does_not_ask(table: Make, shoe: command.Run) -> None:
    bridge = table()
    bridge.deal("9s")
    bridge.board.fault("unreadable")
    bridge.until(lambda: status(bridge)["alarm"]["open"])
    ran = shoe("do", "resolve", "unreadable", "keep", "--by", "anna", "--config", bridge.config_path)
    assert (ran.code, "is not a choice" in ran.err) == (1, True)
    ran = shoe("do", "resolve", "jam", "void", "--by", "anna", "--config", bridge.config_path)
    assert (ran.code, "jam is not open" in ran.err) == (1, True)


def test_the_end_of_a_shoe_shows_the_round_that_it_voids_and_without_one_nothing() -> None:
    def seen(script: str) -> dict[str, Any]:
        return preview(shoe_after(script), orders.Resolve("lid_opened", "end-shoe"), "anna")

    assert seen("9s Td lid-open")["cards"] == [["P1", "9s"], ["B1", "Td"]]
    assert seen("9s Td Ts Tc lid-open")["ok"] is False
    assert seen("9s Td Ts Tc lid-open")["error"] == "there is nothing to show"


def shoe_after(script: str) -> Shoe:
    play = Replay(house_of(burn="none"), "T07", lambda _: None, close=None)
    list(play.play(parse(script)))
    return play.shoe
