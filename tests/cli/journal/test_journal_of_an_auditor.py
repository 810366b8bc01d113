"""`shoe journal` without root: the daemon sends copies without sealed parts to the group of the auditors."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli import journal as command  # loaded before a process gives up its rights
from firmware_bridge.cli import main
from firmware_bridge.daemon.table.journal_copies import AT_ONCE
from firmware_bridge.journal.line import NO_LINE, unseal, without_sealed, without_sealed_part
from tests.daemon.table import test_people
from tests.daemon.table.test_people import People
from tests.kit.patience import awaited
from tests.kit.people import GID, UID

folder = test_people.folder  # a fixture

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")


@pytest.fixture
def people(folder: Path) -> Iterator[People]:
    people = People(folder)
    people.ask("pit", do="open_shoe", by="anna") if os.geteuid() == 0 else people.own(
        b'{"do":"open_shoe","by":"anna"}\n'
    )
    people.table.deal("9s Td Ts Tc 2s")
    yield people
    people.table.close()


class Ran:
    """What a command of an auditor did in a process of his own."""

    def __init__(self, people: People, *words: str, who: str = "audit") -> None:
        self._words, self._who = words, who
        self._config = people.table.config_path
        people.table.journal_dir.chmod(0o711)  # passed through, as the runtime directory is; not listed
        self.code, self.out = people.table.loop.run_until_complete(asyncio.to_thread(self._run))

    def _run(self) -> tuple[int, str]:
        ours, his = os.pipe()
        child = os.fork()
        if child == 0:
            os._exit(self._act(his))
        os.close(his)
        with os.fdopen(ours, "r") as pipe:
            said = pipe.read()
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said

    def _act(self, pipe: int) -> int:
        try:
            os.dup2(pipe, 1)
            os.dup2(pipe, 2)
            os.setgroups([GID[self._who]])
            os.setresgid(UID[self._who], UID[self._who], UID[self._who])
            os.setresuid(UID[self._who], UID[self._who], UID[self._who])
            import sys

            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", closefd=False)
            code = main(["journal", *self._words, "--config", str(self._config)])
            sys.stdout.flush()
            sys.stderr.flush()
            return code
        except SystemExit as end:
            return int(end.code or 0)


@needs_root
def test_an_auditor_lists_shows_and_verifies(people: People) -> None:
    rows = [json.loads(line) for line in Ran(people, "list", "--json").out.splitlines()]
    assert [row["fault"] for row in rows] == [None] * len(rows)
    assert sum(row["entries"] for row in rows) == len(people.table.lines())
    row = rows[-1]
    shown = Ran(people, "show", "--json")
    assert [json.loads(each)["seq"] for each in shown.out.splitlines()][-1] == row["entries"]
    verified = Ran(people, "verify", "--jobs", "1")
    since = [json.loads(line) for line in Ran(people, "list", "--json").out.splitlines()][-1]  # the daemon may go on
    assert verified.code == 0
    assert any(f"head {each['head']}" in verified.out for each in (row, since))


@needs_root
@pytest.mark.parametrize("who", ["pit", "tech", "dealer"])
def test_the_others_do_not(people: People, who: str) -> None:
    ran = Ran(people, "list", who=who)
    assert (ran.code != 0, "shoe-audit" in ran.out) == (True, True)


@needs_root
def test_a_journal_that_is_not_there_is_named(people: People) -> None:
    ran = Ran(people, "show", "77")
    assert (ran.code, "no journal 77" in ran.out) == (1, True)


def sent(people: People, *requests: dict[str, Any]) -> list[bytes]:
    """All lines that the daemon sends to these requests."""

    async def ask() -> list[bytes]:
        reader, writer = await asyncio.open_unix_connection(str(people.table.journal_dir / "control.sock"), limit=2**20)
        for each in requests:
            writer.write(json.dumps(each).encode() + b"\n")
        writer.write(b'{"do":"status"}\n')
        lines = []
        while b'"table_id"' not in (line := await awaited(reader.readline())):
            lines.append(line)
        writer.close()
        return lines

    return people.table.loop.run_until_complete(ask())


def test_a_copy_is_the_export_and_holds_no_sealed_part(people: People) -> None:
    path = people.table.journal_dir
    newest = sorted(path.glob("*.journal"))[-1]
    begin, *lines, end = sent(people, {"do": "journal", "name": newest.name})
    assert (json.loads(begin)["ok"], json.loads(end)["ok"]) == (True, True)
    whole = [line for line in people.table.lines() if line.public.journal == unseal(lines[0]).public.journal]
    assert lines == [without_sealed(line) for line in whole]
    assert len(whole) > 1
    assert AT_ONCE > 1
    assert not any(b'"salt"' in line or b'"input"' in line for line in lines)


@pytest.mark.parametrize("name", ["../bridge.toml", "lock", "", "/etc/passwd", "00000001-aa.journal"])
def test_no_other_file_is_sent(people: People, name: str) -> None:
    (answer,) = sent(people, {"do": "journal", "name": name})
    assert json.loads(answer)["error"] == "there is no such journal"


def test_a_damaged_line_is_not_sent(people: People) -> None:
    data = people.table.lines()[-1].data
    for i in range(0, len(data), 7):
        broken = data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :]
        said = without_sealed_part(broken)
        assert said == NO_LINE or b'"salt"' not in said
    assert without_sealed_part(data[: len(data) // 2]) == NO_LINE
    assert without_sealed_part(b"\n") == NO_LINE


def test_only_a_closed_directory_is_asked_for(tmp_path: Path) -> None:
    assert not command.asks_daemon(tmp_path, False)
    assert not command.asks_daemon(tmp_path / "none", False)
