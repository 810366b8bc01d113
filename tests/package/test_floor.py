"""The back office out of the bundle: installed without a network, started, updated, rolled back, removed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.kit import broker as real
from tests.kit.broker import Broker, free_port
from tests.kit.patience import HANG_S, ended, until
from tests.kit.project_copy import PROJECT, Install, floor_runs, installer, tree, verify
from tests.package.making import ARCH, Made, marks, unpacked

pytestmark = marks
brokers, broker = real.brokers, real.broker  # fixtures

OFFLINE = {"PIP_INDEX_URL": "http://127.0.0.1:9/"}
CONFIG = Path("etc/firmware-bridge/floor.toml")


@pytest.fixture(scope="module")
def installed(package: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the older bundle unpacked, and the back office installed by it into `root`."""
    base = tmp_path_factory.mktemp("installed")
    installer(unpacked(package, base), base / "root")("--floor", env=OFFLINE)
    return base


@pytest.fixture
def bundle(installed: Path, package: Made, root: Path) -> Install:
    """The installer of the older bundle, and a copy of the back office installed by it."""
    shutil.copytree(installed / "root", root, symlinks=True, dirs_exist_ok=True)
    return installer(installed / package.bundle.name.removesuffix(".tar.gz"), root)


def test_every_unit_verifies_and_nothing_of_a_shoe_is_there(bundle: Install, root: Path) -> None:
    for name in ("ingest", "page", "metrics"):
        done = verify(root, f"shoe-floor-{name}.service")
        assert (done.returncode, done.stdout) == (0, "")
    assert (root / "usr/local/bin/shoe-floor").readlink() == Path("/opt/shoe-floor/bin/shoe-floor")
    share = root / "opt/shoe-floor/share"
    assert (share / "doc/shoe-floor/small-house/acl").exists()
    for path, says in (
        ("man/man1/shoe-floor.1", ".TH SHOE-FLOOR 1"),
        ("bash-completion/completions/shoe-floor", "complete -o default -F"),
    ):
        assert (root / "usr/local/share" / path).readlink() == Path("/opt/shoe-floor/share", path)
        assert says in (share / path).read_text()
    assert {path.name for path in (root / "opt").iterdir() if path.is_symlink()} == {"shoe-floor"}
    assert not list(root.glob("opt/shoe-floor/lib/python3*/site-packages/gpiozero"))


def test_it_stays_when_run_again(bundle: Install, root: Path) -> None:
    before = tree(root)
    assert "+ " not in bundle("--floor")
    assert bundle("--floor", "--dry-run").endswith("shoe-floor is up to date; nothing was changed.\n")
    assert tree(root) == before


def test_no_part_of_it_lacks_a_package(bundle: Install, root: Path) -> None:
    code = """
import importlib, pkgutil, firmware_bridge.floor as floor
for each in pkgutil.walk_packages(floor.__path__, "firmware_bridge.floor."):
    if not each.name.endswith("__main__"):
        importlib.import_module(each.name)
"""
    subprocess.run([root / "opt/shoe-floor/bin/python", "-IB", "-c", code], check=True, cwd="/")


def test_what_is_installed_stores_and_serves(bundle: Install, root: Path, broker: Broker, tmp_path: Path) -> None:
    page, metrics = free_port(), free_port()
    (root / CONFIG).write_text(
        f"[mqtt]\nport = {broker.port}\n[store]\npath = '{tmp_path}/floor.db'\n"
        f"[page]\nport = {page}\n[metrics]\nport = {metrics}\n"
    )
    command = [
        *(str(root / "opt/shoe-floor/bin/python"), "-IB", "-m", "firmware_bridge.floor"),
        *("--config", str(root / CONFIG)),
    ]
    services = [subprocess.Popen([*command, name], cwd="/") for name in ("ingest", "page", "metrics")]
    try:
        until(lambda: "<html" in answer(page, "/"))
        until(lambda: "shoe_exporter_connected 1" in answer(metrics, "/metrics"))
        until((tmp_path / "floor.db").exists)
        checked = subprocess.run([*command, "check"], check=False, stdout=subprocess.PIPE, text=True, cwd="/").stdout
        assert "the store can be read" in checked
        for extra in ("psycopg", "nats"):
            subprocess.run([command[0], "-IBc", f"import {extra}"], check=True, cwd="/")
    finally:
        for each in services:
            each.send_signal(signal.SIGTERM)
        assert [ended(each) for each in services] == [0, 0, 0]


def test_the_lines_of_the_small_house_install_from_the_bundle(
    packages: tuple[Made, Made], root: Path, tmp_path: Path
) -> None:
    text = (PROJECT / "docs/small-house.md").read_text("utf-8")
    lines = re.findall(r"^(?:tar xf|sudo firmware-bridge).*$", text, re.M)
    assert len(lines) == 2
    script = "\n".join(lines).replace("sudo ", "").replace("amd64", ARCH).replace("--floor", f"--floor --root {root}")
    shutil.copy(packages[1].bundle, tmp_path)
    subprocess.run(["bash", "-euc", script], check=True, cwd=tmp_path, env=os.environ | OFFLINE)
    assert floor_runs(root) == packages[1].build
    shown = set(re.findall(r"/usr/local/share/doc/shoe-floor/(\S+)", text))
    assert len(shown) == 3
    assert all((root / "opt/shoe-floor/share/doc/shoe-floor" / each).is_file() for each in shown)


def test_an_update_is_rolled_back_and_all_of_it_removed(
    bundle: Install, packages: tuple[Made, Made], root: Path, tmp_path: Path
) -> None:
    first, second = packages
    assert floor_runs(root) == first.build
    (root / CONFIG).write_text("# mine\n")
    newer = installer(unpacked(second, tmp_path), root)
    assert f"build {second.build}" in newer("--floor", env=OFFLINE)
    assert floor_runs(root) == second.build
    before = tree(root)
    assert newer("--floor", "--rollback", "--dry-run").endswith("Would be rolled back; nothing was changed.\n")
    assert tree(root) == before
    assert f"build {first.build}" in newer("--floor", "--rollback")
    assert floor_runs(root) == first.build
    newer("--floor", "--rollback")
    assert floor_runs(root) == second.build
    (root / "var/lib/shoe-floor").mkdir(parents=True)
    (root / "var/lib/shoe-floor/floor.db").write_text("rounds")
    assert "Kept: the store in /var/lib/shoe-floor" in newer("--floor", "--uninstall")
    left = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()} - {"var/lib/dpkg/status"}
    assert left == {str(CONFIG), "var/lib/shoe-floor/floor.db"}
    newer("--floor", env=OFFLINE)
    newer("--floor", "--uninstall", "--purge")
    assert {path for path in root.rglob("*") if path.is_file()} == {root / "var/lib/dpkg/status"}


def answer(port: int, path: str) -> str:
    """What a server of this machine answers; nothing where there is none yet."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=HANG_S) as response:
            return str(response.read().decode())
    except (urllib.error.URLError, ConnectionError):
        return ""
