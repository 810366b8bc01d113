"""What the second zha jin hua says of each step, and how it pays out a round that is over."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.games.zhajinhua.simulated_hands import kind_of
from tests.games.zhajinhua.simulator import Refused, Round


def finish(round: Round, by: str) -> None:
    """Pay the pot out, then what rare hands earn."""
    winner = round.alive()[0]
    pot = sum(round.put.values(), Fraction(0))
    back = {seat: max(put - round.put[winner], Fraction(0)) for seat, put in round.put.items()}
    if by != "all_in":
        back = dict.fromkeys(round.seats, Fraction(0))
    rake = (pot - sum(back.values()) - round.put[winner]) * round.rake
    for seat in round.seats:
        if back[seat]:
            round.did.append(["return", f"S{seat}", back[seat]])
            round.purse[seat] += back[seat]
    if rake:
        round.did.append(["rake", rake])
    won = pot - sum(back.values()) - rake
    round.purse[winner] += won
    round.did.append(["win", f"S{winner}", won])
    before = dict(round.purse)
    for holder in round.seats:
        is_dropped = round.out[holder] == "fold" and holder not in round.looked
        each = Fraction(0) if is_dropped else round.bonus.get(kind_of(round.cards[holder]), Fraction(0))
        at = round.seats.index(holder)
        for payer in round.seats[at + 1 :] + round.seats[:at]:
            paid = min(each, round.purse[payer])
            if paid:
                round.purse[payer] -= paid
                round.purse[holder] += paid
                round.did.append(["bonus", f"S{payer}", f"S{holder}", paid])
    round.result = {
        "winner": f"S{winner}",
        "by": by,
        "rounds": round.round,
        "pot": pot,
        "rake": rake,
        "returned": {f"S{seat}": amount for seat, amount in back.items() if amount},
        "hands": {
            f"S{seat}": {
                "cards": round.cards[seat],
                "kind": kind_of(round.cards[seat]),
                "looked": seat in round.looked,
                "out": round.out[seat],
                "put": round.put[seat],
                "bonus": round.purse[seat] - before[seat],
                "net": round.purse[seat] - round.brought[seat],
                "money": round.purse[seat],
            }
            for seat in round.seats
        },
    }


def step(round: Round, error: str = "") -> dict[str, Any]:
    """The step as it is now, with what the last move caused or why it was refused."""
    said: dict[str, Any] = {"did": [] if error else round.did, "due": None, "act": [], "marks": {}}
    if error:
        said["error"] = error
    if round.phase == "over":
        return said | {"over": True}
    pot = sum(round.put.values(), Fraction(0))
    said |= {"round": round.round, "stake": round.stake, "pot": pot}
    if round.phase == "deal":
        return said | {"due": f"S{round.due}"}
    if round.phase == "lot":
        return said | {"act": ["lot"], "marks": {"lot": [f"S{seat}" for seat in round.seats]}}
    anytime = {
        "look": [f"S{seat}" for seat in round.alive() if seat not in round.looked],
        "fold": [f"S{seat}" for seat in round.alive()],
    }
    seat = round.to_act[0]
    return said | {"act": [f"S{seat}"], "marks": marks(round, seat), "anytime": anytime}


def marks(round: Round, seat: int) -> dict[str, Any]:
    """What the seat whose turn it is may do."""
    may: dict[str, Any] = {"fold": True} if seat in round.looked else {"look": True, "fold": True}
    price = round.price(seat)
    if round.purse[seat] < price:
        return may | {"compare": {"cost": round.purse[seat], "with": "all"}}
    may["call"] = price
    f = price / round.stake
    stakes: list[Fraction] = []
    while (more := round.stake + (len(stakes) + 1) * round.unit) <= min(round.top, round.purse[seat] / f):
        stakes.append(more)
    if stakes:
        may["raise"] = {"min": f * stakes[0], "max": f * stakes[-1], "step": f * round.unit}
    if round.round > 1:
        may["compare"] = {"cost": price, "with": [f"S{each}" for each in round.others(seat)]}
    return may


def simulate(line: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The steps of a line, one more than its moves, and its result."""
    round = Round(line)
    steps = [step(round)]
    for word in line["moves"]:
        try:
            round.move(word)
            if round.over:
                finish(round, round.by)
            steps.append(step(round))
        except Refused as refused:
            steps.append(step(round, str(refused)))
    return steps, round.result
