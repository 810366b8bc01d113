"""A machine without a running daemon, to be checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit import command
from tests.kit.broker import Broker
from tests.kit.daemon_table import Table


class Checked:
    """A machine without a running daemon; calling it runs `shoe check` on a config with these sections."""

    def __init__(self, table: Table, shoe: command.Run) -> None:
        self.table, self._shoe = table, shoe

    def __call__(self, **sections: Any) -> dict[str, list[dict[str, str]]]:
        """Check name -> its findings."""
        self.table.configure(**sections)
        ran = self._shoe("check", "--json", "--config", self.table.config_path)
        report = json.loads(ran.out)
        failed = {each["name"] for each in report["checks"] if each["level"] == "FAIL"}
        assert (report["ok"], ran.code) == (not failed, 78 if "config" in failed else int(bool(failed)))
        found: dict[str, list[dict[str, str]]] = {}
        for each in report["checks"]:
            found.setdefault(each["name"], []).append(each)
        return found

    def one(self, name: str, **sections: Any) -> tuple[str, str, str]:
        """Level, text and remedy of the one finding of a check."""
        (found,) = self(**sections)[name]
        return found["level"], found["text"], found["remedy"]


@pytest.fixture
def check(tmp_path: Path, broker: Broker, shoe: command.Run) -> Iterator[Checked]:
    (tmp_path / "journal").mkdir(mode=0o700)
    table = Table(tmp_path, broker.port)
    yield Checked(table, shoe)
    table.close()
