"""What a fleet says of its witnesses: how long rounds stood under no quorum, and what was said of it meanwhile."""

from __future__ import annotations

from base64 import b64encode
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.floor.record.message import seconds
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.record.verify import COSIGNATURE, parse_policy, parse_vkey
from scripts.tools.fleet.__main__ import main
from scripts.tools.fleet.compare import compare
from scripts.tools.fleet.plan import AWAY_S, FAULTS, Plan, Report
from scripts.tools.fleet.record import looked
from scripts.tools.fleet.table import table_config
from scripts.tools.fleet.windows import Below, Look, Round, Stretch, Windows, judged
from scripts.tools.fleet.witnesses import Witnesses
from tests.floor.journals import AT, event, round_of

LATER = "2026-11-20T23:59:59.000Z"
BEFORE = Below(0.0, 1_000.0)
"""The time until a quorum was there first."""


def ended(at: float, witnessed: float | None, table: str = "T0001") -> Round:
    return Round(table, at, at + 0.1, witnessed)


def found(*rounds: Round, stretches: tuple[Below, ...] = (), **more: Any) -> Windows:
    return judged(Look(list(rounds), more.get("waits", {}), more.get("incidents", [])), BEFORE, stretches)


def test_the_time_of_a_round_is_from_its_end_until_its_quorum() -> None:
    rounds = [ended(2_000.0 + number, 2_000.0 + number + wait) for number, wait in enumerate([5.0] * 18 + [20.0, 59.0])]
    made = found(*rounds)
    assert (made.rounds, made.p50_s, made.p95_s, made.longest_s) == (20, 5.0, 59.0, 59.0)
    assert made.is_fine


@pytest.mark.parametrize(
    ("at", "witnessed", "late"),
    [
        pytest.param(2_000.0, 2_061.0, 1, id="a quorum was there"),
        pytest.param(900.0, 1_050.0, 0, id="until the first one"),
        pytest.param(900.0, 1_061.0, 1, id="too long after the first one"),
        pytest.param(2_990.0, 3_145.0, 0, id="over a time without one"),
        pytest.param(2_990.0, 3_151.5, 1, id="over a time without one, and too long beside it"),
        pytest.param(3_050.0, 3_155.0, 0, id="from within a time without one"),
    ],
)
def test_a_round_is_late_after_60_s_with_a_quorum(at: float, witnessed: float, late: int) -> None:
    made = found(ended(at, witnessed), stretches=(Below(3_000.0, 3_100.0),))
    assert made.late == late
    assert bool(made.examples) is bool(late)


def test_what_is_late_lost_or_open_is_not_fine() -> None:
    good = ended(2_000.0, 2_005.0)
    assert found(good).is_fine
    assert not found(good, ended(2_000.0, 2_061.0)).is_fine
    assert not found(good, ended(2_000.0, None)).is_fine
    assert not found(good, waits={"T0001": 2_000.0}).is_fine
    assert not found(good, incidents=["T0001 split_view: .."]).is_fine
    assert not found().is_fine


def test_below_the_quorum_each_table_with_rounds_that_wait_says_since_when() -> None:
    then = [ended(2_980.0, None), ended(3_020.0, None), ended(3_030.0, None, "T0002"), ended(2_900.0, 2_910.0, "T0003")]
    end = [ended(each.at, each.witnessed or 3_112.0, each.table) for each in then]

    def said(**waits: float) -> Stretch:
        look = Look(then, waits, [])
        [made] = found(*end, stretches=(Below(3_000.0, 3_100.0, look),)).stretches
        return made

    made = said(T0001=2_980.1, T0002=3_030.0)
    assert (made.rounds, made.tables, made.said, made.whole_s) == (2, 2, 2, 12.0)
    assert made.is_fine
    assert said(T0001=2_980.1).unsaid == ["T0002: a round waits from 30.1 s on, the store says nothing"]
    assert not said(T0001=2_980.1).is_fine
    assert not said(T0001=2_980.1, T0002=3_031.0).is_fine  # after its first round: too late
    assert not said(T0001=2_000.0, T0002=3_030.0).is_fine  # long before the quorum went


@pytest.mark.parametrize("late", [True, False])
def test_a_round_waits_once_all_before_it_has_come(tmp_path: Path, late: bool) -> None:
    with closing(SqliteStore(tmp_path / "floor.db")) as store:
        first = event(1)._replace(received_at=LATER if late else AT)
        store.save([first, event(2, kind="RoundClosed"), round_of(2, 1)], [], [])
        [made] = looked(store).rounds
    assert (made.came, made.witnessed) == (seconds(LATER if late else AT), None)


def test_below_the_quorum_nothing_stops_and_all_is_caught_up() -> None:
    look = Look([ended(2_995.0, None)], {"T0001": 2_995.0}, [])
    below = Below(3_000.0, 3_100.0, look)
    assert not found(ended(2_995.0, 3_105.0), stretches=(below,)).stretches[0].is_fine  # no round came meanwhile
    never = found(ended(2_995.0, 3_105.0), ended(3_050.0, None), stretches=(below,))
    assert never.stretches[0].whole_s is None
    assert any("never caught up" in line for line in never.lines())


def test_a_run_with_witnesses_is_fine_only_with_all_rounds_witnessed() -> None:
    plan = Plan(tables=1, witnesses=3)
    assert plan.troubles[: len(FAULTS)] == FAULTS
    assert {each for each in plan.troubles if each} == set(AWAY_S)
    assert plan.away_s("quorum") == 90.0
    assert Plan(tables=1).troubles == FAULTS
    assert not Report(plan=plan).is_fine


def test_witnesses_are_named_to_the_ingest_with_a_policy_and_to_the_tables(tmp_path: Path) -> None:
    witnesses = Witnesses(tmp_path, 3, 20)
    toml = witnesses.toml()
    policy = parse_policy((tmp_path / "policy.txt").read_text())
    keys = [parse_vkey(each) for each in witnesses.vkeys]
    assert {each.kind for each in keys} == {COSIGNATURE}
    assert (policy.is_met(keys[1:]), policy.is_met(keys[2:]), policy.liars()) == (True, False, 1)
    assert all(f'vkey = "{each}"' in toml for each in witnesses.vkeys)
    config = table_config("T07", "baccarat", tmp_path / "T07", "127.0.0.1", 1883, None, witnesses.vkeys)
    assert config.record.witnesses == tuple(witnesses.vkeys)
    assert Witnesses(tmp_path, 0, 20).toml() == ""


@pytest.mark.parametrize("count", ["1", "2", "many"])
def test_with_fewer_than_three_witnesses_no_fleet_is_played(count: str) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["--witnesses", count])
    assert raised.value.code == 2


def test_messages_that_wait_for_a_checkpoint_are_stored_too(tmp_path: Path) -> None:
    (tmp_path / "journals").mkdir()
    (tmp_path / "messages.jsonl").touch()
    row = {"topic": "event", "table": "T07", "journal": "1-a", "seq": 1, "n": 1, "body": b64encode(b"{}").decode()}
    rows = [row | {"state": "waits"}, row | {"seq": 2, "state": "evidence"}]
    (tmp_path / "pending.jsonl").write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in rows))
    compared = compare(tmp_path / "journals", tmp_path / "messages.jsonl", tmp_path / "pending.jsonl")
    assert (compared.stored, compared.unmade) == (1, 1)
