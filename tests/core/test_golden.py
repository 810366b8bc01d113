"""What the core says is what it said before, byte for byte, however its code was moved and renamed (golden.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.core import golden
from tests.core.golden_command import played


@pytest.mark.parametrize("kind", ["command", "script", "vector", "shoe", "sequence"])
def test_the_same_bytes_as_before(kind: str) -> None:
    now, before = (
        {name: digests for name, digests in rows.items() if name.startswith(f"{kind}-")}
        for rows in (played()[0], golden.known())
    )
    assert golden.differences(now, before) == [], "see tests/core/golden.py"


def test_the_scenarios_reach_nearly_everything() -> None:
    """Fewer would prove less: (phase x input) cells, events, inputs, irregularities, and how these were closed."""
    reached = played()[1]
    counts = {what: len([key for key in reached if key[0] == what]) for what, *_ in reached}
    least = {"cell": 240, "event": 38, "input": 17, "irregular": 29, "closed": 60, "refused": 90}
    assert {what: counts[what] >= count for what, count in least.items()} == dict.fromkeys(least, True), counts


def test_no_part_stays_silent() -> None:
    for part in zip(*golden.known().values(), strict=True):
        assert len(set(part)) > 10


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tables as they are after some renaming."""
    monkeypatch.setattr(golden, "RENAMED", {"CardSeen": "CardRead", "face": "card", "Answer.text": "error"})
    monkeypatch.setattr(golden, "ADDED_TO", {"CardRead": {"tray"}})
    monkeypatch.setattr(golden, "AS_BEFORE", {"CardMissed": lambda said: said | {"type": "CardUnread"}})
    monkeypatch.setattr(golden, "_IS_CHANGED", True)
    golden.old_word.cache_clear()
    yield
    golden.old_word.cache_clear()


@pytest.mark.usefixtures("renamed")
@pytest.mark.parametrize(
    ("now", "before"),
    [
        (b'{"input":{"type":"CardSeen","at":1,"face":"As"}}', {"input": {"type": "CardRead", "at": 1, "card": "As"}}),
        (b'{"type":"CardSeen","tray":{"face":1},"flags":["face"]}', {"type": "CardRead", "flags": ["face"]}),
        (b'{"type":"CardMoved","tray":1}', {"type": "CardMoved", "tray": 1}),
        (b'{"secrets":{"1":{"face":"As"}}}', {"secrets": {"1": {"card": "As"}}}),
        (b'[{"type":"CardMissed","face":null}]', [{"type": "CardUnread", "card": None}]),
        (b'{"type":"Answer","text":"face"}', {"type": "Answer", "error": "face"}),
        (b'{"type":"Noted","text":"face"}', {"type": "Noted", "text": "face"}),
    ],
)
def test_new_words_are_read_as_the_old_ones(now: bytes, before: Any) -> None:
    said = golden.read(now, "sealed")
    assert said == before
    assert list(said) == list(before)


def test_bytes_that_only_mean_the_same_are_not_the_same() -> None:
    with pytest.raises(AssertionError):
        golden.read(b'{"at": 1}', "public")


def test_a_difference_names_the_scenario_and_the_part(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    before = {"shoe-000": tuple(golden.PARTS), "shoe-001": tuple(golden.PARTS)}
    now = before | {"shoe-001": (*golden.PARTS[:3], "other", *golden.PARTS[4:])}
    assert golden.differences(now, before) == ["shoe-001: roads"]
    monkeypatch.setattr(golden, "ROWS", tmp_path / "golden.txt")
    assert golden.write(before, []) == []
    assert golden.write(now, ["table"]) == ["shoe-001: roads"]
    assert golden.known() == before
    assert golden.write(now, ["roads"]) == []
    assert golden.known() == now
