"""Orders as a backend sends them."""

import json

import pytest

from firmware_bridge.client import Rounds, command, round_message
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import Resend, Void
from firmware_bridge.journal.messages import messages


def test_an_order_is_written_as_the_topic_takes_it() -> None:
    assert json.loads(command(Void(why="misdeal"), id="b-17")) == {"id": "b-17", "do": "void", "why": "misdeal"}
    assert json.loads(command(Resend(journal="1-8f3a", start=3), id="x")) == {
        "id": "x",
        "do": "resend",
        "journal": "1-8f3a",
        "from": 3,
    }


@pytest.mark.parametrize("id", ["", "x" * 65])
def test_an_id_that_no_table_takes_is_refused_before_it_is_sent(id: str) -> None:
    with pytest.raises(ValueError, match="1 to 64"):
        command(Void(why="misdeal"), id=id)


def test_a_gap_is_an_order_to_send() -> None:
    lines = Replay(House(), "T07", pytest.fail).play(parse("9d 4s Kh 8c 2c 9d 4s Kh 8c 2c !void misdeal"))
    rounds = [each.payload for line in lines for each in messages(line) if each.topic == "round"]
    ledger = Rounds()
    ledger.take(rounds[-1])
    first = round_message(rounds[0])
    [gap] = ledger.gaps()
    assert json.loads(command(gap, id="gap-1"))["journal"] == first.journal
