"""All 2,598,960 hands of niu-niu, counted one by one: `python -m tests.games.niuniu.count_niuniu` (two minutes)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from firmware_bridge.facts.cards import FACES
from firmware_bridge.games.niuniu.hands import KINDS, kind_of
from tests.games.niuniu.test_niuniu_hands import COUNTS


def main() -> None:
    """Count, and compare."""
    ranks = [card.rank for card in FACES]
    counted = Counter(kind_of(hand) for hand in combinations(ranks, 5))
    for kind, count in zip(KINDS, COUNTS, strict=True):
        print(f"{kind:<12}{counted[kind]:>10,}")
        assert counted[kind] == count, f"{count:,} are wanted"


if __name__ == "__main__":
    main()
