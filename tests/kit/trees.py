"""All that is in a folder, to be compared: nothing was written where it is the same."""

from pathlib import Path


def tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Mode, time of the last change in ns, and bytes of everything in a folder, and of the folder."""
    found = [folder, *folder.rglob("*")]
    return {
        str(each.relative_to(folder)): (
            (stat := each.stat()).st_mode,
            stat.st_mtime_ns,
            each.read_bytes() if each.is_file() else b"",
        )
        for each in found
    }
