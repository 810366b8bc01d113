"""The metrics, the alerts and the dashboard before Prometheus' own tools, and a real Prometheus that asks."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.floor.metrics.exporter import (
    OF_ITS_CONDITION,
    OF_RECEIVERS,
    OF_RECORDS,
    OF_THE_EXPORTER,
    OF_THE_STORE,
)
from firmware_bridge.floor.metrics.families import OF_A_TABLE
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor_whole.exported import Exported
from tests.kit import broker as real
from tests.kit.broker import Broker, free_port
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import HANG_S, ended, run

broker, brokers = real.broker, real.brokers  # fixtures
FOLDER = Path(__file__).parents[2] / "docs/prometheus"
PROMTOOL = shutil.which("promtool")
PROMETHEUS = shutil.which("prometheus")
NAMES: Final = {each.name for each in OF_A_TABLE} | {
    name for name, *_ in (*OF_THE_EXPORTER, *OF_THE_STORE, *OF_ITS_CONDITION, *OF_RECORDS, *OF_RECEIVERS)
}
RECORDED: Final = "table:shoe_rounds:per_hour"

needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool is missing: install the package prometheus")
needs_prometheus = pytest.mark.skipif(PROMETHEUS is None, reason="prometheus is missing: install the package of it")


def promtool(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    assert PROMTOOL
    return run([PROMTOOL, *words], 120.0, text=text)


def named(text: str) -> set[str]:
    """Every metric that a text names."""
    return set(re.findall(r"(?<![:\w])shoe_[a-z_]+[a-z]", text.replace(RECORDED, "")))


def expressions() -> str:
    """What the rules ask, without their annotations."""
    text = (FOLDER / "shoe.rules.yml").read_text("utf-8")
    return re.sub(r"annotations:.*?(?=\n\n|\Z)", "", re.sub(r"#.*", "", text), flags=re.S)


@needs_promtool
def test_the_rules_are_right_and_do_what_their_tests_say() -> None:
    checked = promtool("check", "rules", str(FOLDER / "shoe.rules.yml"))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    done = promtool("test", "rules", str(FOLDER / "shoe.rules.test.yml"))
    assert done.returncode == 0, done.stdout + done.stderr


CHANGES: Final = {
    "ShoeHealthOld": ("_age_seconds > 90", "_age_seconds > 9000"),
    "ShoeQueueWaits": ("min_over_time(shoe_outbox_entries[2m]) > 0", "shoe_outbox_entries > 1000"),
    "ShoeRoundsTooFast": ("per_hour > 120", "per_hour > 1000"),
    "ShoeRoundsTooSlow": ("per_hour < 15", "per_hour < 1"),
    "ShoeReadsUnread": ("> 0.01", "> 0.1"),
    "ShoeReadQualityFallen": ("0.8 * shoe", "0.5 * shoe"),
    "ShoeDiskLow": ("3 * 86400", "300"),
    "ShoeTooHot": ("> 80 or", "> 90 or"),
    "ShoeGaps": ("shoe_floor_gaps > 0", "shoe_floor_gaps > 9"),
    "ShoeIngestGone": ("heartbeat_age_seconds > 60", "heartbeat_age_seconds > 6000"),
    "ShoeIngestBehind": ("backlog[10m]) > 1000", "backlog[10m]) > 10000"),
    "ShoeCommitsLate": ("commit_age_seconds > 120", "commit_age_seconds > 12000"),
    "ShoeStoreDiskFull": ("days_left < 1 / 24 or shoe_floor_store_free_bytes < 268e6", "days_left < 0"),
    "ShoeStoreSilent": ("store_silent", "stored_silent"),
    "ShoeBrokerFault": ('id="broker_fault"', 'id="broker_faults"'),
    "ShoeQuarantineFlood": ("quarantine_total[10m]) > 100", "quarantine_total[10m]) > 1000"),
    "ShoeBelowQuorum": ("min_over_time(shoe_record_size[10m])", "(min_over_time(shoe_record_size[10m]) - 99)"),
}
"""Alert -> a change of its rule."""


@needs_promtool
def test_a_rule_that_is_changed_fails_its_test(tmp_path: Path) -> None:
    rules = (FOLDER / "shoe.rules.yml").read_text("utf-8")
    for was, becomes in CHANGES.values():
        assert rules.count(was) == 1
        rules = rules.replace(was, becomes)
    (tmp_path / "shoe.rules.yml").write_text(rules)
    shutil.copy(FOLDER / "shoe.rules.test.yml", tmp_path)
    done = promtool("test", "rules", str(tmp_path / "shoe.rules.test.yml"))
    assert done.returncode == 1
    found = re.findall(r"^\s*exp:(.*)\n\s*got:(.*)$", done.stdout + done.stderr, re.M)
    raised = [
        [set(re.findall(r'alertname="(\w+)".*?table="(\w+)"|alertname="(\w+)"', each)) for each in pair]
        for pair in found
    ]
    assert {"".join((name, other)) for expected, got in raised for name, _, other in expected - got} == set(CHANGES)


def test_every_alert_has_a_test_that_raises_it_a_runbook_and_a_severity() -> None:
    rules, tests = ((FOLDER / f"shoe.rules.{kind}").read_text("utf-8") for kind in ("yml", "test.yml"))
    alerts = re.findall(r"- alert: (\w+)", rules)
    assert len(alerts) == len(set(alerts)) > 20
    assert [each for each in alerts if f'alertname="{each}"' not in tests] == []
    assert rules.count("runbook:") == rules.count("summary:") == len(alerts)
    assert len(re.findall(r"labels: { severity: (?:page|ticket|info) }", rules)) == len(alerts)


def test_rules_and_dashboard_name_only_metrics_that_exist() -> None:
    assert named(expressions()) <= NAMES
    assert len(named(expressions())) > 20
    board: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
    asked = " ".join(target["expr"] for panel in board["panels"] for target in panel["targets"])
    assert named(asked) | named(json.dumps(board["templating"])) <= NAMES
    assert RECORDED in asked


def test_the_dashboard_is_one_that_grafana_imports_as_far_as_its_json_tells() -> None:
    board: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
    assert {"title", "uid", "schemaVersion", "panels", "templating", "time"} <= set(board)
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    taken: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        assert panel["type"] in ("stat", "table", "timeseries")
        assert panel["title"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not cells & taken, f"{panel['title']} lies over another panel"
        taken |= cells
        refs = [target["refId"] for target in panel["targets"]]
        assert refs == sorted(set(refs))
    variables = {each["name"] for each in board["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(board["panels"])))
    assert used <= variables


@needs_promtool
def test_every_question_of_the_dashboard_is_promql(tmp_path: Path) -> None:
    board: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
    asked = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    rules = [{"record": f"question:{n}", "expr": each.replace("$table", ".*")} for n, each in enumerate(asked)]
    (tmp_path / "questions.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    checked = promtool("check", "rules", str(tmp_path / "questions.yml"))
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.fixture
def floor(tmp_path: Path, broker: Broker) -> Iterator[Exported]:
    daemon, exported = DaemonTable(tmp_path, broker.port), Exported(tmp_path, broker.port)
    SqliteStore(exported.store).close()
    try:
        daemon.start()
        exported.start()
        exported.until(lambda: exported.values("shoe_health_age_seconds"))
        daemon.deal("9s Kd Th")
        daemon.deal("9s Td Ts Tc 2s")
        exported.until(lambda: sum(exported.values("shoe_rounds_total").values()))
        yield exported
    finally:
        exported.end()
        daemon.close()


@needs_promtool
def test_what_a_real_table_and_exporter_give_passes_promtool(floor: Exported) -> None:
    text = floor.text()
    done = promtool("check", "metrics", text=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert named(text) <= NAMES


@needs_prometheus
def test_a_real_prometheus_takes_both_formats_with_the_config_of_the_docs(floor: Exported, tmp_path: Path) -> None:
    doc = (FOLDER.parent / "metrics.md").read_text("utf-8")
    (config,) = re.findall(r"```yaml\n(.*?)```", doc, re.S)
    config = config.replace("127.0.0.1:9108", f"127.0.0.1:{floor.port}").replace("15s", "1s")
    (tmp_path / "prometheus.yml").write_text(config)
    shutil.copy(FOLDER / "shoe.rules.yml", tmp_path)
    with Prometheus(tmp_path) as prometheus:
        floor.until(lambda: prometheus.ask('up{job="shoe-floor"}') == ["1"])
        assert prometheus.ask('count(shoe_state{table="T07",state="online"})') == ["1"]
        assert prometheus.ask("shoe_floor_store_readable") == ["1"]
        assert prometheus.ask("sum(shoe_rounds_total) > bool 0") == ["1"]
        assert prometheus.ask("count(ALERTS) or vector(0)") == ["0"]


class Prometheus:
    """A real Prometheus with the configuration prometheus.yml in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()

    def __enter__(self) -> Prometheus:
        assert PROMETHEUS
        words = [PROMETHEUS, "--config.file=prometheus.yml", f"--web.listen-address=127.0.0.1:{self._port}"]
        with (self._folder / "prometheus.log").open("wb") as log:
            command = [*words, f"--storage.tsdb.path={self._folder / 'data'}"]
            self._process = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log, env=os.environ)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        ended(self._process)

    def ask(self, question: str) -> list[str]:
        """The values that a question has now; none while Prometheus starts."""
        address = f"http://127.0.0.1:{self._port}/api/v1/query?{urllib.parse.urlencode({'query': question})}"
        try:
            with urllib.request.urlopen(address, timeout=HANG_S) as answer:
                return [each["value"][1] for each in json.load(answer)["data"]["result"]]
        except OSError:
            return []
