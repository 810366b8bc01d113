"""Back to the version before, behind a migration: the store of that version first, then the version."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.store import FORMAT
from firmware_bridge.journal.line import BEFORE
from firmware_bridge.journal.line import FORMAT as JOURNAL
from tests.floor.test_migrate import OLD, content, written
from tests.kit import kept_formats as kept
from tests.kit.project_copy import PROJECT

INSTALL = (PROJECT / "scripts/install").read_text()


def function(name: str) -> str:
    found = re.search(rf"^{name}\(\) \{{\n.*?^\}}\n", INSTALL, re.M | re.S)
    assert found
    return found[0]


class Rolled:
    """Two environments in a folder: what runs, and what ran before, whose version has the other format."""

    def __init__(self, folder: Path, *, now: int, before: int, product: str = "shoe-floor") -> None:
        self.folder, self._product, self.config = folder, product, written(folder)
        for name, number in (("now", now), ("before", before)):
            python = folder / name / "bin/python"
            python.parent.mkdir(parents=True)
            says = f'[ "$1" != -IBc ] || {{ echo {number}; exit; }}'
            python.write_text(f'#!/bin/sh\n{says}\nexec {sys.executable} "$@"\n')
            python.chmod(0o755)

    def back(self, dry: str = "", records_in: Path | None = None) -> tuple[int, str]:
        lines = (
            f"set -euo pipefail; root='' dry={dry} product={self._product} module=firmware_bridge.floor",
            f"command=shoe-floor config={self.config} env={self.folder}/now records_in={records_in or self.folder}",
            'die() { echo "$1" >&2; exit 1; }',
            function("format_of") + function("put_back"),
            f"put_back {self.folder}/before; echo turned",
        )
        done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def test_a_rollback_calls_it_before_it_replaces_anything() -> None:
    said = function("rollback_all")
    assert said.index('put_back "$other"') < said.index('step turn_to "$other"')


def test_the_store_goes_back_before_the_version_does(tmp_path: Path) -> None:
    path = kept.store(tmp_path)
    before = content(path)
    rolled = Rolled(tmp_path, now=FORMAT, before=OLD)
    assert subprocess.run(
        [tmp_path / "now/bin/python", "-m", "firmware_bridge.floor", "--config", rolled.config, "migrate"]
    )
    assert content(path) != before
    code, said = rolled.back()
    order = [said.index(each) for each in (f"for format {OLD} cannot read {path}", f"format {OLD} again", "turned")]
    assert (code, order) == (0, sorted(order))
    assert content(path) == before


def test_without_the_backup_nothing_is_replaced(tmp_path: Path) -> None:
    path = kept.store(tmp_path)
    rolled = Rolled(tmp_path, now=FORMAT, before=OLD)
    assert main(["--config", str(rolled.config), "migrate"]) == 0
    (tmp_path / f"floor.db.format-{OLD}").unlink()
    code, said = rolled.back()
    assert (code, f"no backup of {path} of format {OLD}" in said, "turned" in said) == (1, True, False)
    assert "so nothing was replaced" in said


def test_forward_again_the_store_is_migrated_by_a_command(tmp_path: Path) -> None:
    code, said = Rolled(tmp_path, now=OLD, before=FORMAT).back()
    assert (code, f"A store of format {OLD} is migrated then: sudo shoe-floor migrate" in said) == (0, True)


@pytest.mark.parametrize(("before", "named"), [(2, {1: 3, 3: 4}), (3, {3: 4}), (4, {})])
def test_journals_that_the_version_before_cannot_read_are_named(
    tmp_path: Path, before: int, named: dict[int, int]
) -> None:
    for number, beginning in enumerate((b"3\t1234\t", b"", b"4\t1234\t"), 1):
        (tmp_path / f"0000000{number}-abc.journal").write_bytes(beginning)
    code, said = Rolled(tmp_path, now=JOURNAL, before=before, product="firmware-bridge").back()
    found = {int(number): int(of) for number, of in re.findall(r"(\d)-abc\.journal: format (\d)\.", said)}
    assert (code, found, "moved aside" in said, said.rstrip().endswith("turned")) == (0, named, bool(named), True)


def test_a_table_that_was_updated_in_an_open_shoe_goes_back_without_a_word(tmp_path: Path) -> None:
    folder = kept.journals(tmp_path / "journals")[0]
    rolled = Rolled(tmp_path, now=JOURNAL, before=BEFORE, product="firmware-bridge")
    assert rolled.back(records_in=folder) == (0, "turned\n")
