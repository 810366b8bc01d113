"""`shoe check` by a technician who is not root, while the daemon runs."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.cli import daemon_socket, main
from firmware_bridge.cli.check import findings
from firmware_bridge.config.calibration import Count, CountSection, keep
from tests.daemon.table import test_people
from tests.daemon.table.test_people import People
from tests.kit.people import GID, UID, Forked

folder = test_people.folder  # a fixture

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")

SEEN = CountSection(at="2026-01-01T00:00:00Z", by="eve", measured=Count(tried=3, good=3))


@pytest.fixture
def people(folder: Path) -> Iterator[People]:
    people = People(folder)
    keep(people.table.journal_dir / "calibration.toml", "lamps", SEEN)
    people.table.config_path.chmod(0o644)
    people.table.journal_dir.chmod(0o711)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(daemon_socket, "ANSWER_S", 0.1)  # the daemon runs in this process, which asks
        list(findings(people.table.config_path))  # loads what the fork may not
    yield people
    people.table.close()


def test_what_is_for_root_is_not_checked_and_nothing_fails_for_it(people: People) -> None:
    words = ["check", "--json", "--config", str(people.table.config_path)]
    child = Forked(lambda: main(words), UID["tech"], [GID["tech"]])
    people.table.until(lambda: child.poll() is not None)
    with child.stdout, child.stderr:
        said, failed = json.loads(child.stdout.read()), child.stderr.read()
    assert failed == ""
    found = {(each["name"], each["level"], each["text"].partition(",")[0]) for each in said["checks"]}
    assert {
        ("daemon", "OK", "runs"),
        ("calibrated", "WARN", "reader: never calibrated"),
        ("disk", "WARN", "not checked"),
        ("journal", "WARN", "not checked"),
    } <= found
    denied = [each for each in said["checks"] if "Permission" in each["text"] or "denied" in each["text"]]
    assert {each["level"] for each in denied} == {"WARN"}
    assert {each["remedy"] for each in denied} == {"put sudo before the command"}
