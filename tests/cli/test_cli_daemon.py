"""`shoe status`, `shoe check` and `shoe journal` beside a running daemon: what they show of it."""

import errno
import logging
import sys
from collections.abc import Callable
from typing import Final

import pytest

from firmware_bridge.cli.run import FORMAT, Discreet
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.preallocate import SyncFailed, unwritable
from tests.cli.watch import watched
from tests.cli.watch.watched import naturals
from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable

broker, brokers, shoe = real.broker, real.brokers, command.shoe  # fixtures
table = watched.table  # fixture


def test_status_says_on_one_screen_where_the_table_stands(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table()
    bridge.deal("9s Td Ts Tc 2s 3h")
    ran = shoe("status", "--config", bridge.config_path)
    assert ran.code == 0
    rows = {line.split()[0]: line.strip() for line in ran.out.splitlines()}
    assert rows["table"].startswith("table T07  shoe 1  baccarat, on-demand, 8 decks  FULL")
    assert rows["phase"].endswith("round 2 dealing")
    assert rows["next"].endswith("Draw a card: Player card 2")
    assert rows["slots"].endswith("P1 2s  B1 3h")
    assert "P2 steady" in rows["lamps"]
    assert rows["cards"].endswith("410 left")
    assert rows["rounds"].endswith("1 player 9:0")
    assert "connected (MQTT 5)" in rows["broker"]
    assert rows["reader"].endswith(f"native at {bridge.folder}/reader, open")
    assert "entry" in rows["journal"]
    assert len(ran.out.splitlines()) <= 24


def test_status_as_json_is_one_object(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table()
    bridge.deal("9s Td Ts Tc")
    (answer,) = shoe("status", "--json", "--config", bridge.config_path).json
    assert answer["table_id"] == "T07"
    assert answer["rounds"] == [
        {
            "round": 1,
            "outcome": "player",
            "points": {"player": "natural 9", "banker": "0"},
            "revision": 0,
            "cards": [["P1", "9s"], ["B1", "Td"], ["P2", "Ts"], ["B2", "Tc"]],
            "carried": 0,
            "last": False,
            "flags": [],
            "own": {"natural": True, "pairs": {"player": False, "banker": True}},
        }
    ]


def test_a_voided_and_a_corrected_round_are_shown_as_such(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table()
    bridge.deal("9s Td Ts Tc 2s")
    assert shoe("do", "void", "--yes", "--why", "misdeal", "--by", "anna", "--config", bridge.config_path).code == 0
    correction = ("correct", "1", "9sTdTs9c", "--why", "misread", "--by", "anna", "--yes")
    assert shoe("do", *correction, "--config", bridge.config_path).code == 0
    assert "  rounds   1 tie 9:9 corrected  2 void\n" in shoe("status", "--config", bridge.config_path).out


def test_last_rounds_are_those_of_this_shoe_also_after_a_restart(
    table: Callable[..., DaemonTable], shoe: command.Run
) -> None:
    bridge = table()
    bridge.deal(naturals(10))
    bridge.stop()
    rounds = bridge.start().ask(do="status")["rounds"]
    assert [each["round"] for each in rounds] == list(range(3, 11))
    assert shoe("do", "close-shoe", "--by", "anna", "--config", bridge.config_path).code == 0
    assert shoe("do", "open-shoe", "--by", "anna", "--config", bridge.config_path).code == 0
    assert status(bridge)["rounds"] == []


def test_an_alarm_says_what_to_do_and_which_command_settles_it(
    table: Callable[..., DaemonTable], shoe: command.Run
) -> None:
    bridge = table(table={"decks": 1})
    bridge.deal("9s 9s")
    ran = shoe("status", "--config", bridge.config_path)
    assert "! duplicate (critical, since " in ran.out
    orders = [f"sudo shoe do resolve duplicate {choice} --by NAME" for choice in ("keep", "remove", "void")]
    assert [line.strip() for line in ran.out.splitlines() if line.strip() in orders] == orders
    ran = shoe("do", "resolve", "duplicate", "remove", "--by", "ben", "--why", "seen", "--config", bridge.config_path)
    assert (ran.code, ran.out) == (0, "resolve: done\n")
    assert "duplicate" not in shoe("status", "--config", bridge.config_path).out


def test_a_broker_that_is_gone_and_what_waits_for_it(
    table: Callable[..., DaemonTable], shoe: command.Run, broker: Broker
) -> None:
    bridge = table()
    bridge.until(lambda: not status(bridge)["broker"]["waiting"])
    broker.stop()
    bridge.until(lambda: not status(bridge)["broker"]["up"])
    bridge.deal("9s Td Ts")
    shown = shoe("status", "--config", bridge.config_path).out
    assert "NOT CONNECTED: " in shown
    assert "wait" in shown


def test_check_knows_what_the_daemon_holds(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table(pins={"cut_card": 27})
    (report,) = shoe("check", "--json", "--config", bridge.config_path).json
    by_name = {each["name"]: each for each in report["checks"]}
    assert report["ok"], report
    assert "in use by the daemon" in by_name["reader"]["text"]
    assert "in use by the daemon" in by_name["pins"]["text"]
    assert "the daemon is connected" in by_name["broker"]["text"]
    bridge.pty.unplug()
    bridge.until(lambda: not status(bridge)["reader"]["open"])
    ran = shoe("check", "--config", bridge.config_path)
    assert ran.code == 1
    assert "the daemon cannot open it" in ran.out


def test_the_record_is_read_while_the_daemon_writes_it(table: Callable[..., DaemonTable], shoe: command.Run) -> None:
    bridge = table()
    bridge.deal(naturals(3))
    ran = shoe("journal", "verify", "--replay", "--config", bridge.config_path)
    assert ran.code == 0, ran.out
    assert "judged again" in ran.out
    assert shoe("journal", "list", "--config", bridge.config_path).code == 0
    assert "round 3" in shoe("journal", "show", "--config", bridge.config_path).out


UNPLUGGED: Final = OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            SyncFailed("unconfirmed", UNPLUGGED),
            "the disk did not confirm a write (Input/output error); replace the disk",
        ),
        (unwritable(UNPLUGGED), "the journal cannot be written"),
        (JournalError("a journal is damaged", "restore it"), "a journal is damaged; restore it"),
        (UNPLUGGED, "[Errno 5] Input/output error"),
        (ValueError("2c was drawn"), ""),
    ],
)
def test_a_traceback_in_the_log_ends_in_english(error: Exception, said: str) -> None:
    """An error that is not ours has no text there: it might show a sealed card."""
    try:
        raise error
    except Exception:
        entry = logging.LogRecord("", logging.CRITICAL, "", 1, "ending", (), sys.exc_info())
    last = Discreet(FORMAT).format(entry).splitlines()[-1]
    assert last.startswith(f"{type(error).__name__}{said and ': '}{said}")
    assert "unconfirmed" not in last
