"""The installer and the files it puts on a machine."""

import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.kit.project_copy import Install, installer, tree, verify

PROJECT = Path(__file__).parents[2]
UNIT = PROJECT / "systemd/firmware-bridge.service"
CONFIG = Path("etc/firmware-bridge/bridge.toml")
JOURNAL = Path("var/lib/firmware-bridge/000001.journal")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def install(root: Path) -> Install:
    """Everything but the Python environment: quick."""
    return lambda *options: installer(PROJECT, root)("--no-venv", *options)


def test_a_dry_run_changes_nothing(root: Path) -> None:
    said = installer(PROJECT, root)("--dry-run")
    assert "requirements/pi.lock" in said
    assert "/etc/systemd/system/firmware-bridge.service" in said
    assert not root.exists()


def test_a_dry_run_of_uninstall_changes_nothing(install: Install, root: Path) -> None:
    install()
    before = tree(root)
    assert str(root / "etc/systemd/system/firmware-bridge.service") in install("--uninstall", "--dry-run")
    assert tree(root) == before


def test_installing_again_changes_nothing(install: Install, root: Path) -> None:
    install()
    before = tree(root)
    assert "+ " not in install()
    assert tree(root) == before


def test_an_edited_config_is_never_overwritten(install: Install, root: Path) -> None:
    install()
    (root / CONFIG).write_text('[table]\nid = "mine"\n')
    install()
    assert tomllib.loads((root / CONFIG).read_text()) == {"table": {"id": "mine"}}


def test_a_changed_unit_is_replaced(install: Install, root: Path) -> None:
    install()
    unit = root / "etc/systemd/system/firmware-bridge.service"
    unit.write_text("[Unit]\nDescription=an older one\n")
    install()
    assert unit.read_bytes() == UNIT.read_bytes()


@pytest.mark.parametrize(
    ("options", "left"),
    [(["--uninstall"], {str(CONFIG), str(JOURNAL)}), (["--uninstall", "--purge"], set())],
)
def test_uninstall_keeps_the_records_unless_purged(
    install: Install, root: Path, options: list[str], left: set[str]
) -> None:
    install("--rpi-gpio")
    (root / JOURNAL).parent.mkdir(parents=True)
    (root / JOURNAL).write_text("a round\n")
    said = install(*options)
    assert {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()} == left
    assert ("Kept: the journals" in said) is bool(left)


def test_a_wrong_option_is_refused(root: Path) -> None:
    done = subprocess.run([PROJECT / "scripts/install", "--rooot", root], check=False, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"--root DIR" in done.stderr


def test_verify_misses_the_program_where_there_is_none(install: Install, root: Path) -> None:
    install()
    assert "/opt/firmware-bridge/bin/shoe is not executable" in verify(root).stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--offline", "/nonexistent/a"], "--offline /nonexistent/a: there is no such directory"),
        (["--offline", str(PROJECT)], "lacks cobs-1.2.0 colorzero-"),
        (["--wheel", "/nonexistent.whl"], "--wheel /nonexistent.whl: there is no such file"),
        (["--rollback"], "nothing is installed here"),
    ],
)
def test_a_dry_run_objects_to_what_is_not_there(root: Path, options: list[str], says: str) -> None:
    command = [str(PROJECT / "scripts/install"), "--root", str(root), "--dry-run", *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert says in done.stderr
    assert not root.exists()


def test_the_unit_is_exposed_at_most_2_of_10() -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", str(UNIT)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout


def test_the_example_config_is_toml_with_the_table_it_is_for() -> None:
    config = tomllib.loads((PROJECT / "systemd/bridge.toml").read_text())
    assert config["table"]["id"]
    assert config["reader"]["port"] == "/dev/shoe-reader"


@pytest.mark.parametrize("lock", ["build", "dev", "pi", "pictures", "rpi-gpio"])
def test_a_lock_names_hashes_and_no_address(lock: str) -> None:
    text = (PROJECT / f"requirements/{lock}.lock").read_text()
    assert "//" not in text
    assert "index" not in text
    assert text.count("==") <= text.count("--hash=sha256:")
