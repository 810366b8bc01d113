"""The tables of a fleet: real ones, dealt by a script, killed and started again; and what is compared in the end."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from pytest_mock import MockerFixture

from firmware_bridge.config.load import broker_settings
from firmware_bridge.daemon.table import journal_writer
from firmware_bridge.games import GAMES
from firmware_bridge.journal.files import journal_files
from firmware_bridge.shoe.state import blockers
from scripts.tools.fleet.__main__ import main
from scripts.tools.fleet.compare import Compared, compare
from scripts.tools.fleet.dealer import Dealer
from scripts.tools.fleet.measure import raise_limit
from scripts.tools.fleet.plan import Plan, Report, Trouble
from scripts.tools.fleet.process import Task
from scripts.tools.fleet.table import FleetTable, table_config
from scripts.tools.fleet.team import Team
from tests.floor.journals import made, published
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker, free_port
from tests.kit.patience import HANG_S, comes

brokers, broker = real.brokers, real.broker  # fixtures

TABLES = {"T0001": "baccarat", "T0002": "blackjack", "T0003": "niuniu"}


async def at_a_table(folder: Path, game: str, play: Callable[[FleetTable], Awaitable[None]]) -> None:
    """Do something at a table whose broker is out of reach."""
    config = table_config("T07", game, folder, "127.0.0.1", free_port(), None)
    table = FleetTable(config, broker_settings(config), Random(7))
    await table.open()
    try:
        await play(table)
    finally:
        await table.close()


@pytest.mark.story
@pytest.mark.parametrize("game", list(GAMES))
def test_a_table_is_dealt_from_shoe_to_shoe_and_by_another_dealer_after_a_kill(game: str, tmp_path: Path) -> None:
    async def play(table: FleetTable) -> None:
        for act in range(2_000):
            await table.on_disk()
            table.dealer.act()
            if act == 20:
                table.dealer = Dealer(table.table, table.order_service, Random(8))
            if table.table.shoe.number > 1 and table.rounds > 4:
                break
        assert table.table.shoe.number > 1
        assert table.dealer.refused == 0
        assert blockers(table.table.shoe) == ()

    asyncio.run(at_a_table(tmp_path, game, play))


def test_a_dealer_waits_for_a_disk_that_is_slow_to_begin_a_shoe(tmp_path: Path, mocker: MockerFixture) -> None:
    real = os.rename

    def rename(*names: Any) -> None:
        time.sleep(0.05)
        real(*names)

    mocker.patch.object(journal_writer, "PATIENCE_S", 0.0)
    mocker.patch("os.rename", rename)

    async def play(table: FleetTable) -> None:
        waited = 0
        while table.table.shoe.number < 3:
            waited += bool(table.table.disk)
            table.dealer.act()
            await asyncio.sleep(0.001)
        assert waited > 0
        assert table.dealer.refused == 0

    asyncio.run(asyncio.wait_for(at_a_table(tmp_path, "blackjack", play), HANG_S))


def test_a_bridge_without_a_reader_opens_no_port_and_no_control_socket(tmp_path: Path) -> None:
    async def play(table: FleetTable) -> None:
        assert not table.reader.port.is_open
        assert not table.config.control.exists()
        assert table.table.shoe.journal

    asyncio.run(at_a_table(tmp_path, "baccarat", play))


@pytest.mark.story
def test_a_killed_process_goes_on_where_its_journals_end(tmp_path: Path, broker: Broker) -> None:
    backend = Backend(broker.port)
    journals = tmp_path / "journals"
    task = Task(
        tables=TABLES,
        folder=str(journals),
        host=broker.host,
        port=broker.port,
        every_s=0.5,
        seed=1,
        password="",
        stored=None,
    )

    async def until(condition: Callable[[], Any]) -> None:
        await comes(lambda: team.fallen() or condition(), look_s=0.05)
        assert team.fallen() == []

    async def play() -> None:
        await team.start()
        await until(lambda: team.up == len(TABLES) and team.rounds > 4)
        assert await team.kill_one(0.1) == "a process of 3 tables killed"
        before = team.rounds
        await until(lambda: team.rounds > before + 4)
        team.rest()
        await until(team.is_resting)
        await asyncio.wait_for(team.mark("the end"), HANG_S)
        assert [each.refused + each.blocked for each in team.progress()] == [0]
        assert await team.end() == []

    team = Team([task], tmp_path)
    try:
        asyncio.run(play())
        wanted = {key: body for name in TABLES for key, body in made(published(journals / name), name).items()}
        backend.wait_until(lambda: wanted.keys() <= streamed(backend).keys())
        assert streamed(backend) == wanted
    finally:
        backend.close()
        for child in team.children:
            with suppress(ProcessLookupError):
                asyncio.run(child.end())
    assert {path.name[:8] for name in TABLES for path in journal_files(journals / name)} == {"00000000", "00000001"}


def test_a_limit_that_cannot_be_raised_is_reported() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        assert raise_limit(before[0]) is None
        warning = raise_limit(10**9)
        assert warning is not None
        assert "more is refused here" in warning
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").touch()
    assert main(["--tables", "1", "--out", str(tmp_path)]) == 1
    assert "is not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    "wrong", [["--tables", "0"], ["--tables", "many"], ["--engine", "rabbit"], ["--store", "disk"]]
)
def test_what_cannot_be_played_is_refused(wrong: list[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(wrong)
    assert raised.value.code == 2


def test_a_run_is_fine_that_lost_nothing_and_came_back_from_every_fault() -> None:
    same = Compared(made=3, stored=3, missing=0, twice=0, other=0, unmade=0, examples=[])
    fine = Report(plan=Plan(tables=1), compared=same)
    assert fine.is_fine
    for wrong in (
        {"compared": None},
        {"compared": msgspec.structs.replace(same, missing=1)},
        {"conflicts": 1},
        {"quarantined": 1},
        {"failures": ["a process fell"]},
        {"refused": 1},
        {"blocked": 1},
        {"troubles": [Trouble(what="broker killed", at_s=1.0)]},
    ):
        assert not msgspec.structs.replace(fine, **wrong).is_fine, wrong


def streamed(backend: Backend) -> dict[tuple[object, ...], object]:
    """What came of `event` and `round`."""
    there: dict[tuple[object, ...], object] = {}
    for each in backend.received:
        topic, body = each.topic.rpartition("/")[2], each.payload
        if topic in ("event", "round"):
            there[(topic, body["table"], body["journal"], body["seq"], body["n"])] = each.raw.decode()
    return there


def test_what_differs_between_journals_and_store_is_counted_and_named(tmp_path: Path) -> None:
    async def play(table: FleetTable) -> None:
        for _ in range(40):
            await table.on_disk()
            table.dealer.act()

    journals, export = tmp_path / "journals", tmp_path / "messages.jsonl"
    asyncio.run(at_a_table(journals / "T07", "baccarat", play))
    rows: list[dict[str, Any]] = [
        dict(zip(("topic", "table", "journal", "seq", "n"), key, strict=True))
        | {"body": msgspec.Raw(str(body).encode())}
        for key, body in made(published(journals / "T07")).items()
    ]

    def stored(*rows: dict[str, Any]) -> Any:
        export.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
        return compare(journals, export)

    assert stored(*rows).is_whole
    assert stored(*rows).made == len(rows) > 20
    lost = stored(*rows[1:])
    assert (lost.missing, lost.is_whole) == (1, False)
    assert lost.examples == [f"missing: event T07 {rows[0]['journal']} 1 1"]
    assert stored(*rows, rows[3]).twice == 1
    changed = json.loads(bytes(rows[3]["body"])) | {"boot": "00000000"}
    assert stored(*rows[:3], rows[3] | {"body": changed}, *rows[4:]).other == 1
    assert stored(*rows, rows[3] | {"seq": 9_999}).unmade == 1
