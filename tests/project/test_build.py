"""A build is named after its commit: by the build backend, and by everything that says what runs."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge import __version__, _build
from firmware_bridge.cli.support import Place, about
from firmware_bridge.cli.watch.screen import screen
from hatch_build import build
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable
from tests.kit.project_copy import PROJECT, commit, copy_of_the_project

shoe, broker, brokers = command.shoe, real.broker, real.brokers  # fixtures
NAMED = "0123456789ab 2026-11-22"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of_the_project(tmp_path_factory.mktemp("build") / "project")


@pytest.fixture
def clean(project: Path) -> Iterator[Path]:
    yield project
    subprocess.run(["git", "-C", project, "checkout", "--quiet", "."], check=True)


def test_a_build_is_named_by_commit_and_date(clean: Path) -> None:
    named = commit(clean)
    assert build(clean) == named
    assert build(clean / ".") == named


def test_a_changed_or_a_new_source_makes_a_build_dirty(clean: Path) -> None:
    named = commit(clean)
    (clean / "README.md").write_text("no source of what runs")
    assert build(clean) == named
    (clean / "firmware_bridge/new.py").touch()
    assert build(clean) == f"{named} dirty"
    (clean / "firmware_bridge/new.py").unlink()
    (clean / "systemd/bridge.toml").write_text("")
    assert build(clean) == f"{named} dirty"


def test_without_a_repository_of_its_own_a_build_is_unknown(clean: Path, tmp_path: Path) -> None:
    assert build(tmp_path) == "unknown"
    assert build(clean / "firmware_bridge") == "unknown"


@pytest.mark.story
def test_wheel_and_sdist_carry_the_name_and_the_wheel_of_an_sdist_keeps_it(clean: Path, tmp_path: Path) -> None:
    named = commit(clean)
    backend = "import sys, hatchling.build as b; b.build_sdist(sys.argv[1]); b.build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", backend, tmp_path / "first"], check=True, cwd=clean, stdout=subprocess.DEVNULL
    )
    [sdist] = (tmp_path / "first").glob("*.tar.gz")
    subprocess.run(["tar", "-xzf", sdist, "-C", tmp_path], check=True)
    [sources] = tmp_path.glob("firmware_bridge-*")
    subprocess.run(
        [sys.executable, "-c", backend, tmp_path / "second"], check=True, cwd=sources, stdout=subprocess.DEVNULL
    )
    for wheel in tmp_path.glob("*/*.whl"):
        with zipfile.ZipFile(wheel) as names:
            assert names.read("firmware_bridge/build.txt").decode() == f"{named}\n"
            assert b"3 a.m." in names.read("firmware_bridge/docs/technician.md")
            assert len(names.namelist()) == len(set(names.namelist()))


def test_the_changelog_has_the_version_with_its_date_and_room_for_the_next() -> None:
    text = (PROJECT / "CHANGELOG.md").read_text("utf-8")
    heads = re.findall(r"^## \[(.*?)\](.*)$", text, re.M)
    assert heads[0] == ("Unreleased", "")
    assert re.fullmatch(r" - \d{4}-\d\d-\d\d", dict(heads)[__version__])


def says(project: Path, *words: str, path: str = os.environ["PATH"]) -> str:
    """What a program of a clone prints."""
    words = words or ("firmware_bridge", "--version")
    env = os.environ | {"PYTHONPATH": str(project), "PATH": path, "GIT_DIR": "/nonexistent"}
    done = subprocess.run([sys.executable, "-m", *words], check=True, capture_output=True, text=True, cwd="/", env=env)
    return done.stdout


@pytest.mark.parametrize(("module", "name"), [("firmware_bridge", "shoe"), ("firmware_bridge.floor", "shoe-floor")])
def test_a_clone_says_its_commit_and_whether_its_files_differ(clean: Path, module: str, name: str) -> None:
    asked = (module, "--version")
    build = f"{name} {__version__}, build {commit(clean).split()[0]}"
    assert says(clean, *asked) == f"{build} clone\n"
    (clean / "rounds.jsonl").touch()  # no source
    assert says(clean, *asked) == f"{build} clone\n"
    (clean / "rounds.jsonl").unlink()
    (clean / "firmware_bridge/new.py").touch()
    assert says(clean, *asked) == f"{build}-dirty clone\n"
    (clean / "firmware_bridge/new.py").unlink()
    (clean / "systemd/bridge.toml").write_text("")
    assert says(clean, *asked) == f"{build}-dirty clone\n"


def test_every_way_to_check_out_a_commit_is_read(clean: Path, tmp_path: Path) -> None:
    named = f"{commit(clean).split()[0]} clone"
    git = ["git", "-C", str(clean)]
    assert _build(clean / "firmware_bridge") == named
    subprocess.run([*git, "worktree", "add", "--quiet", "-b", "a/branch", tmp_path / "tree"], check=True)
    assert _build(tmp_path / "tree/firmware_bridge") == named
    subprocess.run([*git, "worktree", "add", "--quiet", "--detach", tmp_path / "detached"], check=True)
    assert _build(tmp_path / "detached/firmware_bridge") == named
    subprocess.run([*git, "pack-refs", "--all"], check=True)
    assert _build(clean / "firmware_bridge") == named
    assert _build(tmp_path / "tree/firmware_bridge") == named


@pytest.mark.parametrize("head", [None, "", "ref: refs/heads/none\n", b"\xff"], ids=str)
def test_sources_without_a_commit_say_so(head: str | bytes | None, tmp_path: Path) -> None:
    if head is not None:
        (tmp_path / ".git").mkdir()
        (tmp_path / ".git/HEAD").write_bytes(head if isinstance(head, bytes) else head.encode())
    assert _build(tmp_path / "firmware_bridge") == "unknown"


def test_only_the_option_version_asks_git(clean: Path, tmp_path: Path) -> None:
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\nexit 1\n")
    git.chmod(0o755)
    named = f"shoe {__version__}, build {commit(clean).split()[0]} clone\n"
    path = f"{tmp_path}:{os.environ['PATH']}"
    says(clean, "firmware_bridge", "help", "reader_gap", path=path)
    assert not (tmp_path / "asked").exists()
    assert says(clean, path=path) == named  # git failed
    assert (tmp_path / "asked").exists()
    assert says(clean, path="/nonexistent") == named


def test_everything_that_names_the_version_names_the_build(
    broker: Broker, tmp_path: Path, shoe: command.Run, mocker: MockerFixture
) -> None:
    for module in ("daemon.table.control", "daemon.table.uplink", "config.version", "cli.support"):
        mocker.patch(f"firmware_bridge.{module}.__build__", NAMED)
    with Backend(broker.port) as backend:
        table = BridgeTable(tmp_path, broker.port).start()
        try:
            table.until(lambda: backend.on("status"))
            status = table.bridge.control.status()
        finally:
            table.close()
    assert [each["build"] for each in backend.on("status")] == [NAMED] * len(backend.on("status"))
    assert f"build {NAMED}" in "\n".join(screen(status))
    assert shoe("--version").out == f"shoe {__version__}, build {NAMED}\n"
    assert about(Place(tmp_path, tmp_path)).startswith(f"shoe {__version__}, build {NAMED}\n")
