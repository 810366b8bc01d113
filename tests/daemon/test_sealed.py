from typing import Any

import pytest

from tests.daemon import ears as heard
from tests.daemon.ears import UNIQUE, keeps_still, secrets, tells
from tests.kit import broker as real
from tests.kit.command import piped
from tests.kit.wire import without_signatures

broker, brokers, ears = real.broker, real.brokers, heard.ears  # fixtures


def test_a_burned_card_is_sealed_until_the_shoe_has_ended(ears: Any) -> None:
    table = ears(burn="first-card")
    table.table.deal(f"2s {UNIQUE} 3s 9sTdTsTc cut 9hTcTdKs")
    table.backend.wait_until(lambda: "ShoeEnded" in str(table.backend.on("event")))
    burned = [each["event"] for each in table.backend.on("event") if each["event"]["type"] == "CardBurned"]
    before = without_signatures(str(table.backend.on("event")).split("ShoeEnded")[0])
    assert UNIQUE not in before
    assert [each.get("card") for each in burned] == ["2s", None, None]
    tells(table)


def test_a_burned_card_is_nowhere_while_the_shoe_is_played(ears: Any) -> None:
    table = ears(burn=2)
    table.table.deal(f"{UNIQUE} 3s 9sTdTsTc 2s")
    keeps_still(table)
    table.table.deal("cut 3d 4d 5d 6d 7d")
    tells(table)


COMMANDS = [
    ("status",),
    ("status", "--json"),
    ("journal", "list"),
    ("journal", "show"),
    ("journal", "show", "--json"),
    ("journal", "verify"),
    ("journal", "export", "1"),
    ("do", "next", "--by", "anna"),
]


def test_no_command_of_the_command_line_names_it(ears: Any) -> None:
    table = ears(procedure="six-card", burn=1)
    table.table.deal(f"3s 9s Td Ts Tc 2s {UNIQUE}")
    nonces = secrets(table.table)
    assert nonces
    for words in COMMANDS:
        ran = piped("", *words, "--config", table.table.config_path)
        assert ran.code == 0, (words, ran.err)
        said = without_signatures(ran.out + ran.err)
        assert not [secret for secret in (UNIQUE, "3s", *nonces) if secret in said], words
    keeps_still(table)


def test_a_carried_reserve_is_nowhere_until_its_round(ears: Any) -> None:
    table = ears(procedure="six-card", close="next")
    table.table.deal(f"9s Td Ts Tc 2s {UNIQUE}")
    keeps_still(table)
    assert table.table.ask(do="next", by="Dora")["ok"]
    keeps_still(table)
    table.table.deal("4s")
    tells(table)


def test_a_carried_card_waits_for_the_bets(ears: Any) -> None:
    table = ears(procedure="six-card", close="auto", betting="required")
    assert table.table.ask(do="open_shoe", by="d")["ok"]
    assert table.table.ask(do="bets_closed", by="d")["ok"]
    table.table.deal(f"9s Td Ts Tc 2s {UNIQUE}")
    keeps_still(table)
    assert table.table.ask(do="bets_closed", by="d")["ok"]
    tells(table)


def test_a_carried_card_survives_a_kill_in_silence(ears: Any) -> None:
    table = ears(procedure="six-card")
    table.table.deal(f"9s Td Ts Tc 2s {UNIQUE}")
    table.restart()
    assert table.table.ask(do="next", by="Dora")["ok"]
    keeps_still(table)
    table.table.deal("4s")
    tells(table)


def test_a_card_too_many_is_sealed(ears: Any) -> None:
    table = ears(close="next")
    table.table.deal(f"9s Td Ts Tc {UNIQUE}")
    keeps_still(table)


def test_a_held_card_is_sealed(ears: Any) -> None:
    table = ears(close="next")
    table.table.deal("9s")
    table.table.board.fault("unreadable")
    table.table.deal(f"{UNIQUE} Td")
    assert "unreadable" in table.heard()
    keeps_still(table)


@pytest.mark.parametrize("order", [{"do": "status"}, {"do": "enter", "card": "??", "second": "b", "by": "a"}])
def test_no_answer_at_the_table_names_a_sealed_card(ears: Any, order: dict[str, str]) -> None:
    table = ears(procedure="six-card")
    table.table.deal(f"9s Td Ts Tc 2s {UNIQUE}")
    assert UNIQUE not in without_signatures(str(table.table.ask(**order)))
    keeps_still(table)


def test_a_fault_of_our_own_does_not_spell_the_card_it_failed_on(ears: Any) -> None:
    table = ears(f"{UNIQUE}:once")
    table.table.deal(f"9s {UNIQUE} 2s")
    heard = table.heard()
    assert "internal_error" in heard
    assert "internal error while judging CardRead: ValueError" in table.table.log
    keeps_still(table)


def test_neither_does_a_traceback_when_the_process_ends_by_it(ears: Any) -> None:
    table = ears(f"{UNIQUE}:twice", burn=2)
    table.table.deal("2s 3s 9s")
    table.backend.wait_until(lambda: "CardDealt" in str(table.backend.on("event")))
    table.table.pull(UNIQUE)
    assert table.table.fallen() == 1
    heard = table.heard()
    assert "ValueError" in table.table.log
    assert "in spell" in table.table.log
    keeps_still(table, "3s")
    assert UNIQUE not in heard
