"""The package and the bundle for machines without a network, and what runs after each step of their life."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.project_copy import floor_runs, installer, runs
from tests.package.making import ARCH, Made, made, marks, needs_root, unpacked

pytestmark = marks


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
    output = dpkg("-i", second.deb)
    assert runs(root) == second.build
    assert second.build in output
    assert "[journal] keep_days" in output
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


def test_the_bundle_installs_without_a_network_pictures_too(package: Made, tmp_path: Path) -> None:
    root = tmp_path / "root"
    install = installer(unpacked(package, tmp_path), root)
    install("--pictures", env={"PIP_INDEX_URL": "http://127.0.0.1:9/"})
    assert runs(root) == package.build
    assert list(root.glob("opt/firmware-bridge/lib/python3*/site-packages/PIL"))
    assert "+ " not in install()  # that pictures were asked for is remembered


def test_the_file_that_verifies_a_record_comes_alone_and_in_the_bundle(package: Made, tmp_path: Path) -> None:
    command = ["/usr/bin/python3", "-I", "-S", str(package.verify), "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: verify.py --policy FILE")
    assert (unpacked(package, tmp_path) / "shoe-verify.py").read_bytes() == package.verify.read_bytes()


@needs_root
def test_the_package_of_the_back_office_lives_beside_that_of_a_shoe(
    packages: tuple[Made, Made], root: Path, dpkg: Callable[..., str]
) -> None:
    first, second = packages
    config = root / "etc/firmware-bridge"
    dpkg("-i", first.floor, first.deb)
    assert (floor_runs(root), runs(root)) == (first.build, first.build)
    (config / "floor.toml").write_text("# mine\n")
    said = dpkg("-i", second.floor)
    assert second.build in said
    assert (floor_runs(root), runs(root)) == (second.build, first.build)
    assert (config / "floor.toml").read_text() == "# mine\n"
    installer(root / "usr/lib/shoe-floor", root)("--floor", "--rollback")
    assert floor_runs(root) == first.build
    dpkg("-P", "firmware-bridge")
    assert [path.name for path in config.iterdir()] == ["floor.toml"]
    assert floor_runs(root) == first.build
    (root / "var/lib/shoe-floor").mkdir(parents=True)
    dpkg("-r", "shoe-floor")
    assert not (root / "opt/shoe-floor").exists()
    assert not (root / "usr/local/bin/shoe-floor").is_symlink()
    assert (config / "floor.toml").exists()
    dpkg("-P", "shoe-floor")
    assert not config.exists()
    assert (root / "var/lib/shoe-floor").exists()


def test_versions_rise_with_the_commits(packages: tuple[Made, Made]) -> None:
    first, second = (made.deb.name.split("_")[1] for made in packages)
    assert subprocess.run(["dpkg", "--compare-versions", first, "lt", second], check=False).returncode == 0


@pytest.mark.parametrize(
    ("product", "locks"), [("firmware-bridge", ["pi", "pictures"]), ("shoe-floor", ["shoe-floor"])]
)
def test_a_package_for_arm64_holds_what_its_lock_names(
    packages_of_a_pi: Made, product: str, locks: list[str], tmp_path: Path
) -> None:
    deb = {"firmware-bridge": packages_of_a_pi.deb, "shoe-floor": packages_of_a_pi.floor}[product]
    subprocess.run(["dpkg-deb", "-x", deb, tmp_path / "tree"], check=True)
    shipped = tmp_path / "tree/usr/lib" / product
    lock = "".join((shipped / f"requirements/{each}.lock").read_text() for each in locks)
    wheels = [each for each in (shipped / "wheels").iterdir() if not each.name.startswith("firmware_bridge-")]
    named = [line for line in lock.splitlines() if re.match(r"[\w.-]+==", line) and "win32" not in line]
    assert len(wheels) == len(named)
    for wheel in wheels:
        assert hashlib.sha256(wheel.read_bytes()).hexdigest() in lock, wheel.name
        assert wheel.name.endswith(("any.whl", "aarch64.whl")), wheel.name
    said = subprocess.run(["dpkg-deb", "-I", deb], check=True, capture_output=True, text=True).stdout
    assert f"Build: {packages_of_a_pi.build}" in said
    assert f"Package: {product}" in said


def test_the_same_commit_gives_the_same_bytes(packages: tuple[Made, Made], tmp_path: Path) -> None:
    project = packages[1].deb.parent / "project"
    again = made(project, tmp_path, ARCH)
    assert again.deb.read_bytes() == packages[1].deb.read_bytes()
    assert again.floor.read_bytes() == packages[1].floor.read_bytes()
    assert again.bundle.read_bytes() == packages[1].bundle.read_bytes()
