"""The installer and the files it puts on a machine."""

import re
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


def test_sources_are_signed_by_nobody_and_that_is_asked_for(root: Path) -> None:
    command = [str(PROJECT / "scripts/install"), "--root", str(root), "--no-venv"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, "--unsigned installs them all the same" in done.stderr, root.exists()) == (1, True, False)
    assert "NOT SIGNED" in subprocess.run([*command, "--unsigned"], check=True, capture_output=True, text=True).stdout


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


def test_a_key_is_made_on_the_machine_that_keeps_it(root: Path) -> None:
    """An image has none: all Pis made of it would sign with the same key."""
    make = "/opt/firmware-bridge/bin/shoe key new --if-none"
    command = [str(PROJECT / "scripts/install"), "--dry-run"]
    there = Path("/etc/credstore/firmware-bridge.record-key").exists()
    assert (f"+ {make}\n" in subprocess.run(command, check=True, capture_output=True, text=True).stdout) is not there
    assert "key new" not in installer(PROJECT, root)("--dry-run")
    assert "key new" not in subprocess.run([*command, "--floor"], check=True, capture_output=True, text=True).stdout


def test_uninstall_keeps_the_key_and_says_so(install: Install, root: Path) -> None:
    install()
    key = root / "etc/credstore/firmware-bridge.record-key"
    key.parent.mkdir(parents=True)
    key.write_bytes(bytes(32))
    assert "/etc/credstore/firmware-bridge.record-key" in install("--uninstall").splitlines()[-1]
    assert key.exists()


@pytest.mark.parametrize(("own", "other"), [("firmware-bridge", "shoe-floor"), ("shoe-floor", "firmware-bridge")])
def test_purge_leaves_no_secret_of_its_own(install: Install, root: Path, own: str, other: str) -> None:
    """A card that is thrown away is a login otherwise."""
    options = ["--floor"] if own == "shoe-floor" else []
    install(*options)
    for folder in ("credstore", "credstore.encrypted"):
        (root / "etc" / folder).mkdir(parents=True)
        for name in (f"{own}.mqtt-password", f"{own}.record-key", f"{own}.record-key-next", f"{other}.mqtt-password"):
            (root / "etc" / folder / name).write_text("secret")
    assert "secrets" in install(*options, "--uninstall", "--purge").splitlines()[-1]
    left = [path for path in root.rglob("*") if path.is_file()]
    assert {path.name for path in left} == {f"{other}.mqtt-password"}


def test_the_last_line_names_the_config_until_somebody_has_edited_it(install: Install, root: Path) -> None:
    for _ in range(2):  # also where the first run ended half way
        [*_, last] = install().splitlines()
        assert last.startswith("Next: write [table] id and [record] origin (a record keeps its name) in /etc/")
        assert last.endswith("/bridge.toml, then sudo shoe check")
    (root / CONFIG).write_text((root / CONFIG).read_text().replace("T07", "T01"))
    [*_, last] = install().splitlines()
    assert (last.startswith("Next: sudo shoe check"), str(CONFIG) in last, "--rollback" in last) == (True, True, False)


@pytest.mark.parametrize("option", [[], ["--floor"]])
def test_what_needs_a_running_systemd_is_left_out_and_named_where_none_runs(option: list[str]) -> None:
    command = [str(PROJECT / "scripts/install"), "--dry-run", "--unsigned", *option]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    runs = Path("/run/systemd/system").is_dir()
    assert ("+ systemctl daemon-reload\n" in said) is runs
    assert ("No systemd runs here, so this was left out: " in said) is not runs
    assert ("Run this again where it runs." in said) is not runs


