"""What the exporter makes of what tables say: values, repeats, ages, names from outside, bounds."""

from __future__ import annotations

import json

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.facts.book.measures import measures
from firmware_bridge.floor.metrics import tables as rooms
from firmware_bridge.floor.metrics.exporter import OPEN, PLAIN, wanted
from firmware_bridge.floor.metrics.families import MOST_DEALERS, OF_A_TABLE, ORDER
from tests.floor.metered import AT, HEALTH, STATUS, Floor


def test_health_becomes_metrics_in_base_units_and_what_nobody_measures_is_absent() -> None:
    floor = Floor()
    floor.say("health", **HEALTH)
    assert floor.value("shoe_disk_free_bytes") == ['shoe_disk_free_bytes{table="T07"} 900000000']
    assert floor.value("shoe_read_quality_ratio") == ['shoe_read_quality_ratio{table="T07"} 0.8']
    assert floor.value("shoe_cards_read_total") == ['shoe_cards_read_total{table="T07"} 3']
    assert floor.value("shoe_undervoltage") == ['shoe_undervoltage{table="T07"} 0']
    assert floor.value("shoe_outbox_entries") == ['shoe_outbox_entries{table="T07"} 2']
    assert floor.value("shoe_faults") == floor.value("shoe_reader_lamp_ratio") == floor.value("shoe_state") == []


def test_a_table_that_was_never_heard_is_absent() -> None:
    assert "table=" not in Floor().exporter.text(PLAIN)


def test_status_says_what_runs_and_an_unknown_clock_says_nothing() -> None:
    floor = Floor()
    floor.say("status", **STATUS)
    assert floor.value("shoe_build_info") == ['shoe_build_info{table="T07",version="1.2",build="abc"} 1']
    assert floor.value("shoe_state") == ['shoe_state{table="T07",state="online"} 1']
    assert floor.value("shoe_connections_total") == ['shoe_connections_total{table="T07"} 4']
    assert floor.value("shoe_clock_synchronised") == ['shoe_clock_synchronised{table="T07"} 1']
    floor.say("status", **STATUS | {"clock": "unknown"})
    assert floor.value("shoe_clock_synchronised") == []


def test_the_age_of_health_grows_until_the_next_one() -> None:
    floor = Floor()
    floor.say("health", **HEALTH)
    floor.now += 91.5
    assert floor.value("shoe_health_age_seconds") == ['shoe_health_age_seconds{table="T07"} 91.5']
    floor.say("health", **HEALTH)
    assert floor.value("shoe_health_age_seconds") == ['shoe_health_age_seconds{table="T07"} 0.0']


def test_a_retained_health_is_as_old_as_its_clock_says_and_comes_again_without_growing_younger() -> None:
    floor = Floor()
    floor.wall += 300
    floor.say("health", retained=True, **HEALTH)
    assert floor.value("shoe_health_age_seconds") == ['shoe_health_age_seconds{table="T07"} 300.0']
    floor.now, floor.wall = floor.now + 10, floor.wall + 10
    floor.say("health", retained=True, **HEALTH)  # after a new connection
    assert floor.value("shoe_health_age_seconds") == ['shoe_health_age_seconds{table="T07"} 310.0']


def test_a_retained_health_from_a_wrong_clock_is_neither_from_the_future_nor_older_than_the_last() -> None:
    floor = Floor()
    floor.wall -= 5_000
    floor.say("health", retained=True, **HEALTH)
    assert floor.value("shoe_health_age_seconds") == ['shoe_health_age_seconds{table="T07"} 0.0']
    floor.now, floor.wall = floor.now + 60, floor.wall + 60
    floor.say("health", retained=True, **HEALTH | {"at": "1970-01-01T00:00:30.000Z"})
    assert floor.value("shoe_health_age_seconds") == ['shoe_health_age_seconds{table="T07"} 60.0']


def test_rounds_are_counted_once_each() -> None:
    floor = Floor()
    floor.say("status", **STATUS | {"at": "2026-11-20T21:00:00.000Z"})
    floor.round(4, "2026-11-20T20:00:00.000Z")  # sent again, from before we came
    floor.round(5)
    floor.round(5)
    floor.round(5, n=2, status="voided")
    floor.round(4, "2026-11-20T21:00:01.000Z")  # sent again
    floor.round(1, "2026-11-20T22:00:00.000Z", journal="4-11ab")
    assert floor.value("shoe_rounds_total") == [
        'shoe_rounds_total{table="T07",status="closed"} 2',
        'shoe_rounds_total{table="T07",status="corrected"} 0',
        'shoe_rounds_total{table="T07",status="voided"} 1',
    ]


