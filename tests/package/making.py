"""What scripts/package makes of a commit, and what that needs of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import NamedTuple

import pytest

from hatch_build import build

ARCH = subprocess.run(["dpkg", "--print-architecture"], check=False, capture_output=True, text=True).stdout.strip()
PYTHON = subprocess.run(["/usr/bin/python3", "-V"], check=False, capture_output=True, text=True).stdout

marks = [
    pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="there is no dpkg-deb: packages are made on Debian"),
    pytest.mark.skipif("3.11" not in PYTHON, reason="the package is for Debian 12, whose Python is 3.11"),
]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="dpkg gives files to root: run as root")


class Made(NamedTuple):
    """What scripts/package made of a commit."""

    build: str
    deb: Path
    floor: Path
    bundle: Path
    sbom: Path
    licences: Path
    verify: Path


def made(project: Path, out: Path, arch: str) -> Made:
    command = [str(project / "scripts/package"), "--arch", arch, "--out", str(out)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return Made(build(project), *map(Path, said))


def unpacked(made: Made, folder: Path) -> Path:
    """The directory that a bundle is, unpacked in a folder."""
    with tarfile.open(made.bundle) as tar:
        tar.extractall(folder, filter="data")
    [bundle] = folder.glob(f"{made.bundle.name.removesuffix('.tar.gz')}")
    return bundle
