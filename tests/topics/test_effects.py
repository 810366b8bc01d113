"""What happened at a table, in sentences: every effect of every game, each language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.topics.texts import LANGUAGES, Language
from firmware_bridge.topics.texts.effects import sentences

VECTORS = Path(__file__).parents[1] / "vectors/games"

SENTENCES: list[tuple[list[list[Any]], str]] = [
    (
        [["put", "S5", "6"], ["compare", "S5", "S2", "S5"], ["out", "S2", "compare"], ["win", "S5", "43"]],
        "S5 pays 6, compares with S2 and wins; S5 takes 43",
    ),
    ([["grab", "S4", 0], ["banker", "S1", 3]], "S4 bids nothing; S1 has the bank, times 3"),
    ([["pay", "S2", "S1", "40", "66"]], "S2 pays S1 40 of 66"),
    ([["bet_refused", "S3", "below_min"]], "S3 bet refused: below min"),
    ([["round_over", 1]], "round 1 is over"),
    ([["look", "S1"], ["out", "S1", "fold"]], "S1 looks at the cards, folds"),
    ([["new_verb", "S1", True]], "S1 new_verb yes"),
]


@pytest.mark.parametrize(("did", "sentence"), SENTENCES)
def test_effects_are_a_sentence(did: list[list[Any]], sentence: str) -> None:
    assert sentences("en", did) == sentence


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_effect_of_every_game_has_words(lang: Language) -> None:
    lines = [json.loads(line) for file in VECTORS.glob("*.jsonl") for line in file.read_text("utf-8").splitlines()]
    effects = [words for line in lines for step in line.get("steps", ()) for words in step["did"]]
    for words in {json.dumps(words) for words in effects if words[0] != "place"}:
        shown = sentences(lang, [json.loads(words)])
        assert shown
        assert "_" not in shown
        assert not lang.startswith("zh") or json.loads(words)[0] not in shown