def test_another_device_whose_clock_is_behind_is_counted_too() -> None:
    floor = Floor()
    floor.say("status", **STATUS)
    floor.round(5, "2026-11-20T22:00:00.000Z")
    floor.say("status", **STATUS | {"at": "2026-11-20T08:00:00.000Z", "boot": "77aa"})
    floor.round(2, "2026-11-20T08:00:01.000Z")
    assert 'shoe_rounds_total{table="T07",status="closed"} 2' in floor.value("shoe_rounds_total")


def test_rounds_of_an_outage_count_after_the_daemons_restart() -> None:
    floor = Floor()
    floor.say("status", **STATUS)
    floor.round(5)
    floor.say("status", **STATUS | {"at": "2026-11-20T23:00:00.000Z", "boot": "77aa"})
    floor.round(6, "2026-11-20T22:00:00.000Z")
    assert 'shoe_rounds_total{table="T07",status="closed"} 2' in floor.value("shoe_rounds_total")


def test_alarms_are_counted_by_id_and_go_when_they_are_closed() -> None:
    floor = Floor()
    unreadable = {"id": "unreadable", "severity": "critical", "since": 1}
    floor.say("alarm", open=[unreadable, unreadable, {"id": "store_silent", "severity": "warning"}])
    assert floor.value("shoe_alarm_open") == [
        'shoe_alarm_open{table="T07",id="store_silent",severity="warning"} 1',
        'shoe_alarm_open{table="T07",id="unreadable",severity="critical"} 2',
    ]
    floor.say("alarm", open=[])
    assert floor.value("shoe_alarm_open") == []


def test_a_retired_table_is_gone() -> None:
    floor = Floor()
    floor.say("health", **HEALTH)
    floor.say("status", **STATUS)
    for name in ("status", "table", "alarm", "health"):
        floor.raw(f"shoe/T07/{name}", b"")
    assert "T07" not in floor.exporter.text(PLAIN)


@pytest.mark.parametrize("days", [29, 0, -3])
def test_the_days_until_a_certificate_ends(days: int) -> None:
    floor = Floor()
    floor.say("health", **HEALTH)
    assert floor.value("shoe_certificate_days") == []
    floor.say("health", **HEALTH | {"certificate_days": days})
    assert floor.value("shoe_certificate_days") == [f'shoe_certificate_days{{table="T07"}} {days}']


@pytest.mark.parametrize(
    "body",
    [
        b"\xff",
        b"{}",
        b"[" * 100_000,
        b"x" * 300_000,
        json.dumps({"table": "T08", "at": AT, "boot": "b"} | HEALTH).encode(),
        json.dumps({"table": "T07", "at": "now", "boot": "b"} | HEALTH).encode(),
        json.dumps({"table": "T07", "at": "2026-13-41T21:33:05.123Z", "boot": "b"} | HEALTH).encode(),
        json.dumps({"table": "T07", "at": AT, "boot": "b"} | HEALTH | {"uptime_s": 10**400}).encode(),
        json.dumps({"table": "T07", "at": AT, "boot": "b"} | HEALTH | {"temperature": 10.0**300}).encode(),
        json.dumps({"table": "T07", "at": AT, "boot": "b"} | HEALTH | {"faults": ["x" * 201]}).encode(),
        json.dumps({"table": "T07", "at": AT, "boot": "b"} | HEALTH | {"faults": ["x"] * 101}).encode(),
        json.dumps({"table": "T07", "at": AT, "boot": "b", "reader": {"forecast": "x" * 201}}).encode(),
        b'{"table":"T07","at":"%s","boot":"b","temperature":1e999}' % AT.encode(),
    ],
)
def test_what_makes_no_sense_is_counted_and_changes_nothing(body: bytes) -> None:
    floor = Floor()
    floor.raw("shoe/T07/health", body)
    assert "T07" not in floor.exporter.text(PLAIN)
    assert floor.value("shoe_exporter_unread_total") == ["shoe_exporter_unread_total 1"]


