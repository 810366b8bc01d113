"""Checks the subject of a commit: imperative, at most 72 characters, without a full stop, and nothing in line two.

`python -m scripts.tools.subjects FILE`: the message in a file, as git's hook `commit-msg` has it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

MOST: Final = 72
"""Characters of a subject."""

BY_GIT: Final = ("fixup! ", "squash! ", "amend! ", "Revert ")
"""Beginnings that git writes, in front of another subject."""


def faults(message: str) -> list[str]:
    """Return what is wrong with the form of a message; lines that begin with `#` are git's own."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if subject.startswith(BY_GIT):
        return []
    found = []
    if not subject.strip():
        found.append("there is no subject")
    if len(subject) > MOST:
        found.append(f"the subject has {len(subject)} characters, at most {MOST}: put the rest into the body")
    if subject[:1].islower() and not subject.partition(" ")[0].endswith(":"):
        found.append("the subject begins with a small letter")
    if subject.endswith("."):
        found.append("the subject ends with a full stop")
    if len(lines) > 1 and lines[1].strip():
        found.append("the line behind the subject is not empty")
    return found


def main(words: list[str]) -> int:
    """Print what is wrong; return 1 if anything is."""
    found = faults(Path(words[0]).read_text("utf-8"))
    for fault in found:
        print(f"commit: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
