"""The package and the bundle for machines without a network, and what runs after each step of their life."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hatch_build import build
from tests.kit.project_copy import commit, copy_of_the_project, installer, runs

ARCH = subprocess.run(["dpkg", "--print-architecture"], check=False, capture_output=True, text=True).stdout.strip()
PYTHON = subprocess.run(["/usr/bin/python3", "-V"], check=False, capture_output=True, text=True).stdout

pytestmark = [
    pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="there is no dpkg-deb: packages are made on Debian"),
    pytest.mark.skipif("3.11" not in PYTHON, reason="the package is for Debian 12, whose Python is 3.11"),
]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="dpkg gives files to root: run as root")


class Made(NamedTuple):
    """What scripts/package made of a commit."""

    build: str
    deb: Path
    bundle: Path


def made(project: Path, out: Path, arch: str) -> Made:
    command = [str(project / "scripts/package"), "--arch", arch, "--out", str(out)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return Made(build(project), Path(said[0]), Path(said[1]))


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Made, Made]]:
    """Of two commits, for the machine this runs on."""
    base = tmp_path_factory.mktemp("packages")
    project = copy_of_the_project(base / "project")
    first = made(project, base, ARCH)
    (project / "firmware_bridge/newer.txt").write_text("newer")
    commit(project)
    yield first, made(project, base, ARCH)
    shutil.rmtree(base)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root/var/lib/dpkg").mkdir(parents=True)
    (tmp_path / "root/var/lib/dpkg/status").touch()
    return tmp_path / "root"


@pytest.fixture
def dpkg(root: Path) -> Callable[..., str]:
    """Dpkg itself, on a directory tree."""
    forced = ("script-chrootless", "depends", "bad-path")
    env = os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}

    def run(*words: str | Path) -> str:
        command = ["dpkg", f"--root={root}", *(f"--force-{each}" for each in forced), *map(str, words)]
        done = subprocess.run(
            command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run


@needs_root
def test_the_package_is_installed_updated_rolled_back_and_removed(
    packages: tuple[Made, Made], root: Path, dpkg: Callable[..., str]
) -> None:
    first, second = packages
    shipped = root / "usr/lib/firmware-bridge"
    dpkg("-i", first.deb)
    assert runs(root) == first.build
    assert (root / "etc/systemd/system/firmware-bridge.service").exists()
    (root / "etc/firmware-bridge/bridge.toml").write_text('[table]\nid = "mine"\n')
    told = dpkg("-i", second.deb)
    assert runs(root) == second.build
    assert second.build in told
    assert "[journal] keep_days" in told
    assert "mine" in (root / "etc/firmware-bridge/bridge.toml").read_text()
    installer(shipped.parent / "firmware-bridge", root)("--rollback")
    assert runs(root) == first.build
    dpkg("-i", second.deb)
    assert runs(root) == second.build
    dpkg("-i", first.deb)
    assert runs(root) == first.build
    dpkg("-r", "firmware-bridge")
    assert not (root / "opt/firmware-bridge").exists()
    assert not (root / "usr/local/bin/shoe").is_symlink()
    assert (root / "etc/firmware-bridge/bridge.toml").exists()
    (root / "var/lib/firmware-bridge").mkdir()
    dpkg("-P", "firmware-bridge")
    assert not (root / "etc/firmware-bridge").exists()
    assert (root / "var/lib/firmware-bridge").exists()


def test_the_bundle_installs_without_a_network_pictures_too(packages: tuple[Made, Made], tmp_path: Path) -> None:
    made = packages[1]
    with tarfile.open(made.bundle) as tar:
        tar.extractall(tmp_path, filter="data")
    [bundle] = tmp_path.glob("firmware-bridge-*")
    root = tmp_path / "root"
    install = installer(bundle, root)
    install("--pictures", env={"PIP_INDEX_URL": "http://127.0.0.1:9/"})
    assert runs(root) == made.build
    assert list(root.glob("opt/firmware-bridge/lib/python3*/site-packages/PIL"))
    assert "+ " not in install()  # that pictures were asked for is remembered


def test_versions_rise_with_the_commits(packages: tuple[Made, Made]) -> None:
    first, second = (made.deb.name.split("_")[1] for made in packages)
    assert subprocess.run(["dpkg", "--compare-versions", first, "lt", second], check=False).returncode == 0


def test_the_package_for_a_pi_holds_what_the_lock_names_for_it(tmp_path: Path) -> None:
    project = copy_of_the_project(tmp_path / "project")
    pi = made(project, tmp_path, "arm64")
    subprocess.run(["dpkg-deb", "-x", pi.deb, tmp_path / "tree"], check=True)
    shipped = tmp_path / "tree/usr/lib/firmware-bridge"
    lock = (shipped / "requirements/pi.lock").read_text() + (shipped / "requirements/pictures.lock").read_text()
    wheels = [each for each in (shipped / "wheels").iterdir() if not each.name.startswith("firmware_bridge-")]
    assert len(wheels) == len(re.findall(r"^[\w.-]+==", lock, re.M))
    for wheel in wheels:
        assert hashlib.sha256(wheel.read_bytes()).hexdigest() in lock, wheel.name
        assert wheel.name.endswith(("any.whl", "aarch64.whl")), wheel.name
    assert (
        f"Build: {pi.build}"
        in subprocess.run(["dpkg-deb", "-I", pi.deb], check=True, capture_output=True, text=True).stdout
    )


def test_the_same_commit_gives_the_same_bytes(packages: tuple[Made, Made], tmp_path: Path) -> None:
    project = packages[1].deb.parent / "project"
    again = made(project, tmp_path, ARCH)
    assert again.deb.read_bytes() == packages[1].deb.read_bytes()
    assert again.bundle.read_bytes() == packages[1].bundle.read_bytes()
