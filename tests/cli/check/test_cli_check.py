"""`shoe check`: the config, the reader, its code book and the pins."""

from __future__ import annotations

import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.check.finding import failed
from firmware_bridge.facts.cards import FACES
from hardware.errors import PinError
from tests.cli.check import checked
from tests.cli.check.checked import Checked
from tests.kit import broker as real
from tests.kit import command
from tests.kit.broker import Broker, free_port
from tests.kit.process import python

broker, brokers, shoe, check = real.broker, real.brokers, command.shoe, checked.check  # fixtures

HOLD = """
import sys, time
from hardware.ports import open_tty
port = open_tty(sys.argv[1], 115200)
print("open", flush=True)
time.sleep(60)
"""

MACHINE = ("service", "versions", "access", "calibrated", "board", "mount", "clock", "pi")
"""Checks of what this machine is: not the same on every developer's."""

PIPE = ".lgd-nfy-test"


def leave_a_pipe_and_fail() -> None:
    """What lgpio does in the working directory, on a machine without pins."""
    Path(PIPE).touch()
    raise RuntimeError("can not open gpiochip")


def test_a_machine_in_order_passes(check: Checked, shoe: command.Run) -> None:
    found = check(pins={"cut_card": 27}, lamps={"P1": 5})
    levels = {name: {each["level"] for each in findings} for name, findings in found.items()}
    of_this_machine = {name: levels.pop(name) for name in MACHINE if name in levels}
    assert "FAIL" not in set().union(*of_this_machine.values())
    assert levels == {
        "config": {"OK"},
        "daemon": {"OK"},
        "reader": {"OK"},
        "pins": {"WARN"},  # simulated pins
        "broker": {"OK"},
        "people": {"WARN"},  # two names, which one person may type
        "stranger": {"WARN"},  # a broker without users
        "orders": {"WARN"},  # nobody's key
        "disk": {"OK"},
        "record": {"WARN"},  # a name of nobody
    }
    assert set(of_this_machine) >= {"service", "versions", "access", "calibrated", "mount", "clock"}
    assert found["broker"][0]["text"].endswith(
        "accepts this shoe (MQTT 5) and what it writes to check; not tried: whether orders come through"
    )
    assert "a line is on disk after" in found["disk"][-1]["text"]
    assert list(check.table.journal_dir.iterdir()) == []
    ran = shoe("check", "--config", check.table.config_path)
    assert ran.code == 0
    assert '\n                 -> on a Raspberry Pi write [pins] factory = "lgpio"\n' in ran.out


def test_every_mistake_of_the_config_is_reported_at_once(check: Checked, shoe: command.Run) -> None:
    found = check(table={"decks": 99, "burm": 3}, mqtt={"port": "x"})
    assert [each["level"] for each in found["config"]] == ["FAIL"] * 3
    assert any("did you mean burn?" in each["text"] for each in found["config"])
    ran = shoe("check", "--config", "/nowhere/bridge.toml")
    assert (ran.code, "name the file with --config" in ran.out) == (78, True)


def test_what_is_written_against_the_mode(check: Checked) -> None:
    squeeze = {"service": {"mode": "squeeze"}, "mqtt": {"commands": ["reveal"]}}
    level, text, remedy = check.one("mode", table={"disclose": "dealt"}, **squeeze)
    assert (level, remedy) == ("WARN", 'write disclose = "sealed", or remove the key')
    assert text.startswith('[service] mode = "squeeze" and [table] disclose = "dealt": cards are shown when drawn')
    assert "mode" not in check(**squeeze)


def test_a_pin_that_is_used_twice(check: Checked) -> None:
    (mistake,) = check(pins={"next": 22}, lamps={"P1": 22})["config"]
    assert (mistake["level"], "22" in mistake["text"]) == ("FAIL", True)


def test_a_reader_that_is_missing(check: Checked) -> None:
    level, text, remedy = check.one("reader", reader={"port": "/dev/serial/by-id/none"})
    assert (level, text) == ("FAIL", "no reader at /dev/serial/by-id/none")
    assert remedy.startswith("check its cable and [reader] port")


def test_a_reader_that_another_program_has_is_named_with_it(check: Checked) -> None:
    other = python("-c", HOLD, check.table.pty.path, stdout=subprocess.PIPE)
    assert other.stdout
    with other, other.stdout as out:
        out.readline()
        level, text, remedy = check.one("reader")
        other.kill()
    assert (level, remedy) == ("FAIL", "stop that program, or set another [reader] port")
    assert f"(pid {other.pid})" in text


