"""Rounds of zha jin hua by chance through the real shoe, each step and result as a second implementation says them.

Many more by hand: `python -m tests.games.zhajinhua.test_zhajinhua_rounds 100000`.
"""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from firmware_bridge.demo.round_player import answer
from tests.games.zhajinhua.chance import lines
from tests.games.zhajinhua.simulated import simulate
from tests.kit.nightly import share

CODES = {
    "over", "unknown", "no_card_due", "no_mark_due", "duplicate", "not_allowed", "not_in_lot", "not_your_turn",
    "already_marked", "bad_amount", "bad_target", "not_enough_money",
}  # fmt: skip
DONE = {
    "ante", "seat_refused", "no_round", "place", "start", "round", "look", "call", "raise", "put", "all_in", "compare",
    "out", "forced", "return", "rake", "win", "bonus",
}  # fmt: skip


def as_numbers(item: Any) -> Any:
    if isinstance(item, dict):
        return {name: as_numbers(value) for name, value in item.items()}
    if isinstance(item, list | tuple):
        return [as_numbers(each) for each in item]
    if isinstance(item, str) and item[-1:].isdigit():
        try:
            return Fraction(item)
        except ValueError:
            return item
    return item


def differs(line: dict[str, Any]) -> str:
    """Where the shoe and the second implementation differ in a round, "" where they do not."""
    steps, result = simulate(line)
    played = answer("zhajinhua", json.dumps(line))
    for word, ours, theirs in zip(["-", *line["moves"]], played["steps"], steps, strict=True):
        if as_numbers(ours) != as_numbers(theirs):
            return f"{line['id']}, after {word}: {ours} is not {theirs}"
    same = as_numbers(played["result"]) == as_numbers(result)
    return "" if same else f"{line['id']}: {played['result']} is not {result}"


@pytest.mark.parametrize("seed", range(6))
def test_the_shoe_plays_as_the_second_implementation(seed: int) -> None:
    assert [wrong for line in lines(seed, 40) if (wrong := differs(line))] == []


def test_these_rounds_have_everything_in_them() -> None:
    missing = CODES | DONE
    for line in lines(0, 1_000):
        for step in simulate(line)[0]:
            missing -= {step.get("error", ""), *(each[0] for each in step["did"])}
        if not missing:
            break
    assert missing == set()


def test_nets_rake_and_purses_add_up() -> None:
    for line in lines(99, share(60)):
        result = answer("zhajinhua", json.dumps(line))["result"]
        if result is not None:
            hands = result["hands"].values()
            assert sum(Decimal(each["net"]) for each in hands) + Decimal(result["rake"]) == 0
            assert sum(Decimal(each["bonus"]) for each in hands) == 0
            assert sum(Decimal(each["put"]) for each in hands) == Decimal(result["pot"])
            assert all(Decimal(each["money"]) >= 0 for each in hands)
            for slot, each in result["hands"].items():
                assert Decimal(each["money"]) == Decimal(line["money"][slot[1:]]) + Decimal(each["net"])


if __name__ == "__main__":
    wrongs = 0
    for count, line in enumerate(lines(int(sys.argv[2]) if len(sys.argv) > 2 else 1, int(sys.argv[1])), 1):
        wrong = differs(line)
        wrongs += bool(wrong)
        if wrong or count % 1000 == 0:
            print(wrong or f"{count} rounds, {wrongs} differ", flush=True)
