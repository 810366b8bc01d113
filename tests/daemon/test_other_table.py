"""Journals of another table: refused with what to do, told by `shoe check` before, and never sent in our name."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.journal.files import journal_files, journal_id
from firmware_bridge.journal.other_table import refusal_of_other
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.delivered_record import delivered

broker, brokers, backend, shoe = real.broker, real.brokers, listening.backend, command.shoe  # fixtures

Named = Callable[[str], DaemonTable]


@pytest.fixture
def named(tmp_path: Path, broker: Broker) -> Iterator[Named]:
    """Gives the one table of this test another name, in its config."""
    table = DaemonTable(tmp_path, broker.port)

    def named(name: str) -> DaemonTable:
        table.configure(table={"id": name, "new_shoe": "auto", "burn": "none", "cut_earliest": "none"})
        return table

    yield named
    table.close()


def wait_until_sent(table: DaemonTable) -> None:
    table.until(lambda: not command.status(table)["broker"]["waiting"])


def journal(shoe: command.Run, table: DaemonTable) -> tuple[str, str, str]:
    """What `shoe check` says of the journal: level, text and remedy."""
    checks = json.loads(shoe("check", "--json", "--config", table.config_path).out)["checks"]
    (found,) = [each for each in checks if each["name"] == "journal"]
    return found["level"], found["text"], found["remedy"]


def test_a_check_says_it_before_the_start_and_the_start_in_the_same_words(named: Named, shoe: command.Run) -> None:
    table = named("T01").start()
    table.deal("9s Td Ts Tc 2s")
    renamed = named("T99")
    level, text, remedy = journal(shoe, renamed)  # while the daemon still plays as T01
    assert (level, "is of table T01: its shoe 1 is open" in text) == ("FAIL", True)
    table.stop()
    assert renamed.start().fallen() == 78
    assert renamed.log.splitlines()[-1] == f"shoe: {text}; {remedy}"


def test_nothing_is_said_to_the_broker_by_a_daemon_that_refuses(named: Named, backend: Backend) -> None:
    table = named("T01").start()
    table.deal("9s Td Ts Tc")
    wait_until_sent(table)
    table.stop()
    assert named("T99").start().fallen() == 78
    assert {each.topic.split("/")[1] for each in backend.received} == {"T01"}


@pytest.mark.parametrize(
    ("dealt", "is_sent", "said"),
    [
        ("9s Td Ts Tc 2s", True, "is of table T07: its shoe 1 is open"),
        ("", False, "is of table T07: it was not sent to its end"),
        ("", True, "is of table T07"),
    ],
)
def test_the_words_follow_what_is_there(named: Named, dealt: str, is_sent: bool, said: str) -> None:
    table = named("T07").start()
    table.ask(do="status")
    table.deal(dealt)
    table.stop()
    last = table.lines()[-1].public
    if is_sent:
        delivered(table.journal_dir, last.journal, last.seq)
    else:
        (table.journal_dir / "cursor").unlink()
    found = refusal_of_other(table.journal_dir, "T99")
    assert found.what.endswith(said)
    assert ("sudo mv" in found.hint) == (is_sent and not dealt)


AS_BEFORE = """
import sys
from firmware_bridge.cli import main
from firmware_bridge.daemon.table import opening

opening.writer = lambda directory: None
sys.exit(main())
"""


def test_what_another_table_wrote_is_not_sent_in_our_name(named: Named, backend: Backend) -> None:
    """A directory of an older version, which let a shoe go on under another name."""
    table = named("T01").start()
    table.deal("9s Td Ts Tc 2s")
    wait_until_sent(table)
    table.stop()
    (table.journal_dir / "cursor").unlink()
    table = named("T07")
    table.code = ("-c", AS_BEFORE)
    table.start()
    table.deal("3h 4d 5c")
    assert table.ask(do="close_shoe", by="anna")["ok"]
    table.deal("9s Td Ts Tc")
    table.stop()

    table.code = DaemonTable.code
    table.start()
    mixed, last = (journal_id(path) for path in journal_files(table.journal_dir)[-2:])
    asked: tuple[dict[str, str], ...] = ({"journal": mixed}, {"since": "1970-01-01T00:00:00Z"})
    for each in asked:
        answer = table.ask(do="resend", by="anna", **each)
        assert (answer["ok"], "is of table T01, and this is table T07" in answer["error"]) == (False, True)
    wait_until_sent(table)
    backend.wait_until(lambda: len([each for each in backend.on("event") if is_first(each, last)]) > 1)
    sent = {(each.topic.split("/")[1], each.payload["table"]) for each in backend.received if "table" in each.payload}
    assert sent == {("T01", "T01"), ("T07", "T07")}


def is_first(event: dict[str, Any], journal: str) -> bool:
    return (event["journal"], event["seq"], event["n"]) == (journal, 1, 1)
