"""Rounds of zha jin hua settled by their messages: every seat ends with the purse that the shoe says."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from firmware_bridge.client import Rounding, Wager, payments, settle
from firmware_bridge.demo.round_player import PlayedTable
from firmware_bridge.facts import orders
from firmware_bridge.games.house import house_of, usual
from tests.games.zhajinhua.chance import lines
from tests.kit.nightly import share
from tests.kit.table import Table


def played(line: dict[str, Any]) -> list[dict[str, Any]]:
    settings = {name: Decimal(line["settings"][name]) for name in ("ante", "step", "top", "rake")}
    bonus = {kind: Decimal(amount) for kind, amount in line["settings"]["bonus"].items()}
    terms = settings | {"rounds": line["settings"]["rounds"], "bonus": bonus}
    table = PlayedTable(house_of("zhajinhua", **usual("zhajinhua") | {"new_shoe": "command"} | terms), True)
    table.begin(orders.Pack(), orders.BetsClosed(money=line["money"]))
    for word in line["moves"]:
        table.move(word)
    return table.rounds


def test_what_goes_back_and_what_was_put_in_make_the_purse() -> None:
    bonus = 0
    for line in lines(7, share(150, 5)):
        for message in played(line):
            accepted = [Wager(slot, slot, Decimal(staked)) for slot, (staked, _) in message["stakes"].items()]
            settled = settle(message, accepted, Rounding())
            assert settled.held == ()
            for wager, back in [(each.wager, each.amount) for each in settled.paid]:
                hand = message["hands"][wager.bet]
                assert Decimal(line["money"][wager.bet[1:]]) - wager.stake + back == Decimal(hand["money"])
                assert back >= 0
                bonus += wager.stake > Decimal(hand["put"])
    assert bonus, "some seat put in a bonus besides its stakes"


def test_a_void_gives_every_stake_back() -> None:
    house = {"game": "zhajinhua", "betting": "required", "burn": "none", "decks": 1}
    table = Table(**house).play("shoe money=1:10,2:10,3:10 Ks 9h 4c Kh 9d 5c 7d 2s Ad lot=1 1:raise=2.5", "1:raise=3")
    table.take(table.order(orders.Void("misdeal")))
    message = table.rounds[-1]
    stakes = {"S1": Decimal(4), "S2": Decimal(1), "S3": Decimal(1)}
    settled = settle(message, [Wager(slot, slot, stake) for slot, stake in stakes.items()], Rounding())
    assert payments(settled) == stakes
