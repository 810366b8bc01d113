"""Remembers inputs that ended the process, so that a card sent again cannot do so for ever."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from firmware_bridge import __version__
from firmware_bridge.facts.inputs import AnyInput

ENOUGH: Final = 3
"""Crashes of one software version on the same input, after which the shoe only observes."""

TIMELESS: Final = {"salt": "", "at": 0, "mono": 0, "nonce": ""}
"""In place of what differs when the same input comes again."""


class Crashes:
    """The file `crashes` beside the journal: a line per crash, of software version and input."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "crashes"

    def note(self, fact: AnyInput) -> None:
        """Note that `fact` is about to end the process."""
        fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "a") as file:
            file.write(f"{_name(fact)}\n")

    def too_many(self) -> bool:
        """Whether this version crashed again and again on one input."""
        try:
            names = self.path.read_text("utf-8", "replace").split("\n")
        except OSError:
            return False
        mine = [name for name in names if name.startswith(f"{__version__} ")]
        return any(mine.count(name) >= ENOUGH for name in mine)


def _name(fact: AnyInput) -> str:
    """The same for the same input, whenever it comes and whatever nonce it gets."""
    timeless = {name: value for name, value in TIMELESS.items() if name in fact.__struct_fields__}
    return f"{__version__} {sha256(msgspec.json.encode(replace(fact, **timeless))).hexdigest()[:16]}"
