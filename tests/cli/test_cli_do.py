"""`shoe do` and `shoe enter` at a running daemon: what an order says, does, and why it is refused."""

from collections.abc import Callable
from operator import itemgetter

import pytest

from firmware_bridge.facts import orders
from tests.cli.watch import watched
from tests.kit import broker as real
from tests.kit import command
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures
table = watched.table  # fixture


def test_a_whole_shoe_is_opened_dealt_and_closed_by_hand(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table(table={"new_shoe": "command", "betting": "required"})

    def do(*words: str) -> tuple[int, str]:
        ran = shoe("do", *words, "--by", "anna", "--config", bridge.config_path)
        return ran.code, ran.out or ran.err

    no_shoe = "shoe: void refused: no shoe is open; open a shoe first: sudo shoe do open-shoe --by NAME\n"
    assert do("void", "--why", "x") == (1, no_shoe)
    assert do("open-shoe", "--lot", "0", "--decks", "6", "--dealer", "eve", "--confirmed-by", "ben")[0] == 0
    assert status(bridge)["table"]["cards_left"] == 312
    assert do("bets-closed")[0] == 0
    assert do("bets_open")[0] == 0
    assert do("bets-closed")[0] == 0
    assert do("next") == (1, "shoe: next refused: there is no round to end\n")
    bridge.deal("9s Td")
    assert do("void", "--why", "dropped", "--yes")[0] == 0
    assert do("close-shoe", "--why", "over")[0] == 0
    orders = [line.entry.input for line in bridge.lines() if line.entry and hasattr(line.entry.input, "order")]
    assert {order.by for order in orders} == {"anna"}
    assert [order.order.why for order in orders if hasattr(order.order, "why")] == ["x", "dropped", "over"]


WRITTEN = {
    "mark 3 raise 6": orders.Mark("raise", 3, "6"),
    "mark 3 raise 6 --round 2 --turn 9": orders.Mark("raise", 3, "6", round=2, turn=9),
    "mark S3 raise 6": orders.Mark("raise", 3, "6"),
    "mark S3:raise=6": orders.Mark("raise", 3, "6"),
    "mark lot S3": orders.Mark("lot", value="3"),
    "bets-closed S1=100 3=12.5": orders.BetsClosed(bets={"1": "100", "3": "12.5"}),
    "unmark --seat S3": orders.Unmark(seat=3),
    "mark lot 3": orders.Mark("lot", value="3"),
    "mark 3:raise=6 --turn 9": orders.Mark("raise", 3, "6", turn=9),
    "mark S": orders.Mark("S"),
    "mark 12 fold": orders.Mark("fold", 12),
    "mark DD 40.5": orders.Mark("DD", value="40.5"),
    "bets-closed": orders.BetsClosed(),
    "bets-closed 1=100 3=12.5": orders.BetsClosed(bets={"1": "100", "3": "12.5"}),
    "bets-closed --money 1=500 2=80": orders.BetsClosed(money={"1": "500", "2": "80"}),
    "bets-closed 1=500 --money": orders.BetsClosed(money={"1": "500"}),
    "correct 1 9sKdThKc --why w": orders.Correct(1, ("9s", "Kd", "Th", "Kc"), "w"),
    "correct 1 9sKdThKc --missed 2 --why w": orders.Correct(1, ("9s", "Kd", "Th", "Kc"), "w", missed=2),
    "correct 1 9sKd Th Kc --why w": orders.Correct(1, ("9s", "Kd", "Th", "Kc"), "w"),
    "correct 1 2s,1:fold,lot=3 --why w": orders.Correct(1, ("2s", "1:fold", "lot=3"), "w"),
    "correct 1 2s 1:raise=6 1pwp lot=3 S --why w": orders.Correct(
        1, ("2s", "1:raise=6", "1p", "wp", "lot=3", "S"), "w"
    ),
}


@pytest.mark.parametrize("some", [[*WRITTEN][n : n + 5] for n in range(0, len(WRITTEN), 5)], ids=itemgetter(0))
def test_an_order_says_what_was_written(some: list[str], table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    """Five at a table: of more refusals in a row there is only a count on record."""
    bridge = table()
    for words in some:
        assert shoe("do", *words.split(), "--by", "anna", "--config", bridge.config_path).code in (0, 1)
    given = [line.entry.input for line in bridge.lines() if line.entry and hasattr(line.entry.input, "order")]
    assert [each.order for each in given][-len(some) :] == [WRITTEN[words] for words in some]


def test_a_mark_that_a_game_does_not_have_is_refused(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table()
    bridge.deal("9s")
    ran = shoe("do", "mark", "3", "raise", "6", "--by", "anna", "--config", bridge.config_path)
    assert (ran.code, ran.err) == (1, "shoe: mark refused: unknown; baccarat has no marks\n")


def test_an_order_that_is_too_long_is_refused_with_a_hint(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table()
    ran = shoe("do", "void", "--by", "anna", "--why", "x" * 100_000, "--config", bridge.config_path)
    assert (ran.code, ran.err[:44]) == (1, "shoe: void refused: the command is too long;")
    ran = shoe("do", "void", "--by", "anna", "--why", "x" * 501, "--config", bridge.config_path)
    assert "the reason is too long: at most 500 characters" in ran.err


def test_resend_by_journal_and_by_time(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table()
    bridge.deal("9s Td Ts Tc")
    journal = status(bridge)["journal"]

    def resend(*words: str) -> command.Ran:
        return shoe("do", "resend", *words, "--by", "anna", "--json", "--config", bridge.config_path)

    assert resend("--journal", journal, "--from", "1", "--to", "2").json == [{"ok": True, "do": "resend"}]
    assert resend("--since", "2026-01-01T00:00:00Z").code == 0
    refused = resend("--journal", "9-abc")
    assert refused.code == 1
    assert refused.json[0]["hint"] == "see `shoe journal list`"


def test_two_people_enter_a_card_that_was_not_read(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table()
    bridge.deal("9s")
    bridge.board.fault("unreadable")
    bridge.until(lambda: status(bridge)["alarm"]["open"])
    assert status(bridge)["mode"] == "FULL"

    def enter(card: str, second: str) -> command.Ran:
        return shoe("enter", card, "--by", "anna", "--second", second, "--config", bridge.config_path)

    assert "refused" in enter("Td", "anna").err
    assert enter("Td", "ben").code == 0
    assert status(bridge)["table"]["slots"] == [{"slot": "P1", "card": "9s"}, {"slot": "B1", "card": "Td"}]