def refused(*options: str, code: int = 2) -> str:
    """The one line that an installer refuses options with."""
    done = subprocess.run([PROJECT / "scripts/install", *options], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, "")
    [line] = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--rooot", "/nonexistent/x"], "unknown option --rooot, did you mean --root?"),
        (["--unistall"], "unknown option --unistall, did you mean --uninstall?"),
        (["--foo"], "unknown option --foo;"),
        (["uninstall"], "unknown option uninstall;"),
        (["--root"], "--root needs a directory"),
        (["--root", ""], "--root needs a directory"),
        (["--root", "--dry-run"], "--root needs a directory"),
        (["--floor", "--root"], "--root needs a directory"),
        (["--root", str(PROJECT / "README.md")], "is no directory"),
        (["--offline"], "--offline needs a directory"),
        (["--wheel", "--floor"], "--wheel needs a file"),
        (["--dry-run", "--purge"], "--purge goes with --uninstall"),
        (["--rollback", "--uninstall"], "either --rollback or --uninstall"),
        (["--floor", "--rpi-gpio"], "--rpi-gpio is for a shoe, not for --floor"),
        (["--parquet"], "--parquet goes with --floor"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else None,
)
def test_a_wrong_option_is_refused_in_one_line(options: list[str], says: str) -> None:
    line = refused(*options)
    assert says in line
    assert line.endswith("scripts/install --help lists the options")


@pytest.mark.parametrize("product", [[], ["--floor"]], ids=["shoe", "floor"])
def test_a_dry_run_says_at_its_end_that_nothing_was_changed(root: Path, product: list[str]) -> None:
    install = installer(PROJECT, root)

    def last(*options: str) -> str:
        return install("--no-venv", *product, *options).splitlines()[-1]

    name = "shoe-floor" if product else "firmware-bridge"
    nothing = f"{name} is not installed here; nothing was changed."
    assert last("--uninstall", "--dry-run") == nothing
    assert last("--uninstall", "--purge", "--dry-run") == nothing
    assert last("--uninstall").endswith(" is not installed here: there was nothing to remove.")
    assert last("--dry-run") == "Would be installed; nothing was changed."
    assert not root.exists()
    last()
    assert last("--dry-run") == f"{name} is up to date; nothing was changed."
    for kept in ("one", "two"):  # as an update leaves them
        command = root / "opt" / f"{name}.{kept}/bin"
        command.mkdir(parents=True)
        (command / ("shoe-floor" if product else "shoe")).touch(0o755)
    (root / "opt" / name).symlink_to(command.parent.name)
    before = tree(root)
    assert last("--rollback", "--dry-run") == "Would be rolled back; nothing was changed."
    assert last("--uninstall", "--dry-run") == "Would be removed; nothing was changed."
    assert tree(root) == before


def test_shoe_and_back_office_are_purged_apart(root: Path) -> None:
    install = installer(PROJECT, root)
    for options in ([], ["--floor"]):
        install("--no-venv", *options)
    install("--no-venv", "--uninstall", "--purge")
    assert {path.name for path in (root / CONFIG.parent).iterdir()} == {"floor.toml"}
    assert (root / "etc/systemd/system/shoe-floor-ingest.service").exists()
    install("--no-venv", "--floor", "--uninstall", "--purge")
    assert not [path for path in root.rglob("*") if not path.is_dir()]


def test_a_floor_config_that_was_edited_stays(root: Path) -> None:
    install = installer(PROJECT, root)
    install("--no-venv", "--floor")
    (root / "etc/firmware-bridge/floor.toml").write_text("# mine\n")
    install("--no-venv", "--floor")
    assert (root / "etc/firmware-bridge/floor.toml").read_text() == "# mine\n"
    install("--no-venv", "--floor", "--uninstall")
    assert (root / "etc/firmware-bridge/floor.toml").read_text() == "# mine\n"


