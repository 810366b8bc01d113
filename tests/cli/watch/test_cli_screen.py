import argparse
import re
import shlex
from importlib import import_module
from typing import Any

import msgspec
import pytest

from firmware_bridge.cli.status import _show
from firmware_bridge.cli.watch.model import Watched
from firmware_bridge.cli.watch.screen import line, screen
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.house import House
from firmware_bridge.facts.printable import fault
from firmware_bridge.games.house import house_of, usual
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.topics.state import last_rounds, snapshots
from firmware_bridge.topics.texts.alarms import todo
from tests.kit.rows import each_row

PLAIN = house_of(burn="none")
GONE = {"up": False, "why_down": "x", "shared": None, "waiting": True}
WHOLE = {"name": "floor", "stored": ["1-a", 9], "sent": ["1-a", 9], "behind": False, "refused": 0, "why_refused": None}
LATE = WHOLE | {"stored": None, "behind": True, "refused": 2, "why_refused": "audit is unknown"}
BEHIND = {"waiting": True, "acked": ["0-a", 4]}


def status(script: str, house: House = PLAIN, **changes: Any) -> dict[str, Any]:
    """What the daemon would tell after a deal script; `changes` are put over it."""
    play = Replay(house, "T07", lambda _: None, close=None)
    list(play.play(parse(script)))
    shoe = play.shoe
    broker = {"up": True, "protocol": "5", "why_down": None, "shared": None, "waiting": False, "acked": None}
    plain = {
        "version": "1.0",
        "build": "725d08bd1858 2026-11-22",
        "table_id": "T07",
        "shoe": shoe.number,
        "journal": shoe.journal,
        "seq": shoe.seq,
        "mode": "FULL",
        "disk": None,
        "broker": broker | changes.pop("broker", {}),
        "reader": {"protocol": "native", "port": "/dev/r", "open": True, "lost": False} | changes.pop("reader", {}),
        "rounds": msgspec.to_builtins(last_rounds(shoe)),
    }
    return plain | msgspec.json.decode(msgspec.json.encode(snapshots(shoe))) | changes


def row(name: str, state: dict[str, Any]) -> str:
    return next(text.split(None, 1)[1] for text in screen(state) if text.split()[0] == name)


@each_row(
    ("name", "state", "shown"),
    [
        ("table", status(""), "T07  no shoe yet  baccarat, on-demand, 8 decks  FULL"),
        ("software", status(""), "version 1.0, build 725d08bd1858 2026-11-22"),
        ("phase", status(""), "empty"),
        ("cards", status(""), "no shoe is open"),
        ("slots", status(""), "all empty"),
        ("rounds", status(""), "none in this shoe"),
        ("phase", status("cut 9sTdTs"), "round 1 dealing, the last round"),
        ("phase", status("cut 9sTdTsTc"), "ended, change the shoe"),
        ("phase", status("cut 9sTdTsTc !close_table"), "the table is closed, change the shoe"),
        ("lamps", status("2s 3h"), "P2 steady  (P2 due)"),
        ("lamps", status("shoe", House()), "ready slow blink (confirm)  (burn: expose the first card)"),
        ("slots", status("2s3h4d"), "P1 2s  B1 3h  P2 4d"),
        ("cards", status("shoe 2s3h"), "414 left"),
        ("reader", status("", reader={"open": False}), "native at /dev/r, not open"),
        ("reader", status("", reader={"lost": True}), "native at /dev/r, open, but SILENT"),
        ("broker", status("", broker=GONE), "NOT CONNECTED: x; everything waiting"),
        ("broker", status("", broker=BEHIND), "connected (MQTT 5), everything after entry 4 of 0-a waiting"),
        ("store", status("", broker={"store": WHOLE}), "floor has all that was sent"),
        (
            "store",
            status("", broker={"store": LATE}),
            "floor has nothing, sent up to entry 9 of 1-a; 2 messages were ignored, the last because audit is unknown",
        ),
        ("journal", status("", journal="3-a", seq=7, disk="no space"), "3-a entry 7; STOPPED: no space"),
        ("rounds", status("9sTdTsTc 2s !void misdeal"), "1 player 9:0  2 void"),
        ("rounds", status("9sTdTsTc !correct 1 9sTdTs9c"), "1 tie 9:9 corrected"),
    ],
)
def test_the_screen_says_it_in_words(name: str, state: dict[str, Any], shown: str) -> None:
    assert row(name, state) == shown


def test_rhythms_are_named_as_they_are_seen() -> None:
    assert row("lamps", status("9s ??")).startswith("fault fast blink (blocked)  (unreadable)")
    assert row("lamps", status("cut")).startswith("ready double flash, P1 steady  (last round")


def test_what_waits_is_counted_in_entries() -> None:
    state = status("9sTdTsTc")
    state["broker"] |= {"waiting": True, "acked": [state["journal"], 2]}
    assert row("broker", state) == "connected (MQTT 5), 3 entries waiting"


