"""No message of a table is larger than what a broker is asked for."""

from __future__ import annotations

from random import Random

import msgspec

from firmware_bridge.facts.book.measures import Health, ReaderHealth
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.facts.house import MOST_COUNTED, Acts
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.mqtt.settings import LARGEST_MESSAGE
from firmware_bridge.topics.state import snapshots
from tests.kit.table import Table

HEAD = 1_000
"""Bytes of the head of a message and of a signature, and more."""


def test_the_states_of_half_a_shoe_of_eight_packs_have_half_the_room() -> None:
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "shdc"] * 8
    Random(1).shuffle(cards)
    table = Table(burn="none").play("shoe " + " ".join(cards[:200]))
    sizes = {name: len(msgspec.json.encode(state)) for name, state in snapshots(table.shoe).items()}
    assert table.shoe.round > 35
    assert sizes["roads"] > 2_500
    assert 2 * (max(sizes.values()) + HEAD) < LARGEST_MESSAGE


def test_the_health_of_a_shift_with_as_many_dealers_as_are_counted() -> None:
    names = [f"{number:02}".rjust(LONGEST_NAME, "莊") for number in range(MOST_COUNTED)]
    acts = tuple(Acts(name, 10_000, 10_000, 10_000, 10_000, 10_000) for name in names)
    reader = ReaderHealth(MOST, MOST, MOST, 255.0, 255, 255, -40.0, 255.0, 255, "x" * 200, "not_understood", MOST)
    unmarked = dict.fromkeys(names, 10_000)
    health = Health(MOST, reader, MOST, -40.0, True, MOST, ("x" * 200,) * 10, MOST, unmarked, acts, -10_000)
    assert len(msgspec.json.encode(health)) + HEAD < LARGEST_MESSAGE