def test_verify_misses_the_program_where_there_is_none(install: Install, root: Path) -> None:
    install()
    assert "/opt/firmware-bridge/bin/shoe is not executable" in verify(root).stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--offline", "/nonexistent/a"], "--offline /nonexistent/a: there is no such directory"),
        (["--offline", str(PROJECT)], "lacks cobs-1.2.0 colorzero-"),
        (["--wheel", "/nonexistent.whl"], "--wheel /nonexistent.whl: there is no such file"),
        (["--rollback"], "firmware-bridge is not installed here"),
        (["--floor", "--rollback"], "shoe-floor is not installed here"),
        (["--floor", "--offline", str(PROJECT)], "lacks anyio-"),
    ],
)
def test_a_dry_run_objects_to_what_is_not_there(root: Path, options: list[str], says: str) -> None:
    command = [str(PROJECT / "scripts/install"), "--root", str(root), "--dry-run", *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert says in done.stderr
    assert not root.exists()


SERVICES = ("ingest", "page", "metrics", "witness")


@pytest.mark.parametrize(
    ("unit", "most"), [("firmware-bridge", 14), *((f"shoe-floor-{part}", 12) for part in SERVICES)], ids=str
)
def test_a_unit_is_exposed_at_most_so_much_of_100(unit: str, most: int, tmp_path: Path) -> None:
    """By systemd's own measure, also without a user namespace: in one the kernel names nobody who asks at a socket."""
    path = tmp_path / f"{unit}.service"
    path.write_text((PROJECT / f"systemd/{unit}.service").read_text().replace("PrivateUsers=yes\n", ""))
    command = ["systemd-analyze", "security", "--offline=true", f"--threshold={most}", "--no-pager", str(path)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout


def test_devices_belong_to_the_service_and_to_no_group_that_people_are_in() -> None:
    rules = (PROJECT / "systemd/90-shoe-reader.rules").read_text()
    assert set(re.findall(r'GROUP:?="([\w-]+)"', rules)) == {"shoe-bridge"}
    assert not re.search("dialout|gpio$", (PROJECT / "systemd/sysusers.conf").read_text(), re.M)
    assert "SupplementaryGroups" not in UNIT.read_text()


def test_the_back_office_is_installed_with_what_it_was_tested_with() -> None:
    locked = re.compile(r"^([\w.-]+)==(\S+)", re.M)
    own, tested = (
        dict(locked.findall((PROJECT / f"requirements/{n}.lock").read_text())) for n in ("shoe-floor", "floor")
    )
    assert own.items() <= tested.items()
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    extras = [each for name in ("floor", "postgres", "nats") for each in project["optional-dependencies"][name]]
    assert {re.split(r"[\[><=]", each)[0] for each in extras} | {"msgspec", "paho-mqtt"} <= own.keys()


def test_no_text_of_ours_installs_us_by_a_name_of_an_index() -> None:
    """The name is ours on no package index: what pip installs of us is a path."""
    folders = ("docs", "firmware_bridge", "hardware", "requirements", "scripts", "systemd")
    files = [path for folder in folders for path in (PROJECT / folder).rglob("*") if path.is_file()]
    named = []
    for path in [*files, *PROJECT.glob("*.md"), *PROJECT.glob("*.toml"), *PROJECT.glob("*.py")]:
        for line in path.read_bytes().decode(errors="replace").splitlines():
            for words in re.findall(r"pipx? install ([^`\n]*)", line):
                named += [f"{path}: {line}" for word in words.split() if re.match(r"""['"]?firmware[-_]bridge""", word)]
            if re.search(r"sudo \S*pip3? install", line):
                named.append(f"{path}: {line}")
    assert named == []


def test_the_example_config_is_toml_with_the_table_it_is_for() -> None:
    config = tomllib.loads((PROJECT / "systemd/bridge.toml").read_text())
    assert config["table"]["id"]
    assert config["reader"]["port"] == "/dev/shoe-reader"


@pytest.mark.parametrize("lock", ["build", "dev", "parquet", "pi", "pictures", "rpi-gpio", "shoe-floor"])
def test_a_lock_names_hashes_and_no_address(lock: str) -> None:
    text = (PROJECT / f"requirements/{lock}.lock").read_text()
    assert "//" not in text
    assert "index" not in text
    assert text.count("==") <= text.count("--hash=sha256:")
