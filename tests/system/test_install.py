"""The installer and the files it puts on a machine."""

import hashlib
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
UNIT = PROJECT / "systemd/firmware-bridge.service"
CONFIG = Path("etc/firmware-bridge/bridge.toml")
JOURNAL = Path("var/lib/firmware-bridge/000001.journal")

Install = Callable[..., str]


def installer(project: Path, root: Path) -> Install:
    def install(*options: str) -> str:
        command = [str(project / "scripts/install"), "--root", str(root), *options]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd="/")
        return done.stdout

    return install


def tree(root: Path) -> dict[str, str]:
    """Every path below `root` with its mode and what it holds."""
    return {str(path.relative_to(root)): content(path) for path in sorted(root.rglob("*"))}


def content(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    body = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "directory"
    return f"{path.stat().st_mode:o} {body}"


def verify(root: Path) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", "verify", "--recursive-errors=no", f"--root={root}", UNIT.name]
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def install(root: Path) -> Install:
    """Everything but the Python environment: quick."""
    return lambda *options: installer(PROJECT, root)("--no-venv", *options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Install, Path]]:
    """A complete installation, of a copy of the sources so that nobody edits them meanwhile."""
    base = tmp_path_factory.mktemp("whole")
    project, root = base / "project", base / "root"
    for part in ("firmware_bridge", "hardware", "requirements", "scripts", "systemd"):
        shutil.copytree(PROJECT / part, project / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "LICENSE", "README.md"):
        shutil.copy(PROJECT / part, project)
    install = installer(project, root)
    install()
    yield install, root
    shutil.rmtree(base)


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


def test_verify_misses_the_program_where_there_is_none(install: Install, root: Path) -> None:
    install()
    assert "/opt/firmware-bridge/bin/shoe is not executable" in verify(root).stdout


def test_the_unit_is_exposed_at_most_2_of_10() -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", str(UNIT)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout


def test_the_example_config_is_toml_with_the_table_it_is_for() -> None:
    config = tomllib.loads((PROJECT / "systemd/bridge.toml").read_text())
    assert config["table"]["id"]
    assert config["reader"]["port"] == "/dev/shoe-reader"


@pytest.mark.parametrize("lock", ["build", "dev", "pi", "rpi-gpio"])
def test_a_lock_names_hashes_and_no_address(lock: str) -> None:
    text = (PROJECT / f"requirements/{lock}.lock").read_text()
    assert "//" not in text
    assert "index" not in text
    assert text.count("==") <= text.count("--hash=sha256:")
