import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.config.whole_file import write_whole
from firmware_bridge.daemon.devices.leased import LEFT_BEHIND, LeftBehind, leave

SERVICE = 4_711
"""A user and group that is not us."""


@pytest.fixture(params=[0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("of_the_file", [0o640, 0o644, 0o600])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, of_the_file: int) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("before")
    path.chmod(of_the_file)
    write_whole(path, "after\r\n")
    assert (path.read_bytes(), mode(path)) == (b"after\r\n", of_the_file)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize(("of_the_directory", "of_the_file"), [(0o755, 0o644), (0o750, 0o640), (0o700, 0o600)])
def test_who_may_list_the_directory_may_read_a_new_file(
    tmp_path: Path, of_the_directory: int, of_the_file: int
) -> None:
    tmp_path.chmod(of_the_directory)
    write_whole(tmp_path / "codes.csv", b"new")
    assert mode(tmp_path / "codes.csv") == of_the_file


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
@pytest.mark.usefixtures("umask")
def test_what_root_writes_stays_with_the_service(tmp_path: Path) -> None:
    old, new = tmp_path / "calibration.toml", tmp_path / "codes.csv"
    old.write_text("before")
    for path in (tmp_path, old):
        os.chown(path, SERVICE, SERVICE)
    write_whole(old, "after")
    write_whole(new, "new")
    leave(tmp_path, LeftBehind(None, 3, "anna"))
    for path in (old, new, tmp_path / LEFT_BEHIND):
        assert (path.stat().st_uid, path.stat().st_gid) == (SERVICE, SERVICE)


def test_what_a_broken_write_left_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / ".codes.csv.new").mkdir()
    with pytest.raises(OSError):
        write_whole(tmp_path / "codes.csv", "new")
    (tmp_path / ".codes.csv.new").rmdir()
    (tmp_path / ".codes.csv.new").write_text("half")
    write_whole(tmp_path / "codes.csv", "new")
    assert [each.name for each in tmp_path.iterdir()] == ["codes.csv"]
