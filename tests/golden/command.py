"""`python -m tests.golden`: renews the golden digests, tells what they reach, or spells a scenario out."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Final

from tests.golden.digests import PARTS, Rows, Tape, write
from tests.golden.play import scenarios

Reached = Counter[tuple[str, ...]]


OF_A_DAY: Final = frozenset({*islice(scenarios(), 0, None, 31), "sequence-156"})
"""A thirtieth of the scenarios, and the only one with a hand that is flown."""


@cache
def played(names: frozenset[str] = frozenset(scenarios())) -> tuple[Rows, Reached]:
    """These scenarios: their digests, and what they reached."""
    rows: Rows = {}
    reached: Reached = Counter()
    for name, play in scenarios().items():
        if name not in names:
            continue
        tape = Tape()
        play(tape)
        rows[name] = tape.digests
        reached += tape.reached
    return rows, reached


def spelled(name: str) -> list[str]:
    """All that a scenario says, in the form that is digested."""
    texts: list[str] = []
    scenarios()[name](Tape(texts))
    return texts


def covered(reached: Reached) -> Iterable[str]:
    """What was reached of what there is, and what was not."""
    from typing import get_args

    from firmware_bridge.facts.events import AnyEvent
    from firmware_bridge.facts.inputs import AnyInput
    from firmware_bridge.shoe.decide import HANDLERS
    from firmware_bridge.shoe.policy import POLICIES

    there_is: dict[str, set[tuple[str, ...]]] = {
        "cell": {(name, phase.value) for name, handlers in HANDLERS.items() for phase in handlers},
        "event": {(each.__name__,) for each in get_args(AnyEvent)},
        "input": {(each.__name__,) for each in get_args(AnyInput)},
        "irregular": {(name,) for policy in POLICIES.values() for name in policy},
        "closed": {
            (name, choice) for policy in POLICIES.values() for name, row in policy.items() for choice in row.choices
        },
    }
    for what, all_of_them in there_is.items():
        missing = sorted(all_of_them - {key[1:] for key in reached if key[0] == what})
        yield f"{what}: {len(all_of_them) - len(missing)} of {len(all_of_them)}; missing {missing}"
    yield f"refusals: {len([key for key in reached if key[0] == 'refused'])} different texts"


def main() -> int:
    """Do what the options say."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden")
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios to spell out")
    parser.add_argument("--write", nargs="*", choices=PARTS, metavar="PART", help="renew the digests")
    parser.add_argument("--coverage", action="store_true", help="what the scenarios reach")
    given = parser.parse_args()
    for name in given.names:
        print(*spelled(name), sep="\n")
    if given.coverage:
        print(*covered(played()[1]), sep="\n")
    others = write(played()[0], given.write) if given.write is not None else []
    print(*others, sep="\n", end="\n" * bool(others))
    return 1 if others else 0
