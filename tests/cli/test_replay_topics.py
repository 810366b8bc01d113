"""`shoe replay --topic --pretty`: which messages are shown, and how."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit import command

shoe = command.shoe  # fixture


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (path := tmp_path / "a.deal").write_text("9s Td Ts Tc 2s")
    return path


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("round", {"round"}),
        ("round,lamps", {"round", "lamps"}),
        (" round , event", {"round", "event"}),
        ("shoe/T07/round", {"round"}),
        ("shoe/T07/round,shoe/T08/table", {"round", "table"}),
        ("roads", {"roads"}),
    ],
)
def test_only_these_topics_are_shown_and_all_of_each(
    shoe: command.Run, script: Path, given: str, shown: set[str]
) -> None:
    every = [each for each in shoe("replay", script).json if each["topic"] in shown]
    ran = shoe("replay", script, "--topic", given)
    assert (ran.code, ran.err) == (0, "")
    assert ran.json == every
    assert {each["topic"] for each in ran.json} == shown


def test_pretty_is_the_same_messages_in_more_lines(shoe: command.Run, script: Path) -> None:
    plain, pretty = (shoe("replay", script, "--topic", "round,alarm", *more) for more in ((), ("--pretty",)))
    found, rest = [], pretty.out.lstrip()
    while rest:
        each, end = json.JSONDecoder().raw_decode(rest)
        found.append(each)
        rest = rest[end:].lstrip()
    assert found == plain.json
    assert pretty.out.count("\n") > 20 * len(found)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rounds", "'rounds' is not a topic; did you mean round?"),
        ("round,lamp", "'lamp' is not a topic; did you mean lamps?"),
        ("shoe/T07/rund", "'rund' is not a topic; did you mean round?"),
        ("xyzzy", "'xyzzy' is not a topic; known are alarm, "),
        ("", "'' is not a topic; known are alarm, "),
    ],
)
def test_a_topic_that_no_table_has_is_wrong_usage(shoe: command.Run, script: Path, given: str, said: str) -> None:
    ran = shoe("replay", script, "--topic", given)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