def test_one_line_names_what_is_wrong() -> None:
    assert line(status("9s ?? Td")) == "shoe 1  round 1 dealing, BLOCKED, 2 held  P1 9s  open: unreadable"
    assert line(status("9s", broker={"up": False})).endswith("broker down")


LENT = {"device": "reader", "to": "anna", "since": 0}


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (status("9s"), "IN ORDER: every card is checked and every round published"),
        (status("9s ??"), "BLOCKED until settled: unreadable"),
        (status("9s", disk="no space"), "STOPPED: no space"),
        (status("9s", lent=LENT), "CALIBRATION: anna has the reader, cards are not read"),
        (
            status("9s", returning={"to": "anna", "pid": 0}),
            "CALIBRATION is over: the reader is coming back from anna, a few seconds",
        ),
        (status("9s", broker=GONE), "PLAY GOES ON, rounds are kept here: the broker cannot be reached"),
        (status("9s", mode="NO_BROKER"), "IN ORDER: every card is checked and every round published"),
        (status("9s", mode="MANUAL_ENTRY", broker=GONE), "PLAY GOES ON, with a card that two people entered by hand"),
        (status("9s", mode="VIRTUAL_CUT"), "PLAY GOES ON, the cut card is counted: its sensor did not see it"),
        (status("9s", mode="MANUAL_ENTRY"), "PLAY GOES ON, with a card that two people entered by hand"),
    ],
)
def test_the_first_line_says_how_the_table_stands(state: dict[str, Any], shown: str) -> None:
    assert screen(state)[0] == shown


def test_observing_is_said_first() -> None:
    assert screen(status("9s ??", mode="OBSERVE"))[0].startswith("OBSERVING ONLY")


NIUNIU = {"game": "niuniu", **usual("niuniu")}
ERBAGANG = {"game": "erbagang", **usual("erbagang")}
LOT = "Draw the lot among: Seat 1, Seat 2; then enter it: sudo shoe do mark lot SEAT --by NAME"
MONEY = "money=1:100,2:40,3:20,4:20"
GRABS = "1:grab=200 2:grab=0 3:grab=0 4:grab=0 2:bet=66 3:bet=1 4:bet=1"


@pytest.mark.parametrize(
    ("script", "house", "step"),
    [
        ("", {}, "open a shoe: sudo shoe do open-shoe --by NAME"),
        ("2s", {}, "Draw a card: Banker card 1"),
        ("cut 9sTdTsTc", {}, "change the shoe, then open it: sudo shoe do open-shoe --by NAME"),
        ("shoe", {"burn": "first-card"}, "Burn: draw the first card and turn it face up"),
        ("shoe 3s", {"burn": "first-card"}, "Burn: draw 3 more"),
        ("shoe 9sTdTsTc", {"disclose": "sealed"}, "Press REVEAL: Player card 1, Player card 2"),
        ("1:grab=1 2:grab=0", NIUNIU, "Must act: Seat 3, Seat 4"),
        ("1:grab=1 2:grab=1 3:grab=0 4:grab=0", NIUNIU, LOT),
        ("", NIUNIU, "Must act: Seat 1, Seat 2, Seat 3, Seat 4"),
    ],
)
@pytest.mark.parametrize("alarms", [(), ("broker_lost",)])
def test_the_next_step_is_named_and_no_alarm_that_lets_play_go_on_hides_it(
    script: str, house: dict[str, Any], step: str, alarms: tuple[str, ...]
) -> None:
    state = status(script, house_of(**{"burn": "none"} | house))
    state["alarm"]["open"] = [alarm(name) for name in alarms]
    assert row("next", state) == step


def test_a_round_that_the_dealer_ends_is_settled_before_next() -> None:
    assert row("next", status("9sTdTsTc", house_of(burn="none", close="next"))) == "Press NEXT"
    paid = f"{MONEY} {GRABS} wp2p9p1pwp8p8p9p"
    step = row("next", status(paid, house_of(**ERBAGANG | {"close": "next"})))
    assert re.fullmatch(r"(Turn the cards: .*; )?((Take|Pay) \d+: Seat \d; )+Press NEXT", step), step


def test_what_is_due_is_taken_from_expected_alone() -> None:
    state = status("2s")
    state["table"] |= {"due": None, "act": {"S1": {"lot": {}}}, "phase": "complete"}
    assert row("next", state) == "Draw a card: Banker card 1"
    state["table"] |= {"expected": [{"verb": "press", "key": "next"}], "due": "P2"}
    assert row("next", state) == "Press NEXT"
    assert line(state) == "shoe 1  round 1 complete  Press NEXT  P1 2s"


def test_a_shoe_that_does_not_guide_names_no_card() -> None:
    state = status("2s", mode="OBSERVE") | {"lamps": {"lit": {"fault": "blocked"}, "why": [], "reasons": []}}
    assert row("next", state) == "The shoe does not guide now: call the pit"


