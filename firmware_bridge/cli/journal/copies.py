"""Copies of the journals for commands of an auditor, who may not read the files: the daemon sends them."""

import argparse
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from firmware_bridge.cli.daemon_socket import ANSWER_S, NoDaemon, connected, socket_path
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.printable import harmless
from firmware_bridge.journal.files import SUFFIX, chosen
from firmware_bridge.topics.texts.refusals import words_of

if TYPE_CHECKING:
    from io import BufferedRWPair

PLACE: Final = Path("/var/tmp")
"""Where copies lie while a command runs: on a disk, not in memory."""

SHARE: Final = 2
"""Copies take at most one part in so many of the free space: the daemon writes to the same disk."""

_NAME: Final = re.compile(rf"\d{{8,12}}-[0-9a-f]{{1,64}}{re.escape(SUFFIX)}")


@contextmanager
def copies(arguments: argparse.Namespace) -> Iterator[Path]:
    """Yield a directory with copies of the journals that a command reads, without sealed parts, until the block ends.

    Set `arguments.sizes`. Raises NoDaemon, and JournalError where the daemon has no such journal, or the disk no room.
    """
    place = PLACE if os.access(PLACE, os.W_OK) else None
    with TemporaryDirectory(prefix="shoe-journal-", dir=place) as name:
        folder = Path(name)
        with connected(socket_path(arguments.config), "journals") as control, control.makefile("rwb") as daemon:
            control.settimeout(ANSWER_S)
            listed = _asked(daemon, {"do": "journals"})
            sizes = {str(each["name"]): int(each["bytes"]) for each in listed["files"]}
            if wrong := next((each for each in sizes if not _NAME.fullmatch(each)), None):
                raise JournalError(f"the daemon names a journal {wrong!r}", "see: systemctl status firmware-bridge")
            for each in sizes:
                (folder / each).touch()
            (folder / "cursor").write_text(str(listed["cursor"]), "utf-8")
            arguments.sizes = sizes
            wanted = _wanted(arguments, folder)
            if arguments.action != "list" and sum(sizes[each] for each in wanted) * SHARE > _free(folder):
                raise JournalError(f"{folder.parent} has no room for a copy", "name a few journals, or use sudo")
            for each in wanted:
                _fetch(daemon, folder / each, arguments.action == "list")
        yield folder


def _wanted(arguments: argparse.Namespace, folder: Path) -> list[str]:
    """Return the names of the journals that a command reads: with those chosen, the one each of them must follow."""
    names = sorted(each.name for each in folder.glob(f"*{SUFFIX}"))
    given = getattr(arguments, "journals", None) or [getattr(arguments, "journal", None)]
    if arguments.action in ("list", "prove") or (arguments.action == "verify" and given == [None]):
        return names
    picked = [path.name for path in chosen(folder, [each for each in given if each])] if names else []
    if arguments.action == "show" and given == [None]:
        return picked[-1:]
    before = [names[i - 1] for each in picked if each in names and (i := names.index(each))]
    return sorted({*picked, *(before if arguments.action == "verify" else ())} & {*names})


def _fetch(daemon: "BufferedRWPair[Any, Any]", path: Path, ends: bool) -> None:
    """Write the copy of a journal. Raises NoDaemon, JournalError."""
    _asked(daemon, {"do": "journal", "name": path.name, "ends": ends})
    with path.open("wb") as file:
        while (line := daemon.readline()) and not line.startswith(b"{"):
            file.write(line)
    _answer(line)


def _asked(daemon: "BufferedRWPair[Any, Any]", request: dict[str, Any]) -> dict[str, Any]:
    daemon.write(json.dumps(request).encode() + b"\n")
    daemon.flush()
    return _answer(daemon.readline())


def _answer(line: bytes) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = harmless(from_json(line))
    except ValueError:
        raise NoDaemon("the daemon closed the connection", "see: systemctl status firmware-bridge") from None
    if not answer.get("ok"):
        raise JournalError(*words_of("en", answer))
    return answer


def _free(folder: Path) -> int:
    return shutil.disk_usage(folder).free
