"""The daemon keeps to one core, and leaves that core to itself."""

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli import run
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

broker, brokers = real.broker, real.brokers  # fixtures
CORES = os.sched_getaffinity(0)


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(each) for each in found]


@pytest.mark.skipif(len(CORES) < 2, reason="there is one core")
def test_a_daemon_has_one_core_and_odds_are_worked_out_on_the_others(tmp_path: Path, broker: Broker) -> None:
    with closing(DaemonTable(tmp_path, broker.port, mqtt={"live_odds": True})) as table:
        table.start().deal("9s Td Ts Tc 2s")
        assert table.process
        own = os.sched_getaffinity(table.process.pid)
        assert len(own) == 1
        assert own != {min(CORES)}
        daemon = table.process.pid
        table.until(lambda: children(daemon))
        (child,) = children(daemon)
        table.until(lambda: own.isdisjoint(os.sched_getaffinity(child)))


@pytest.mark.parametrize(("cores", "pid", "chosen"), [({0}, 7, {0}), ({0, 1}, 7, {1}), ({0, 1, 2, 3}, 7, {2})])
def test_the_first_core_serves_devices(mocker: Any, cores: set[int], pid: int, chosen: set[int]) -> None:
    mocker.patch.object(os, "sched_getaffinity", return_value=cores)
    mocker.patch.object(os, "getpid", return_value=pid)
    told = mocker.patch.object(os, "sched_setaffinity")
    run.keep_to_one_core()
    told.assert_called_once_with(0, chosen)


def test_where_it_is_forbidden_the_kernel_goes_on_choosing(mocker: Any) -> None:
    mocker.patch.object(os, "sched_setaffinity", side_effect=PermissionError)
    run.keep_to_one_core()
