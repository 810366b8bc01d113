"""How far the broker has the journal is stored soon after it moved, and a disk that failed is tried until it syncs."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from firmware_bridge.daemon.table import cursor_saver
from firmware_bridge.daemon.table.cursor_saver import CursorSaver
from tests.kit.patience import comes


class Disk:
    """An outbox and a table: whether each save was one that syncs, and the open alarms."""

    def __init__(self) -> None:
        self.fails, self.saved, self.alarms = False, list[bool](), set[str]()

    def save(self, *, sync: bool) -> None:
        self.saved.append(sync)
        if self.fails:
            raise OSError(5, "Input/output error")

    def warn(self, name: str, **values: object) -> None:
        self.alarms.add(name)

    def unwarn(self, name: str) -> None:
        self.alarms.discard(name)


def test_a_disk_that_failed_is_tried_until_it_syncs_and_then_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cursor_saver, "SAVE_S", 0.0)
    monkeypatch.setattr(cursor_saver, "SAVE_AGAIN_S", 0.0)
    disk = Disk()

    async def main() -> list[tuple[list[bool], set[str]]]:
        saver = CursorSaver(cast(Any, disk), cast(Any, disk), asyncio.get_running_loop())
        seen = []
        for disk.fails in (False, True, False, False):
            disk.saved.clear()
            saver.moved()
            await comes(lambda: len(disk.saved) >= (3 if disk.fails else 1), look_s=0.001)
            seen.append((disk.saved[:3], set(disk.alarms)))
        await saver.close()
        return seen

    well, failing, mended, after = asyncio.run(main())
    assert well == after == ([False], set())
    assert failing == ([False, True, True], {"cursor_error"})
    assert (mended[0][:1], mended[1]) == ([True], set())  # moved while the disk is tried: it is saved once more
