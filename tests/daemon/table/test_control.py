import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from firmware_bridge.config.doors import SOCKET
from firmware_bridge.config.socket_address import socket_address
from firmware_bridge.daemon.table.command import LONGEST
from firmware_bridge.facts.printable import fault
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.patience import awaited
from tests.kit.texts import texts


class Client:
    """One person at the control socket."""

    def __init__(self, table: BridgeTable) -> None:
        self._table = table
        self.path = table.journal_dir / "control.sock"
        with socket_address(self.path) as address:
            opened = asyncio.open_unix_connection(address, limit=2**20)
            self._reader, self._writer = table.loop.run_until_complete(opened)

    def say(self, line: bytes) -> None:
        self._writer.write(line)

    def hear(self) -> dict[str, Any]:
        """The next answer; an empty one when the other side has hung up."""
        try:
            line = self._table.loop.run_until_complete(awaited(self._reader.readline()))
        except ConnectionResetError:
            line = b""
        return json.loads(line or b"{}")

    def ask(self, **fields: Any) -> dict[str, Any]:
        self.say(json.dumps(fields).encode() + b"\n")
        return self.hear()

    def close(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):
            self._table.loop.run_until_complete(self._writer.wait_closed())


@pytest.fixture
def table(tmp_path: Path) -> Iterator[BridgeTable]:
    table = BridgeTable(tmp_path, free_port(), table={"new_shoe": "command"}).start()
    yield table
    table.close()


@pytest.fixture
def client(table: BridgeTable) -> Iterator[Client]:
    client = Client(table)
    yield client
    client.close()


def test_an_order_is_obeyed_and_signed(client: Client, table: BridgeTable) -> None:
    assert client.ask(do="open_shoe", by="anna") == {"ok": True, "do": "open_shoe"}
    assert table.lines()[-1].entry.events[-1].by == "anna"


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (b"hello\n", "not JSON"),
        (b"\n", "not JSON"),
        (b"{}\n", '"do" is missing'),
        (b'{"do":"next"}\n', "the order has no name"),
        (b'{"do":"next","by":" "}\n', "the order has no name"),
        (b'{"do":"next","by":"%b"}\n' % (b"a" * 65), "the name is too long: at most 64 characters"),
        (b'{"do":"next","by":"a\\nb"}\n', "the name contains the character \\n"),
        (b'{"do":"nxt","by":"anna"}\n', "nxt is not a command"),
        (b'{"do":"next","by":"anna"}\n', "there is no round to end"),
    ],
)
def test_what_is_refused_says_why(client: Client, request_: bytes, error: str) -> None:
    client.say(request_)
    answer = client.hear()
    assert (answer["ok"], answer["error"][: len(error)]) == (False, error)
    assert client.ask(do="status")["table_id"] == "T07"


@pytest.mark.parametrize(
    ("left", "error"),
    [
        (0, "0 cards are too few for a round of baccarat"),
        (3, "3 cards are too few for a round of baccarat"),
        (417, "417 cards cannot be left of the shoe's 416"),
    ],
)
def test_a_shoe_taken_over_has_cards_for_a_round(client: Client, left: int, error: str) -> None:
    refused = client.ask(do="open_shoe", by="anna", pack={"left": left})
    assert (refused["error"], refused["hint"]) == (error, "give a number from 4 to 416")
    assert refused["values"]["most"] == 416
    assert client.ask(do="open_shoe", by="anna", pack={"left": 4}) == {"ok": True, "do": "open_shoe"}


def test_a_request_that_is_too_long_is_refused_as_such_and_leaves_no_record(client: Client, table: BridgeTable) -> None:
    before = len(table.lines())
    assert client.ask(do="void", by="anna", why="x" * LONGEST)["error"] == "the command is too long"
    assert "at most 500 characters" in client.ask(do="void", by="anna", why="x" * (LONGEST - 100))["error"]
    assert len(table.lines()) == before + 1


def test_an_endless_request_ends_the_connection_not_the_daemon(client: Client, table: BridgeTable) -> None:
    client.say(b"x" * 2 * SOCKET.longest)
    assert client.hear()["error"] == "the command is too long"
    assert client.hear() == {}
    other = Client(table)
    assert other.ask(do="status")["mode"] == "FULL"
    other.close()


def test_a_watcher_hears_of_every_change(client: Client, table: BridgeTable) -> None:
    assert client.ask(do="watch")["table"]["phase"] == "empty"
    other = Client(table)
    other.ask(do="open_shoe", by="anna")
    while (status := client.hear())["table"]["phase"] == "empty":
        pass
    assert status["table"]["phase"] == "ready"
    other.close()


def test_many_may_watch_and_leave(table: BridgeTable) -> None:
    for _ in range(3):
        clients = [Client(table) for _ in range(SOCKET.of_one)]
        for each in clients:
            assert each.ask(do="watch")
        for each in clients:
            each.close()
    last = Client(table)
    assert last.ask(do="status")
    last.close()


SAID = st.text(max_size=70) | st.sampled_from(
    ["a\nb", "\x1b[2J", "\u202eben", "x\x7f", "x" * 65, "x" * 501, "ann", "陳"]
)


@example("lend", {"device": "\x1b[2J"}, "ann")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["void", "dealer", "close_shoe", "open_shoe", "resolve", "resend", "take_back", "lend"]) | SAID,
    st.dictionaries(
        st.sampled_from(["why", "dealer", "confirmed_by", "irregularity", "journal", "device"]) | SAID, SAID
    ),
    SAID,
)
def test_no_name_that_a_terminal_obeys_gets_in(
    client: Client, table: BridgeTable, do: str, fields: dict[str, str], by: str
) -> None:
    answer = client.ask(**fields | {"do": do, "by": by, "id": by[:64] or None})
    assert "ok" in answer
    journaled = [msgspec.json.decode(event) for event in table.lines()[-1].public.events]
    assert [text for text in texts([answer, *journaled]) if fault(text, 1_000)] == []


def test_only_its_own_user_may_speak(client: Client) -> None:
    assert client.path.stat().st_mode & 0o777 == 0o600


def test_a_socket_left_by_a_dead_daemon_is_replaced(table: BridgeTable) -> None:
    table.stop()
    path = table.journal_dir / "control.sock"
    assert not path.exists()
    path.touch()
    table.start()
    client = Client(table)
    assert client.ask(do="status")
    client.close()
