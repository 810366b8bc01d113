"""Commands of a store that are killed with -9 at each of their steps; tests of each engine bring the fixture `kept`.

A step is the moment before each statement and each commit, and that behind a commit. After each kill the store is as
one of its whole transactions left it; the same command again does the rest. With `EVERY_CELL=yes` no step is left out.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.config import load
from firmware_bridge.floor.record.message import Row, Unread, now
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store import open as opening
from firmware_bridge.floor.store.tables import TABLES
from tests.floor.every_facts import changed
from tests.floor.every_store import KEY
from tests.floor.facts.played import rows
from tests.floor.house import shoes_over
from tests.floor.journals import event
from tests.kit.nightly import EVERY

STRIDE: Final = 1 if EVERY else 23
EACH: Final = 3
"""Steps from kill to kill, behind the first ones, of which each is taken."""

COUNTED: Final = {"changed", "place"}
"""Columns of the numbers that changes are given, one after the other."""

USUAL: Final = opening.open_store
WHO: Final = ("--by", "ANNA", "--why", "its disk died")
COMMANDS: Final = {
    "compact": ("compact",),
    "expire": ("expire",),
    "rebuild": ("rebuild", "facts"),
    "close gap": ("close", "gap", "T07", KEY.journal, *WHO),
    "close conflict": ("close", "conflict", "T07", KEY.journal, "1", *WHO),
    "close quarantine": ("close", "quarantine", *WHO),
}
AGES: Final = "keep_years = 20\nkeep_event_years = 10\nquarantine_days = 30\ncompact_hours = 0\n"
OLD, OLDER, LATER = "2012-01-01T00:00:00.000Z", "2001-01-01T00:00:00.000Z", "2031-01-01T00:00:00.000Z"
TIME: Final = re.compile(r"20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Kept(ABC):
    """A prepared store in `folder`, which is as it was after each `restore`."""

    lines: str
    """Keys of `[store]` that name it."""

    def __init__(self, folder: Path) -> None:
        self.config = folder / "floor.toml"

    def prepare(self) -> None:
        """Fill it with what the commands work on."""
        self.config.write_text(f"[store]\n{self.lines}\n{AGES}")
        with closing(opening.open_store(load(self.config), make=True)) as store:
            fill(store)
        self.keep()

    @abstractmethod
    def keep(self) -> None:
        """Remember how it is now."""

    @abstractmethod
    def restore(self) -> None:
        """Make it as it was."""

    def content(self, *, numbers: bool) -> dict[str, list[str]]:
        """All that is in it, but for the moment at which something was done.

        numbers: with those of changes, which rebuilt facts have anew.
        """
        found = {}
        with closing(USUAL(load(self.config))) as store, store._in_words():
            for table in TABLES.sorted_tables:
                names = [each.name for each in table.columns if numbers or each.name not in COUNTED]
                got = store._db.execute(f"select {', '.join(names)} from {table.name}").fetchall()
                found[table.name] = sorted(TIME.sub("AT", repr([_plain(each) for each in row])) for row in got)
        return found


def fill(store: Store) -> None:
    """Shoes of 25, 14 and no years, some of them in blocks; a gap, a conflict, and bytes that are no message."""
    messages = [*aged("baccarat", "T00", OLDER), *aged("blackjack", "T01", OLDER), *aged("baccarat", "T02", OLD)]
    messages += rows("baccarat", "T03")
    store.save(messages, [], [])
    shoes_over(store, messages)
    for key in {each.key for each in messages if each.table in ("T00", "T02")}:
        assert store.compact(key, LATER)
    unread = [Unread("shoe/T07/event", at, "bad", body) for at, body in ((OLDER, b"\xff"), (now(), b"\xfe"))]
    store.save([event(1), event(1, kind="Other")], unread, [Progress(KEY, 3, 1, 9)])
    store.save([event(10)._replace(at=now(), received_at=now())], [], [])


def aged(game: str, table: str, at: str) -> list[Row]:
    """The messages of a game as if they were made and received at a time."""
    return [changed(each, at=at)._replace(received_at=at) for each in rows(game, table)]


class Stepping:
    """A connection of an engine that calls `step` before each statement and commit, and behind each commit.

    step: called with whether a commit was just done.
    """

    def __init__(self, db: Any, step: Callable[[bool], None]) -> None:
        self._db, self._step = db, step

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def execute(self, *words: Any, **more: Any) -> Any:
        return self._stepped(self._db.execute, *words, **more)

    def executemany(self, *words: Any) -> Any:
        return self._stepped(self._db.executemany, *words)

    def cursor(self, *words: Any, **more: Any) -> Any:
        self._step(False)
        return self._db.cursor(*words, **more)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._db.transaction():
            yield
            self._step(False)
        self._step(True)

    def _stepped(self, do: Callable[..., Any], *words: Any, **more: Any) -> Any:
        self._step(False)
        made = do(*words, **more)
        if words[0] == "commit":
            self._step(True)
        return made


@contextmanager
def stepping(step: Callable[[bool], None]) -> Iterator[None]:
    """Let each store that is opened call `step` at each of its steps."""

    def opened(*words: Any, **more: Any) -> Store:
        store: Any = USUAL(*words, **more)
        store._db = Stepping(store._db, step)
        return store

    opening.open_store = opened
    try:
        yield
    finally:
        opening.open_store = USUAL


def killed_at(number: int, config: Path, words: tuple[str, ...]) -> bool:
    """Run a command in a process that is killed at its step of this number; whether it was."""
    if (child := os.fork()) == 0:
        left = number

        def step(_: bool) -> None:
            nonlocal left
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

        code = 1
        try:
            sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  # it goes with the process
            with stepping(step):
                code = main(["--config", str(config), *words])
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code != 0


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return bytes(value) if isinstance(value, memoryview) else value


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_command_that_is_killed_at_any_step_does_all_of_a_thing_or_nothing(
    kept: Kept, words: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    numbers = words[0] != "rebuild"
    before = kept.content(numbers=numbers)
    states = [before]

    def look(committed: bool) -> None:
        if committed and (found := kept.content(numbers=numbers)) not in states:
            states.append(found)

    with stepping(look):
        assert main(["--config", str(kept.config), *words]) == 0
    after = kept.content(numbers=numbers)
    assert states[-1] == after
    assert (after != before) == numbers  # facts that are rebuilt are the same
    kept.restore()
    number = kills = 0
    while killed_at(number := number + (1 if number < EACH else STRIDE), kept.config, words):
        kills += 1
        found = kept.content(numbers=numbers)
        assert found in states
        if kills % 5 == 1 and (found != after or not numbers):  # what is closed already cannot be closed again
            assert main(["--config", str(kept.config), *words]) == 0
            assert kept.content(numbers=numbers) == after
        kept.restore()
    assert kills > 1
