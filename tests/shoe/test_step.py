"""A decision leaves the shoe as folding its journal does."""

from __future__ import annotations

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.house import House
from firmware_bridge.journal.line import unseal
from firmware_bridge.shoe import Shoe, advance


def test_a_decision_makes_the_shoe_that_its_journal_makes() -> None:
    replay, folded = Replay(House(), "t", print), Shoe()
    for line in replay.play(parse("shoe As 4d 5h Kc 9s 6h 3h 2d cut 5c !void dropped Kh 9c 8d ?? lid-open 7h")):
        entry = unseal(line.data).entry
        assert entry
        folded = advance(folded, entry)
        assert folded == replay.shoe
