"""What a technician is told where a start refuses the journal."""

from __future__ import annotations

from pathlib import Path

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.files import journal_files

_ANEW = (
    "if you cannot, deal on with a new record: sudo systemctl stop firmware-bridge; sudo mv {0} {0}.damaged; "
    "sudo install -d -m 0700 -o shoe-bridge -g shoe-bridge {0}; sudo cp -p {0}.damaged/calibration.toml {0}/; "
    "a native reader: unplug it and plug it in again; sudo systemctl start firmware-bridge "
    "(what is lost: shoe help damaged journal)"
)


def refusal(error: JournalError | OSError, directory: Path) -> JournalError:
    """What refuses a start, and how the table deals again with a journal that cannot be restored.

    A directory that never held a journal is not to be moved anywhere: it is not ours.
    """
    if not _has_been_ours(directory):
        what = error.what if isinstance(error, JournalError) else f"{directory}: {error.strerror or error}"
        return JournalError(what, "name a directory of its own: [journal] dir")
    what, hint = f"the journal cannot be read ({error})", "its user must own it; a failing card is in dmesg: replace it"
    if isinstance(error, JournalError):
        what, hint = error.what, error.hint
    return JournalError(what, f"{hint}; {_ANEW.format(directory)}")


def _has_been_ours(directory: Path) -> bool:
    """Whether there are journals, or the mark of how far they were sent."""
    return directory.is_dir() and bool(journal_files(directory) or (directory / "cursor").exists())
