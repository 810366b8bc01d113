"""A shuffled shoe as a deal script, and its rounds by the rule book: what a table is compared with."""

import json
import random
from typing import Any

import pytest

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.cards import FACES
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.messages import messages

TIMELESS = ("table", "shoe", "journal", "seq", "head", "n", "of", "prev", "at", "boot", "sig")


def shoe(seed: int, decks: int = 1, behind_cut: int = 14) -> str:
    """A shuffled shoe as a deal script, with the cut card in it."""
    faces = [card.value for card in FACES] * decks
    random.Random(seed).shuffle(faces)
    return " ".join([*faces[:-behind_cut], "cut", *faces[-behind_cut:]])


def by_the_book(text: str, **house: Any) -> tuple[list[dict[str, Any]], int]:
    """The rounds of a deal script, and how many of its words were drawn until the shoe ended."""
    replay, rounds = Replay(house_of(**house), "T07", pytest.fail), []
    for drawn, step in enumerate(parse(f"shoe {text}")):
        for line in replay.play([step]):
            rounds += [json.loads(each.payload) for each in messages(line) if each.topic == "round"]
        if replay.shoe.status == "ended":
            return rounds, drawn
    return rounds, drawn


def timeless(rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in each.items() if key not in TIMELESS} for each in rounds]