def test_a_name_is_escaped_and_a_wild_one_left_out() -> None:
    floor = Floor()
    floor.say("status", table='T"7\\', **STATUS)
    assert floor.value("shoe_state") == [r'shoe_state{table="T\"7\\",state="online"} 1']
    floor.say("status", table="T\n7", **STATUS)
    floor.say("status", table="T" * 101, **STATUS)
    floor.say("status", table="莊", **STATUS | {"version": 'a"\n'})
    assert floor.value("shoe_exporter_tables") == ["shoe_exporter_tables 1"]
    assert floor.value("shoe_exporter_unread_total") == ["shoe_exporter_unread_total 3"]


def test_invented_tables_and_alarms_do_not_fill_the_memory(
    mocker: MockerFixture, caplog: pytest.LogCaptureFixture
) -> None:
    mocker.patch.object(rooms, "MOST_TABLES", 2)
    floor = Floor()
    for number in range(5):
        floor.say("status", table=f"T{number}", **STATUS)
    assert [name for name, _ in floor.tables] == ["T0", "T1"]
    assert floor.value("shoe_exporter_ignored_total") == ["shoe_exporter_ignored_total 3"]
    assert caplog.text.count("more than 2 tables: T2 and later ones are ignored") == 1
    floor.say("status", table="T1", **STATUS | {"state": "lost"})
    assert 'shoe_state{table="T1",state="lost"} 1' in floor.value("shoe_state")
    floor.say("alarm", table="T1", open=[{"id": f"a{n}", "severity": "note"} for n in range(51)])
    assert floor.value("shoe_alarm_open") == []


def test_openmetrics_is_said_to_whoever_asks_for_it() -> None:
    prometheus = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75"
    assert wanted(f"{prometheus},text/plain;version=0.0.4;q=0.5,*/*;q=0.1") == OPEN
    assert wanted("application/openmetrics-text; version=0.0.1") == wanted("*/*") == wanted("") == PLAIN
    floor = Floor()
    floor.say("status", **STATUS)
    exposed = floor.exporter.text(OPEN)
    assert exposed.endswith("\n# EOF\n")
    assert "# TYPE shoe_connections counter\nshoe_connections_total{" in exposed
    assert "# TYPE shoe_build info\nshoe_build_info{" in exposed
    assert "# TYPE shoe_connections_total counter\n" in floor.exporter.text(PLAIN)


def test_acts_of_a_shift_are_a_series_of_each_dealer_and_no_more_than_a_table_can_have() -> None:
    floor = Floor()
    acts = [{"dealer": f"d{number:02}", "voided": 1} for number in range(20)]
    floor.say("health", **HEALTH | {"acts": [*acts, {"dealer": "x" * 65, "voided": 9}]})
    found = [line for line in floor.value("shoe_shift_acts") if 'act="voided"' in line]
    assert found[0] == 'shoe_shift_acts{table="T07",act="voided",dealer="d00"} 1'
    assert found[-1] == 'shoe_shift_acts{table="T07",act="voided",dealer="(rest)"} 8'
    assert len(found) == MOST_DEALERS + 1
    floor.say("health", **HEALTH)
    assert floor.value("shoe_shift_acts") == []


def test_a_table_that_invents_values_of_labels_makes_few_series() -> None:
    floor = Floor()
    series = set()
    for number in range(500):
        floor.say("status", **STATUS | {"version": f"v{number}", "build": f"b{number}"})
        floor.say("table", phase=f"p{number}", cards_left=1)
        floor.say("alarm", open=[{"id": f"a{number}", "severity": f"s{number}"}, {"id": "b", "severity": "s0"}])
        for name in ("shoe_build_info", "shoe_phase", "shoe_alarm_open"):
            series |= {each.partition("}")[0] for each in floor.value(name)}
    assert len(series) < 200
    assert floor.value("shoe_phase") == ['shoe_phase{table="T07",phase="other"} 1']


def test_alarms_of_the_same_bounded_kind_are_one_sample() -> None:
    floor = Floor()
    for number in range(0, 400, 2):
        floor.say("alarm", open=[{"id": f"a{number + more}", "severity": "warning"} for more in (0, 1)])
        lines = floor.value("shoe_alarm_open")
        assert len({each.partition("}")[0] for each in lines}) == len(lines)
    assert lines == ['shoe_alarm_open{table="T07",id="other",severity="warning"} 2']


def test_the_metrics_of_health_are_all_measures_that_have_one() -> None:
    made = [each.name for each in OF_A_TABLE if each.name in {row.metric for row in measures()}]
    assert len(made) == len(set(made)) == sum(1 for row in measures() if row.metric)
    assert set(ORDER) - {"reader"} <= {row.id for row in measures()}
