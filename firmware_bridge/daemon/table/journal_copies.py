"""Copies of the journals for an auditor: the hash in place of each sealed part, so that no card leaves the daemon."""

import asyncio
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from firmware_bridge.daemon.table.connection import Connection
from firmware_bridge.errors import in_words
from firmware_bridge.facts.orders import refused
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.line import without_sealed_part
from firmware_bridge.journal.preallocate import content_size, is_fill

AT_ONCE: Final = 16
"""Lines converted in a thread before the loop has its turn again: far less than a card may wait."""

TAIL: Final = 65_536
"""Bytes read from the end of a file; the last two lines are within them."""


class JournalCopies:
    """Sends copies, one at a time, so that auditors together are no more load than one."""

    def __init__(self, directory: Path) -> None:
        self._directory, self._one = directory, asyncio.Lock()

    async def send(self, fields: dict[str, Any], connection: Connection) -> None:
        """Answer `journals` with the names and sizes of all files, and `journal` with the lines of the one `name`.

        The lines follow an answer, and end with another one. ends: the first and the last two lines alone.
        """
        async with self._one:
            try:
                if fields["do"] == "journals":
                    await connection.send(await asyncio.to_thread(self._listed))
                else:
                    await self._send_one(fields, connection)
            except OSError as error:
                await connection.send(refused("copy_failed", why=in_words(error)))

    def _listed(self) -> dict[str, Any]:
        try:
            cursor = (self._directory / "cursor").read_text("ascii", "replace")
        except OSError:
            cursor = ""
        files = [{"name": each.name, "bytes": content_size(each)} for each in journal_files(self._directory)]
        return {"ok": True, "cursor": cursor, "files": files}

    async def _send_one(self, fields: dict[str, Any], connection: Connection) -> None:
        names = {each.name: each for each in await asyncio.to_thread(journal_files, self._directory)}
        path = names.get(str(fields.get("name")))
        if path is None:
            await connection.send(refused("no_such_journal"))
            return
        await connection.send({"ok": True, "name": path.name})
        with path.open("rb") as file:
            lines = iter(await asyncio.to_thread(_ends, file)) if fields.get("ends") is True else _lines(file)
            while part := await asyncio.to_thread(_converted, lines):
                await connection.write(part)
        await connection.send({"ok": True, "do": "journal"})


def _converted(lines: Iterator[bytes]) -> bytes:
    return b"".join(map(without_sealed_part, islice(lines, AT_ONCE)))


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a journal up to its unwritten space."""
    for line in file:
        if is_fill(line):
            return
        yield line


def _ends(file: BinaryIO) -> list[bytes]:
    """Return the first line, and the last two written ones: the daemon may be writing the last."""
    first = file.readline()
    if is_fill(first):
        return []
    end = content_size(Path(file.name))
    file.seek(max(len(first), end - TAIL))
    return [first, *[line for line in file.read(TAIL).splitlines(keepends=True) if not is_fill(line)][-2:]]
