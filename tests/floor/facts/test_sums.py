"""Sums of a day are those of the rounds that count, whatever came before."""

import json
import random
from collections import defaultdict
from itertools import pairwise

from firmware_bridge.floor.facts.rows import Round
from firmware_bridge.floor.facts.sums import Changed, Day, DayName, days_of

BETS = ("player", "banker", "tie")
DAYS = ("2026-11-20", "2026-11-21")


def round_message(chance: random.Random, number: int, revision: int) -> Round:
    """A message about a round, as any table could send it."""
    status = "corrected" if revision and chance.random() < 0.5 else "voided" if chance.random() < 0.2 else "closed"
    unit = chance.choice(("stake", "money"))
    known = unit == "money" and status != "voided"
    nets = {} if status == "voided" else {bet: chance.choice((-1, 0, 0.95)) for bet in BETS}
    return Round(
        table=f"T{number % 3}",
        journal="1-abc",
        shoe=1,
        round=number,
        revision=revision,
        seq=10 * number + revision,
        n=1,
        at="2026-11-20T20:45:03.000Z",
        game="baccarat",
        status=status,
        day=DAYS[number % 2],
        pit="",
        shift="",
        dealt_by=chance.choice(("wu", "li", "")),
        outcome="player",
        unit=unit,
        last=False,
        staked=30_000_000 if known else None,
        house=chance.choice((-10_000_000, 0, 9_500_000)) if known else None,
        by_hand=chance.randrange(2),
        bets=json.dumps(nets),
        faces="{}",
    )


def plainly(rounds: list[Round]) -> dict[DayName, tuple[object, ...]]:
    """The same sums, from the rounds that count alone."""
    found: dict[DayName, list[Round]] = defaultdict(list)
    for each in rounds:
        found[DayName(each.table, each.day, each.shift, each.dealt_by, each.game)].append(each)
    return {name: summed(of) for name, of in found.items()}


def summed(of: list[Round]) -> tuple[object, ...]:
    counted = [each for each in of if each.status != "voided"]
    bets = {}
    for bet in BETS if counted else ():
        nets = [round(json.loads(each.bets)[bet] * 1_000_000) for each in counted]
        bets[bet] = [sum(net > 0 for net in nets), sum(net < 0 for net in nets), nets.count(0), sum(nets)]
    return (
        len(counted),
        len(of) - len(counted),
        sum(each.staked or 0 for each in counted),
        sum(each.house or 0 for each in counted),
        sum(each.by_hand for each in of),
        bets,
    )


def test_sums_are_those_of_the_rounds_that_count() -> None:
    for seed in range(200):
        chance, days, counting = random.Random(seed), dict[DayName, Day](), []
        changes = []
        for number in range(1, 13):
            tellings = [round_message(chance, number, revision) for revision in range(chance.randrange(1, 4))]
            changes += [Changed(tellings[0]), *(Changed(later, before) for before, later in pairwise(tellings))]
            counting.append(tellings[-1])
        while changes:  # in parts, as they come
            some = chance.randrange(1, len(changes) + 1)
            for name, more in days_of(changes[:some]).items():
                days.setdefault(name, Day()).merge(more)
            del changes[:some]
        sums = {
            name: (
                day.rounds,
                day.voided,
                day.staked,
                day.house,
                day.by_hand,
                {bet: [each.win, each.lose, each.push, each.units] for bet, each in day.bets.items()},
            )
            for name, day in days.items()
            if day != Day()
        }
        assert sums == plainly(counting)
