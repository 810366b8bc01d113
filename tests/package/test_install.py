"""The whole installation, with its Python environment: it verifies, runs, is updated, and goes back."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hatch_build import build
from tests.kit.project_copy import PROJECT, Install, commit, copy_of_the_project, installer, runs, tree, verify

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 13), reason="lgpio has no wheel for this Python")

CONFIG = Path("etc/firmware-bridge/bridge.toml")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Install, Path]]:
    """A complete installation, of a copy of the sources so that nobody edits them meanwhile."""
    base = tmp_path_factory.mktemp("whole")
    install = installer(copy_of_the_project(base / "project"), base / "root")
    install()
    yield install, base / "root"
    shutil.rmtree(base)


def test_a_whole_installation_verifies(whole: tuple[Install, Path]) -> None:
    done = verify(whole[1])
    assert (done.returncode, done.stdout) == (0, "")


def test_a_whole_installation_stays_when_run_again(whole: tuple[Install, Path]) -> None:
    install, root = whole
    before = tree(root)
    assert "+ " not in install()
    assert tree(root) == before


def test_a_whole_installation_runs_from_where_it_will_lie(whole: tuple[Install, Path]) -> None:
    home = whole[1] / "opt/firmware-bridge"
    assert (home / "bin/shoe").read_text().startswith("#!/opt/firmware-bridge/bin/python")
    code = "import gpiozero, paho.mqtt, rich, serial, hardware, firmware_bridge as ours; print(ours.__file__)"
    command = [str(home / "bin/python"), "-B", "-c", code]
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd="/")
    assert Path(ran.stdout.strip()).is_relative_to(home)


def test_what_is_installed_leads_to_the_documents(whole: tuple[Install, Path]) -> None:
    root = whole[1]
    share = root / "opt/firmware-bridge/share"
    for path in (
        "man/man1/shoe.1",
        "man/man5/bridge.toml.5",
        "bash-completion/completions/shoe",
        "doc/firmware-bridge",
    ):
        assert (root / "usr/local/share" / path).readlink() == Path("/opt/firmware-bridge/share", path)
        assert (share / path).exists()
    assert "3 a.m." in (share / "doc/firmware-bridge/technician.md").read_text()
    ran = subprocess.run(
        [root / "opt/firmware-bridge/bin/python", "-IB", "-m", "firmware_bridge", "help", "reader_gap"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert "the card reader may have missed cards" in ran.stdout


def test_the_daemon_loads_no_package_for_pictures(whole: tuple[Install, Path]) -> None:
    python = whole[1] / "opt/firmware-bridge/bin/python"
    code = """
import importlib.util, sys, firmware_bridge.cli.run
print({"PIL", "markdown_it", "pygments", "rich"} & {*sys.modules}, importlib.util.find_spec("PIL"))
"""
    ran = subprocess.run([python, "-IB", "-c", code], check=True, stdout=subprocess.PIPE, text=True)
    assert ran.stdout == "set() None\n"


def test_an_update_can_be_rolled_back_and_keeps_one_environment(whole: tuple[Install, Path], tmp_path: Path) -> None:
    project, root = tmp_path / "project", tmp_path / "root"
    for copy in (project, root):
        shutil.copytree(whole[1].parent / copy.name, copy, symlinks=True)
    install, unit = installer(project, root), root / "etc/systemd/system/firmware-bridge.service"
    first = runs(root)
    assert first == build(project)
    before = tree(root)
    for old in ("0123456789ab", "0123456789ac.part"):  # of an older update, and as a power cut leaves one
        (root / f"opt/firmware-bridge.{old}/bin").mkdir(parents=True)
        (root / f"opt/firmware-bridge.{old}/bin/shoe").touch(0o755)
    (root / CONFIG).write_text('[table]\nid = "mine"\n')
    with (project / "systemd/firmware-bridge.service").open("a") as file:
        file.write("# newer\n")
    second = commit(project)
    said = install()
    assert f"build {second}" in said
    assert "[journal] keep_days" in said
    assert runs(root) == second
    assert len(list((root / "opt").glob("firmware-bridge.*"))) == 2
    assert unit.read_text().endswith("# newer\n")
    assert f"build {first}" in install("--rollback")
    assert runs(root) == first
    (root / CONFIG).write_bytes((PROJECT / "systemd/bridge.toml").read_bytes())
    kept = {name: held for name, held in tree(root).items() if not name.startswith("opt/firmware-bridge.")}
    assert kept == {name: held for name, held in before.items() if not name.startswith("opt/firmware-bridge.")}
    install("--rollback")
    assert runs(root) == second
    install("--uninstall")
    assert list((root / "opt").iterdir()) == []


def test_a_first_installation_cannot_be_rolled_back(whole: tuple[Install, Path]) -> None:
    command = [str(PROJECT / "scripts/install"), "--root", str(whole[1]), "--rollback"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, "no environment from before is kept" in done.stderr) == (1, True)