def test_a_reader_on_the_network(check: Checked, broker: Broker) -> None:
    assert check.one("reader", reader={"port": f"socket://127.0.0.1:{broker.port}"})[0] == "OK"
    level, text, _ = check.one("reader", reader={"port": f"socket://127.0.0.1:{free_port()}"})
    assert level == "FAIL"
    assert "no reader answers" in text


def test_a_reader_on_the_network_that_hangs_up(check: Checked) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        hangs_up = threading.Thread(target=lambda: server.accept()[0].close())
        hangs_up.start()
        level, text, remedy = check.one("reader", reader={"port": f"socket://127.0.0.1:{server.getsockname()[1]}"})
        hangs_up.join()
    assert (level, text.endswith("has disconnected")) == ("FAIL", True)
    assert "what else is connected to it" in remedy


def test_a_code_book_with_its_wrong_lines(check: Checked, tmp_path: Path) -> None:
    book = tmp_path / "book.csv"
    lines = [f"{card.value}{n},{card.value}" for n in range(8) for card in FACES]
    book.write_text("\n".join(["As0,Xx", *lines]))
    section = {"protocol": "line", "code_book": str(book)}
    assert [each["text"].split(": ", 1)[1] for each in check(reader=section)["code book"]] == [
        "'Xx' is not a card: write a card as rank and suit: As, Td, or cut",
        "code 'As0' is used twice, see line 1",
    ]
    book.write_text("\n".join(lines))
    assert check.one("code book", reader=section) == ("OK", f"{book}: 416 codes of 52 cards", "")
    assert "8 codes: give 1" in check.one("code book", table={"decks": 6}, reader=section)[1]


@pytest.mark.parametrize(
    ("protocol", "level", "text"),
    [
        ("grow", "WARN", "only codes that are card names (As, Td; a ten is T) are known"),
        ("ssi", "WARN", "only codes that are card names"),
        ("line", "WARN", "only codes that are card names"),
        ("rdm6300", "FAIL", "every card of an rdm6300"),
        ("native", "", ""),
        ("angel-eye", "", ""),
    ],
)
def test_a_reader_that_needs_a_code_book_and_has_none(check: Checked, protocol: str, level: str, text: str) -> None:
    found = check(reader={"protocol": protocol}).get("code book", [])
    assert [each["level"] for each in found] == [level] * bool(level)
    for each in found:
        assert text in each["text"]
        assert each["remedy"].startswith("set a file in [reader] code_book, then record it: sudo shoe calibrate")


def test_pins_that_cannot_be_had_are_named_by_their_keys(check: Checked, mocker: Any) -> None:
    busy = PinError("GPIO 27 cannot be used ('GPIO busy'): stop other programs that use it")
    mocker.patch("firmware_bridge.cli.check.board.try_pin", side_effect=[busy, None])
    found = check(pins={"cut_card": 27, "next": 22})["pins"]
    assert found[0]["level"] == "FAIL"
    assert found[0]["text"] == "cut_card on GPIO 27 cannot be used ('GPIO busy')"
    assert found[0]["remedy"] == "stop other programs that use it"


def test_a_pin_library_that_is_missing_or_does_not_start(check: Checked, mocker: Any, tmp_path: Path) -> None:
    wires = {"factory": "lgpio", "cut_card": 27}
    library = mocker.patch("hardware.pins.pin.resolve_name")
    library.side_effect = ImportError("no module lgpio")
    level, text, remedy = check.one("pins", pins=wires)
    assert (level, text) == ("FAIL", "[pins] factory lgpio is not installed (no module lgpio)")
    assert "apt install python3-lgpio" in remedy
    library.side_effect = lambda _: leave_a_pipe_and_fail
    assert "the group gpio" in check.one("pins", pins=wires)[2]
    assert not Path(PIPE).exists()


def test_pins_are_given_back(check: Checked) -> None:
    assert check(pins={"cut_card": 27}, lamps={"P1": 5, "P2": 5})["pins"][-1]["text"].startswith("3 wires, simulated")
    assert check()["pins"][0]["text"] == "none configured"


@pytest.mark.parametrize(
    ("error", "what", "remedy"),
    [
        ("no reader at /dev/x: check its cable", "no reader at /dev/x", "check its cable"),
        ("/dev/x is busy (error 5: no): stop it: now", "/dev/x is busy (error 5: no)", "stop it: now"),
        ("it is broken", "it is broken", ""),
    ],
)
def test_an_error_is_parted_into_what_and_remedy(error: str, what: str, remedy: str) -> None:
    assert failed("reader", error)[2:] == (what, remedy)
