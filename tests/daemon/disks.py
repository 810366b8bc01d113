"""Disks that fail as real ones do."""

import subprocess
from pathlib import Path

import pytest

from tests.kit.patience import until


class Ext4:
    """A real ext4 file system in a file, mounted at `at` until `close`. Skips the test where only root may mount."""

    def __init__(self, image: Path, at: Path) -> None:
        self._image, self.at = image, at
        at.mkdir(mode=0o700, exist_ok=True)
        with image.open("wb") as file:
            file.truncate(16_000_000)
        try:
            subprocess.run(["mkfs.ext4", "-q", image], check=True, capture_output=True)
            self._mount()
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("only root can mount an ext4 disk")
        self._fault = Path("/sys/fs/ext4") / Path(self._device()).name / "trigger_fs_error"
        if not self._fault.exists():
            self.close()
            pytest.skip("this kernel lets nobody break a disk")

    def fail(self) -> None:
        """Let the file system find an error: it is read-only from then on."""
        self._fault.write_text("1")
        until(lambda: not _is_writable(self.at))

    def repair(self) -> None:
        """Mount it anew; nobody may have a file of it open."""
        self._unmount()
        subprocess.run(["fsck.ext4", "-p", self._image], check=False, capture_output=True)
        self._mount()

    def close(self) -> None:
        """Unmount it, whoever uses it."""
        self._unmount("-l")

    def _mount(self) -> None:
        subprocess.run(["mount", "-o", "loop,errors=remount-ro", self._image, self.at], check=True, capture_output=True)

    def _unmount(self, *options: str) -> None:
        subprocess.run(["umount", *options, self.at], check=True, capture_output=True)

    def _device(self) -> str:
        findmnt = subprocess.run(["findmnt", "-no", "SOURCE", self.at], check=True, capture_output=True, text=True)
        return findmnt.stdout.strip()


def _is_writable(at: Path) -> bool:
    try:
        (at / "probe").touch()
    except OSError:
        return False
    return True
