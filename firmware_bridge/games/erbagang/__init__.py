"""Er ba gang: forty tiles, four seats, five rounds a game, every player against the banker."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import combinations_with_replacement
from typing import Any, Final

from firmware_bridge.facts.cards import TILES, Card
from firmware_bridge.games.banker_round import BET, GRAB, GUEST, SLOTS, remarks, strategy
from firmware_bridge.games.chances import book, chances
from firmware_bridge.games.erbagang.hands import WORDS, Hand, kind_of, outcome
from firmware_bridge.games.erbagang.script import EACH, ErBaGang, Own, Running, is_over, round
from firmware_bridge.games.game import Demo, Game, Money, Play
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.payouts import Payouts
from firmware_bridge.games.prompts import in_words


def summary(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a game from the `round` messages of its rounds."""
    nets = {slot: sum((Decimal(message["bets"][slot]) for message in rounds), Decimal(0)) for slot in SLOTS}
    last = rounds[-1]
    return {
        "rounds": [_round(message) for message in rounds],
        "stopped": last["stopped"],
        "out": last["out"],
        "net": {slot: in_words(net) for slot, net in nets.items()},
        "money": last["money"],
    }


def compare(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return `outcome` for the player's hand, or `against` every hand that can lie beside it where no banker's is
    given.

    Raises KeyError, ValueError for an object without a hand.
    """
    usual = ErBaGang()
    order, ties = tuple(given.get("order", usual.order)), given.get("ties", usual.ties)
    player = _hand(given["player"])
    if given.get("banker") is not None:
        return {"outcome": outcome(player, _hand(given["banker"]), order, ties)}
    rows = combinations_with_replacement(TILES, 2)
    return {"against": {"".join(tile.value for tile in row): outcome(player, row, order, ties) for row in rows}}


def _round(message: Mapping[str, Any]) -> dict[str, Any]:
    hands = {
        slot: {"tiles": hand["cards"], "kind": hand["kind"], "points": hand["digit"]}
        for slot, hand in message["hands"].items()
    }
    return {
        "round": message["game_round"],
        "banker": message["banker"],
        "multiple": message["multiple"],
        "bets": message["multiples"],
        "hands": hands,
        "outcomes": message["outcomes"],
        "net": message["bets"],
        "money": message["money"],
    }


def _hand(value: Any) -> tuple[Card, ...]:
    faces = (value.get("tiles") or value["cards"]) if isinstance(value, Mapping) else value
    if len(faces) != 2:
        raise ValueError("a hand has two tiles")
    return tuple([Card(face) for face in faces])


def _remarks(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the bank, the round of the game, and the seats that cannot go on."""
    stopped = (f"stopped: {', '.join(message['out'])}",) if message["stopped"] else ()
    return (*remarks(message), f"round {message['game_round']} of the game", *stopped)


PACK: Final = dict.fromkeys(TILES, 4)


def _payouts() -> Payouts:
    from firmware_bridge.games.erbagang.payouts import payouts

    return payouts()


GAME: Final = Game(
    name="erbagang",
    terms=ErBaGang,
    pack=PACK,
    slots=SLOTS,
    areas={slot: (slot,) for slot in SLOTS},
    hand=Hand,
    own=Own,
    shows=Running,
    play=Play(
        round=round,
        close=lambda terms: "next",
        fewest=lambda terms: EACH * len(SLOTS),
        words=(GRAB, BET, LOT),
        players=range(4, 5),
        may_burn=False,
        one_round_packs=True,
        ends=lambda terms, start: is_over(start),
        ceremony="banker_last",
    ),
    money=Money(stakes="money", stakes_per="pack", staked=lambda layout, start: dict.fromkeys(SLOTS, "0")),
    guest=GUEST,
    demo=Demo(strategy=strategy, remarks=_remarks, compare=compare, summary=summary),
    odds=lambda: book(
        "erbagang",
        PACK,
        "tiles left: hands of two",
        WORDS,
        lambda left, terms: chances(left, EACH, terms.order, kind_of),
    ),
    payouts=_payouts,
)
