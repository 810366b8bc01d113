"""The installer and the files it puts on a machine."""

import hashlib
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from hatch_build import build
from tests.system.installed import Install, commit, copy_of_the_project, installer, runs

PROJECT = Path(__file__).parents[2]
UNIT = PROJECT / "systemd/firmware-bridge.service"
CONFIG = Path("etc/firmware-bridge/bridge.toml")
JOURNAL = Path("var/lib/firmware-bridge/000001.journal")


def tree(root: Path) -> dict[str, str]:
    """Every path below `root` with its mode and what it holds."""
    return {str(path.relative_to(root)): content(path) for path in sorted(root.rglob("*"))}


def content(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    body = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "directory"
    return f"{path.stat().st_mode:o} {body}"


def verify(root: Path) -> subprocess.CompletedProcess[str]:
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", f"--root={root}", UNIT.name]
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
    install = installer(copy_of_the_project(base / "project"), base / "root")
    install()
    yield install, base / "root"
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
    assert "the reader may have missed cards" in ran.stdout


def test_the_daemon_loads_no_package_for_pictures(whole: tuple[Install, Path]) -> None:
    python = whole[1] / "opt/firmware-bridge/bin/python"
    code = """
import importlib.util, sys, firmware_bridge.cli.run
print({"PIL", "markdown_it", "pygments", "rich"} & {*sys.modules}, importlib.util.find_spec("PIL"))
"""
    ran = subprocess.run([python, "-IB", "-c", code], check=True, stdout=subprocess.PIPE, text=True)
    assert ran.stdout == "set() None\n"


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
