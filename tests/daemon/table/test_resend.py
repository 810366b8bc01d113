import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.facts.orders import BY_MQTT, Answer, Resend
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.resend import NotInJournal, ranges
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.refusals import said


@pytest.fixture
def table(tmp_path: Path) -> Iterator[BridgeTable]:
    table = BridgeTable(tmp_path, free_port()).start()
    yield table
    table.close()


def ask(table: BridgeTable, **fields: Any) -> Answer:
    return table.bridge.order_service.give({"do": "resend"} | fields, BY_MQTT, "backend")


def test_a_command_acts_once_however_many_there_were(table: BridgeTable, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.shoe.evolve.ANSWERS_KEPT", 3)
    resend = mocker.patch.object(table.bridge.uplink.outbox, "resend")
    journal = table.bridge.table.shoe.journal
    for number in range(6):
        for _ in range(2):
            assert ask(table, id=str(number), journal=journal).ok
        assert resend.call_count == number + 1


def test_without_an_id_it_acts_each_time(table: BridgeTable, mocker: MockerFixture) -> None:
    resend = mocker.patch.object(table.bridge.uplink.outbox, "resend")
    for _ in range(2):
        assert ask(table, since="2020-01-01T00:00:00Z").ok
    assert resend.call_count == 2


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (Resend(), 'give either "journal"'),
        (Resend("1-a", since="2020-01-01T00:00:00Z"), 'give either "journal"'),
        (Resend("1-a"), "journal 1-a is not on this disk"),
        (Resend("../cursor"), "is not on this disk"),
        (Resend("0-b", 0), '"from" must be 1 or more'),
        (Resend("0-b", 2, 1), '"to" not before it'),
        (Resend(since="yesterday"), '"since" must be a time like'),
        (Resend(since="2020-01-01T00:00:00"), "needs a time zone"),
    ],
)
def test_what_cannot_be_sent_again_says_why(tmp_path: Path, asked: Resend, error: str) -> None:
    (tmp_path / "00000000-b.journal").touch()
    with pytest.raises(NotInJournal) as raised:
        ranges(tmp_path, asked, "T07")
    assert re.search(error, said(raised.value).error)


def test_a_damaged_journal_is_a_refusal_that_names_it(table: BridgeTable) -> None:
    table.deal("9s Td")
    first = journal_files(table.journal_dir)[0]
    first.write_bytes(first.read_bytes().replace(b'"seq":1', b'"seq":7', 1))
    answer = ask(table, since="2020-01-01T00:00:00Z")
    assert not answer.ok
    assert f"{first.name} cannot be read ({first.name}, line 1: the checksum is wrong" in said(answer).error
    table.deal("Ts")


def test_an_order_for_what_cannot_be_read_says_so_and_brings_the_rest(
    table: BridgeTable, mocker: MockerFixture
) -> None:
    table.deal("9s Td Ts Tc")
    newest, last = journal_files(table.journal_dir)[-1], table.lines()[-1].public
    newest.write_bytes(newest.read_bytes().replace(b'"seq":2,', b'"seq":7,', 1))
    resend = mocker.patch.object(table.bridge.uplink.outbox, "resend")
    answer = ask(table, **{"journal": last.journal, "from": 1, "to": last.seq})
    assert not answer.ok
    assert f"an entry cannot be read ({newest.name}, line 2: the checksum is wrong)" in said(answer).error
    assert ask(table, **{"journal": last.journal, "from": 3, "to": last.seq}).ok
    assert [call.args[0] for call in resend.call_args_list] == [
        (last.journal, 1, last.seq),
        (last.journal, 3, last.seq),
    ]
    first = journal_files(table.journal_dir)[0]
    first.write_bytes(first.read_bytes().replace(b'"seq":1', b'"seq":7', 1))
    resend.reset_mock()
    assert not ask(table, since="2020-01-01T00:00:00Z").ok
    assert [call.args[0].start for call in resend.call_args_list] == [2, 1]
    table.deal("2s")


def test_everything_since_a_time_begins_with_the_first_entry_of_then(table: BridgeTable, mocker: MockerFixture) -> None:
    resend = mocker.patch.object(table.bridge.uplink.outbox, "resend")
    for card in ["9s", "Td", "Ts", "Tc"]:
        table.deal(card)
        table.pause(0.01)
    lines = [line.public for line in table.lines()]
    asked = lines[-2]
    assert ask(table, since=asked.at).ok
    ((part,),) = [call.args for call in resend.call_args_list]
    assert (part.journal, part.start, part.to) == (asked.journal, asked.seq, None)
    for never in ("2999-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00"):
        assert ask(table, since=never).ok
    assert resend.call_count == 1
    assert ask(table, since="0001-01-01T00:00:00+12:00").ok
    assert [call.args[0].start for call in resend.call_args_list[1:]] == [1] * (resend.call_count - 1)


def test_no_more_is_asked_for_while_much_waits(table: BridgeTable, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.daemon.delivery.outbox.ROOM", 2)
    table.deal("9s Td Ts")
    journal = table.bridge.table.shoe.journal
    assert [ask(table, **{"journal": journal, "from": 1, "to": to}).ok for to in (1, 1, 2)] == [True] * 3
    refused = ask(table, journal=journal)
    assert (refused.ok, said(refused).error) == (False, "too many parts are waiting to be sent again")
    assert said(refused).hint == "wait until they have arrived"