def test_where_nobody_has_a_step_an_alarm_tells_its_own() -> None:
    state = status("9sTdTsTc", House(burn="none", betting="required"))
    state["alarm"]["open"] = [alarm("broker_lost")]
    assert row("next", state) == todo("en", "broker_lost", "keep-order")


def alarm(name: str) -> dict[str, Any]:
    """One that lets play go on."""
    fields = {"id": name, "blocks": False, "choices": [], "since": 0, "values": {}}
    return fields | {"severity": "warning"}


def parsed(line: str) -> argparse.Namespace:
    """A line that begins with sudo, read as the command reads it."""
    sudo, shoe, command, *words = shlex.split(line)
    assert (sudo, shoe) == ("sudo", "shoe")
    parser = argparse.ArgumentParser(exit_on_error=False)
    import_module(f"firmware_bridge.cli.{command}").options(parser)
    return parser.parse_args(words)


CHOICES = {(name, row.choices) for policy in POLICIES.values() for name, row in policy.items()}


@each_row(("name", "choices"), sorted(CHOICES))
def test_the_orders_that_settle_an_alarm_can_be_pasted(name: str, choices: tuple[str, ...]) -> None:
    state = status("9s")
    state["alarm"]["open"] = [alarm(name) | {"choices": list(choices)}]
    orders = [text.strip() for text in screen(state) if text.strip().startswith("sudo ")]
    assert [(each.irregularity, each.choice) for each in map(parsed, orders)] == [(name, each) for each in choices]


def test_a_name_of_an_old_journal_moves_no_cursor() -> None:
    state = status("9s", table_id="T\x1b[2J07")
    values = {"to": "Eve\nIN ORDER: all is well\x9b31m", "x": "\u202e"}
    state["alarm"]["open"] = [alarm("reader_lost") | {"values": values}]
    for text in (*screen(state), line(state)):
        assert fault(text, 1_000) is None
    assert r"lent to: Eve\nIN ORDER: all is well\x9b31m" in "".join(screen(state))


def test_what_two_people_type_for_a_card_that_was_not_read_is_shown() -> None:
    (found,) = [text for text in screen(status("??")) if "enter" in text and text.startswith("    ")]
    assert found.strip() == "Two people must enter the card with sudo shoe enter CARD --by NAME --second NAME."


def test_while_the_reader_is_lent_the_next_step_is_to_wait() -> None:
    step = row("next", status("9s ??", lent=LENT))
    wait = "wait, or sudo shoe do take-back --by NAME"
    assert re.fullmatch(rf"in use by anna for calibration since [\d:]{{8}}: {wait}", step)


@pytest.mark.parametrize(("pid", "remedy"), [(0, "check its power and cable"), (4711, "sudo kill -9 4711")])
def test_a_reader_that_does_not_come_back_has_a_remedy(pid: int, remedy: str) -> None:
    step = row("next", status("9s ??", returning={"to": "anna", "pid": pid}))
    assert step == f"coming back from anna's calibration, a few seconds: wait; if it does not come back: {remedy}"


def test_the_next_step_of_an_alarm_is_its_remedy() -> None:
    state = status("9s 9s", house_of(burn="none", decks=1))
    step = todo("en", state["alarm"]["open"][0]["id"], "keep-order").rstrip(".")
    assert row("next", state) == f"{step}; to decide, use one of the commands below"


def test_an_alarm_that_does_not_stop_play() -> None:
    state = status("9s")
    state["alarm"]["open"] = [alarm("sensor_stuck")]
    assert screen(state)[0] == "PLAY GOES ON, with 1 alarm open"


def test_a_note_takes_the_place_of_no_act_and_of_no_waiting() -> None:
    opened = status("shoe", house_of(burn="none", betting="required"))
    opened["alarm"] = {"open": [alarm("record_unsigned") | {"severity": "note"}]}
    assert row("next", opened) == "Draw no card: bets are open"
    opened["alarm"]["open"] += [alarm("broker_lost")]
    assert row("next", opened) == todo("en", "broker_lost", "keep-order")


def test_the_verdict_is_the_last_line_too_where_alarms_push_it_off_the_screen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _show(status("2s 3h"), "en")
    assert "IN ORDER" not in capsys.readouterr().out.splitlines()[-1]
    _show(status("9s ?? Td lid-open"), "en")
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == last != ""


def test_a_corrected_round_is_called_so_once() -> None:
    watched = Watched("en")
    watched.update(status("9sTdTsTc !correct 1 9sTdTs9c"))
    assert "\n".join(row.plain for row in watched.screen(200, 60, "")).count("corrected") == 1
    assert "\n".join(screen(status("9sTdTsTc !correct 1 9sTdTs9c"))).count("corrected") == 1
