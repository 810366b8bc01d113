"""The sockets of the roles, and what is on record of who asked: real groups and uids."""

import asyncio
import errno
import json
import os
import pwd
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import msgspec
import pytest

from firmware_bridge.facts.book.roles import GROUPS
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.patience import awaited
from tests.kit.people import GID, UID, all_asked, asked, rooms

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")


class People:
    """A table whose sockets stand where other users reach them."""

    def __init__(self, folder: Path, **sections: Any) -> None:
        rooms(folder / "journal", GID if os.geteuid() == 0 else None)
        self.table = BridgeTable(folder, free_port(), table={"new_shoe": "command"}, **sections).start()

    def ask(self, who: str, role: str = "", **request: Any) -> dict[str, Any]:
        """The answer to one of them, in his group alone. role: whose socket he tries, by default his own."""
        return self.table.loop.run_until_complete(self.answer(who, request, role))

    async def answer(self, who: str, request: dict[str, Any], role: str = "", count: int = 1) -> dict[str, Any]:
        """The same as a coroutine; the answer number `count` to a request that waits."""
        group = who.removeprefix("other ")
        place = self.table.journal_dir / (role or ("pit" if who == "root" else group)) / "control.sock"
        groups = [GID[group]] if group in GID else []
        return await asyncio.to_thread(asked, place, request, UID[who], groups, count)

    def ask_all(self, who: str, role: str, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The answers to all requests of one of them, at the socket of a role."""
        groups = [GID[who]] if who in GID else []
        asking = asyncio.to_thread(
            all_asked, self.table.journal_dir / role / "control.sock", requests, UID[who], groups
        )
        return self.table.loop.run_until_complete(asking)

    def status(self) -> dict[str, Any]:
        """The status as every command gets it."""
        return self.table.bridge.control.status()

    def own(self, request: bytes) -> dict[str, Any]:
        """The answer at the control socket to this process's own user."""
        return self.table.loop.run_until_complete(awaited(self._own(request)))

    async def _own(self, request: bytes) -> dict[str, Any]:
        reader, writer = await asyncio.open_unix_connection(str(self.table.journal_dir / "control.sock"))
        writer.write(request)
        answer: dict[str, Any] = json.loads(await reader.readline())
        writer.close()
        return answer

    def last_answer(self) -> dict[str, Any]:
        """The last order on record."""
        events = [msgspec.json.decode(raw) for line in self.table.lines() for raw in line.public.events]
        return next(event for event in reversed(events) if event["type"] == "CommandAnswered")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users may pass through; pytest's own are private."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o711)
    yield made
    rmtree(made)


@pytest.fixture
def people(folder: Path) -> Iterator[People]:
    people = People(folder)
    yield people
    people.table.close()


def test_each_role_has_a_socket_of_its_group(people: People) -> None:
    for role in GROUPS:
        found = (people.table.journal_dir / role / "control.sock").lstat()
        assert (stat.S_IMODE(found.st_mode), stat.S_ISSOCK(found.st_mode)) == (0o660, True)
        assert found.st_gid == (GID[role] if os.geteuid() == 0 else os.getegid())
    assert stat.S_IMODE((people.table.journal_dir / "control.sock").lstat().st_mode) == 0o600


@needs_root
@pytest.mark.parametrize("who", [*GROUPS, "nobody"])
def test_the_kernel_keeps_everybody_from_the_sockets_of_others(people: People, who: str) -> None:
    for role in (*GROUPS, "."):
        answer = people.ask(who, role, do="watch")
        assert (answer == {"errno": errno.EACCES}) == (role != who), (who, role)


@needs_root
def test_an_order_names_the_uid_and_what_the_command_says_of_its_terminal(people: People) -> None:
    assert people.ask("pit", do="open_shoe", by="anna", terminal="pts/3")["ok"]
    said = people.last_answer()
    assert said["by"] == "anna"
    assert said["person"] == {"uid": UID["pit"], "role": "pit", "terminal_claimed": "pts/3"}


def test_the_owner_is_on_record_with_his_login(people: People) -> None:
    assert people.own(b'{"do":"dealer","dealer":"wu","by":"anna","terminal":"\\u001b[2J"}\n')["ok"]
    person = people.last_answer()["person"]
    assert person == {"uid": os.geteuid(), "login": pwd.getpwuid(os.geteuid()).pw_name}


@needs_root
def test_the_display_of_the_dealer_sees_no_more_than_the_dealer(people: People) -> None:
    assert people.ask("dealer", do="watch").keys() == {"table_id", "shoe", "table", "lamps", "alarm", "acts"}
    assert "seen" in people.ask("tech", do="watch")


@needs_root
def test_a_lease_is_on_record_with_the_technician(people: People) -> None:
    assert people.ask("tech", do="lend", device="reader", by="bo")["ok"]
    events = [msgspec.json.decode(raw) for line in people.table.lines() for raw in line.public.events]
    (lent,) = [event for event in events if event["type"] == "ReaderLent"]
    assert (lent["to"], lent["person"]["uid"], lent["person"]["role"]) == ("bo", UID["tech"], "tech")


def test_a_folder_that_others_may_write_to_is_not_used(folder: Path) -> None:
    rooms(folder / "journal")
    (folder / "journal" / "pit").chmod(0o2770)
    (folder / "journal" / "tech").rmdir()
    (folder / "journal" / "tech").symlink_to(folder / "journal" / "audit")
    table = BridgeTable(folder, free_port()).start()
    there = {role for role in GROUPS if (folder / "journal" / role / "control.sock").exists()}
    table.close()
    assert there - {"tech"} == {"audit", "dealer"}
    assert not (folder / "journal" / "pit" / "control.sock").exists()


def test_without_the_folders_there_is_the_own_socket_alone(folder: Path) -> None:
    table = BridgeTable(folder, free_port()).start()
    assert [path.name for path in (folder / "journal").rglob("*.sock")] == ["control.sock"]
    table.close()


@pytest.mark.parametrize(
    "request_",
    [
        b'{"do":"bets_open","do":"void","why":"x","by":"anna"}\n',
        b'{"do":"open_shoe","pack":{"lot":1,"lot":2},"by":"anna"}\n',
        b'{"do":"status","do":"status"}\n',
    ],
)
def test_a_key_that_stands_twice_is_refused(people: People, request_: bytes) -> None:
    assert people.own(request_)["error"] == "a key stands there twice"
