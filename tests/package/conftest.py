"""Packages of two commits, and a directory tree with dpkg to install them into."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kit.project_copy import commit, copy_of_the_project
from tests.package.making import ARCH, Made, made


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """For the machine this runs on."""
    base = tmp_path_factory.mktemp("packages")
    yield made(copy_of_the_project(base / "project"), base, ARCH)
    shutil.rmtree(base)


@pytest.fixture(scope="session")
def packages(package: Made) -> tuple[Made, Made]:
    """Of two commits, the older one first."""
    base = package.deb.parent
    (base / "project/firmware_bridge/newer.txt").write_text("newer")
    commit(base / "project")
    return package, made(base / "project", base, ARCH)


@pytest.fixture(scope="session")
def packages_of_a_pi(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    base = tmp_path_factory.mktemp("pi")
    yield made(copy_of_the_project(base / "project"), base, "arm64")
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
    env = os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "SHOE_UNSIGNED": "yes"}

    def run(*words: str | Path) -> str:
        command = ["dpkg", f"--root={root}", *(f"--force-{each}" for each in forced), *map(str, words)]
        done = subprocess.run(
            command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run
