"""What the core says is what it said before, byte for byte, however its code was moved and renamed (digests.py)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.golden import digests
from tests.golden.command import OF_A_DAY, played


def test_some_scenarios_say_the_same_bytes_as_before() -> None:
    now, before = played(OF_A_DAY)[0], digests.known()
    assert len(now) == len(OF_A_DAY) > 30
    assert digests.differences(now, {name: before[name] for name in now}) == [], "see tests/golden/digests.py"


@pytest.mark.story
@pytest.mark.parametrize("kind", ["command", "script", "vector", "shoe", "sequence"])
def test_the_same_bytes_as_before(kind: str) -> None:
    now, before = (
        {name: digests for name, digests in rows.items() if name.startswith(f"{kind}-")}
        for rows in (played()[0], digests.known())
    )
    assert digests.differences(now, before) == [], "see tests/golden/digests.py"


@pytest.mark.story
def test_the_scenarios_reach_nearly_everything() -> None:
    """Fewer would prove less: (phase x input) cells, events, inputs, irregularities, and how these were closed."""
    reached = played()[1]
    counts = {what: len([key for key in reached if key[0] == what]) for what, *_ in reached}
    least = {"cell": 240, "event": 38, "input": 17, "irregular": 29, "closed": 60, "refused": 90}
    assert {what: counts[what] >= count for what, count in least.items()} == dict.fromkeys(least, True), counts


def test_no_part_stays_silent() -> None:
    for part in zip(*digests.known().values(), strict=True):
        assert len(set(part)) > 10


def test_only_what_each_release_changes_is_left_out() -> None:
    digest = b"0123456789abcdef" * 4
    opened = b'{"head":"%b","event":{"version":"1.2","digest":"%b","house":{}}}' % (digest, digest)
    assert digests.steady(opened) == b'{"":"","event":{"":"","house":{}}}'
    for raw in (b'{"version":"1.2"}', b'{"digest":"%b"}' % digest[:16], b'{"chain":"%b"}' % digest, b'{"head":null}'):
        assert digests.steady(raw) == raw


def test_bytes_that_only_mean_the_same_are_not_the_same() -> None:
    one, other = digests.Tape(), digests.Tape()
    one.say("messages", b'{"at":1}')
    other.say("messages", b'{"at": 1}')
    assert one.digests != other.digests


def test_a_difference_names_the_scenario_and_the_part(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    before = {"shoe-000": tuple(digests.PARTS), "shoe-001": tuple(digests.PARTS)}
    now = before | {"shoe-001": (*digests.PARTS[:3], "other", *digests.PARTS[4:])}
    assert digests.differences(now, before) == ["shoe-001: roads"]
    monkeypatch.setattr(digests, "ROWS", tmp_path / "golden.txt")
    assert digests.write(before, []) == []
    assert digests.write(now, ["table"]) == ["shoe-001: roads"]
    assert digests.known() == before
    assert digests.write(now, ["roads"]) == []
    assert digests.known() == now
