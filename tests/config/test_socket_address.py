"""The address of a Unix socket whose path may be longer than the kernel takes."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from firmware_bridge.config.socket_address import LONGEST, socket_address


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short path, wherever the tests run."""
    with TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def folder_of(parent: Path, length: int) -> Path:
    """A folder in which the path of `s` has `length` bytes, or a little less."""
    left = length - len(os.fsencode(parent / "s")) - 1
    folder = parent / ("x" * left if left < 200 else "/".join(["y" * 99] * (left // 100)))
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("more", [-1, 0, 1, 500])
def test_a_socket_is_found_at_its_path_however_long_that_is(short: Path, more: int) -> None:
    path = folder_of(short, LONGEST + more) / "s"
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        with socket_address(path) as address:
            server.bind(address)
        server.listen()
        assert path.is_socket()
        with socket_address(path) as address:
            assert (address == str(path)) is (len(os.fsencode(path)) <= LONGEST)
            client.connect(address)


def test_a_long_path_without_its_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), socket_address(tmp_path / ("x" * 120) / "s"):
        pass
