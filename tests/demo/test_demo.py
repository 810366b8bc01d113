"""`shoe demo`: the whole way with everything simulated, as a person starts it."""

from __future__ import annotations

import re
import signal
import socket
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli import main
from tests.demo import demos
from tests.demo.demos import SHOE, Played, demo, environment
from tests.kit.patience import ended
from tests.kit.process import python

played, played_before = demos.played, demos.played_before  # fixtures

SEALED = "--rounds 2 --disclose sealed --betting required --policy macau"
TABLES = {
    f"--rounds 2 --broker {broker} --procedure {procedure} --reader {reader}": (broker, procedure, reader)
    for broker, procedure, reader in (
        ("mosquitto", "on-demand", "native"),
        ("mosquitto", "six-card", "line"),
        ("amqtt", "on-demand", "line"),
        ("amqtt", "six-card", "native"),
        ("mosquitto", "on-demand", "angel-eye"),
        ("mosquitto", "six-card", "grow"),
        ("mosquitto", "on-demand", "ssi"),
        ("mosquitto", "six-card", "rdm6300"),
    )
}
FAULTY = {
    "sensor_stuck": [
        "! open    sensor_stuck: Sensor stuck (sensors: cut_card)",
        "! closed  sensor_stuck: free",
        "over after 2 rounds",
    ],
    "unreadable": ["! open    unreadable: ", "entered   a card that was not read, by Ines and Dora", "  manual"],
    "foreign": ["(the card is from batch 8, this shoe holds batch 7)", "! closed  foreign: remove by Ines"],
    "duplicate": ["! closed  duplicate: remove by Ines"],
    "jam": ["! closed  jam: keep by Ines"],
    "overdrawn": [
        "accident  the dealer draws one card too many",
        "! open    overdrawn: One card too many (round: 2)",
        "! closed  overdrawn: kept",
    ],
    "missing_third": ["refused   NEXT: B3 is due", "! closed  missing_third: drawn"],
    "burn_short": ["refused   NEXT: the burn is not finished", "! closed  burn_short: burned"],
    "cut_card_mid_round": ["cut card  passed its sensor: round 2 is the last", "over after 2 rounds", "shoe 2 "],
    "cut_card_early": [
        "cut_card_early: Cut card too early (by: sensor · cards left: ",
        "! closed  cut_card_early: continue by Ines",
        "round 3 ",
    ],
    "cut_card_missing": ["cut_card_mid_round: the virtual cut card came in round 4", "not seen where it should be"],
    "shoe_empty": ["VOID by shoe: the shoe is empty"],
    "reader_lost": ["cable is unplugged for 2 s", "! closed  reader_lost: back"],
    "reader_back": ["! closed  reader_back: confirm by dealer"],
    "reader_gap": ["! closed  reader_gap: confirm by dealer"],
    "wrong_slot": [
        "accident  a card on the wrong side",
        "wrong_slot: a card went to B2, but P2 is due",
        "! closed  wrong_slot: accept by Ines",
        "round 3 ",
    ],
    "result_mismatch": ["result_mismatch: the reader reports banker, but B3 is due", "VOID by Ines: result_mismatch"],
    "lid_opened": ["the lid is open for 0.5 s", "! closed  lid_opened: continue by Ines"],
    "restarted_mid_round": ["the daemon restarts during a round", "! closed  restarted_mid_round: drawn"],
}
LOST = {broker: f"--fault broker_lost --speed 20 --broker {broker}" for broker in ("mosquitto", "amqtt")}
OWED = "--rounds 3 --fault overdrawn --policy macau"
WHOLE = [words for words, table in TABLES.items() if table[1:] in (("on-demand", "native"), ("six-card", "native"))]
"""Demos that run as processes of their own too."""


def test_a_port_that_is_somebody_elses(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = demo(tmp_path, "--port", str(port), code=1)
    assert said == f"shoe: port {port} is not available (Address already in use); choose another one with --port\n"


def test_a_broker_that_does_not_start_is_a_reason(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    (broken / "amqtt").mkdir(parents=True)
    (broken / "amqtt" / "__init__.py").write_text("raise ImportError('worn out')")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    said = demo(temporary, "--broker", "amqtt", code=1, env=environment(temporary, PYTHONPATH=str(broken)))
    assert "shoe: amqtt does not start: ImportError: worn out; try the other broker with --broker" in said


def test_rounds_that_do_not_arrive_are_a_failure(mocker: MockerFixture, capsys: pytest.CaptureFixture[str]) -> None:
    mocker.patch("firmware_bridge.cli.demo.STALLED_S", 3.0)
    mocker.patch("firmware_bridge.demo.faults.BROKER_AWAY_S", 1000.0)
    assert main(["demo", "--rounds", "5", "--speed", "100", "--seed", "3", "--fault", "broker_lost"]) == 1
    said = capsys.readouterr().err
    assert re.match(r"shoe: [0-2] of 5 rounds delivered, then: no message for 3 s; the lamps' last reasons: ", said)
    assert "run it again with --seed 3" in said


@pytest.mark.parametrize(("how", "broker"), [(signal.SIGINT, "mosquitto"), (signal.SIGTERM, "amqtt")])
def test_it_can_be_stopped_and_leaves_nothing(tmp_path: Path, how: signal.Signals, broker: str) -> None:
    with python(*SHOE, "--broker", broker, env=environment(tmp_path), stdout=-1, stderr=-1, text=True) as running:
        assert "10 rounds" in running.stdout.readline()
        while "shoe 1" not in (line := running.stdout.readline()):
            assert line, running.stderr.read()
        brokers = children(running.pid)
        running.send_signal(how)
        assert ended(running) == 130
        assert "0 rounds delivered" in running.stdout.read()
        assert running.stderr.read() == ""
    assert list(tmp_path.iterdir()) == []
    assert brokers
    assert not any(Path(f"/proc/{each}").exists() for each in brokers)


def children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for path in tasks for each in path.read_text().split()]


def test_enough_is_enough_for_a_pipe(tmp_path: Path) -> None:
    with python(*SHOE, "--speed", "50", env=environment(tmp_path), stdout=-1, stderr=-1) as running:
        running.stdout.readline()
        running.stdout.close()
        assert ended(running) == 0
        assert running.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", WHOLE)
def test_a_demo_delivers_its_rounds_and_leaves_nothing(tmp_path: Path, words: str) -> None:
    delivered(demo(tmp_path, *words.split()), words)


# ---------------------------------------------------------------- demos side by side


@pytest.mark.parametrize("words", TABLES)
def test_rounds_are_delivered(played: Played, words: str) -> None:
    delivered(played(words), words)


def delivered(text: str, words: str) -> None:
    """Check all that a demo of two rounds prints."""
    broker, procedure, reader = TABLES[words]
    protocol = {"mosquitto": "5", "amqtt": "3.1.1"}[broker]
    # amqtt beside many others, and a dealer who presses again as nothing answers yet
    slow = ("! open    broker_lost", "! closed  broker_lost", "refused   NEXT: there is no round to end")
    said = [line for line in text.splitlines() if not line.startswith(("revealed", *slow))]
    assert 8 <= len(said) <= 9, text
    first, topics, shoe, burn, one, two, rounds, times, *proofs = said
    assert first.startswith(
        f"demo      2 rounds, {procedure}, reader {reader}, broker {broker} (MQTT {protocol}), 416 cards, speed 200"
    )
    assert re.fullmatch(r"topics    shoe/DEMO/# at 127\.0\.0\.1:\d+", topics)
    assert shoe == "shoe 1    open: 416 cards, confirmed by Ines"
    assert burn == "burn      5♥ exposed, then 5 cards unseen"
    carried = procedure == "six-card"
    assert all(re.fullmatch(r"(\d+) of \1 sealed cards match .*", line) for line in proofs), proofs
    assert len(proofs) == carried
    assert one == "round 1   PLAYER 9:7  P 9♦ Q♦     B 9♠ 8♦     natural" + ", 2 carried" * carried
    assert two == "round 2   PLAYER 7:0  P Q♣ 7♦     B 7♠ 3♦ T♥" + "  1 carried" * carried
    assert re.fullmatch(r"2 rounds delivered \(player 2, banker 0, tie 0\), \d\d cards, \d+ MQTT messages", rounds)
    assert re.fullmatch(r"card to subscriber \d+\.\d ms \(median\), \d+\.\d s in all", times)


@pytest.mark.parametrize("words", [SEALED])
def test_at_a_sealed_table_guests_bet_and_open_the_cards(played: Played, words: str) -> None:
    said = played(words)
    for text in (
        "416 cards, disclose sealed, betting required, policy macau, speed 200",
        "betting   round 1: open",
        "betting   round 1: closed, the cards may come",
        "revealed  P1 9♦, committed to in entry 9",
        "round 2   PLAYER 7:0  P Q♣ 7♦     B 7♠ 3♦ T♥",
        "9 of 9 sealed cards match what was committed before",
    ):
        assert text in said, text


@pytest.mark.parametrize("words", [OWED])
def test_the_floor_decides_as_the_policy_of_the_house_allows(played: Played, words: str) -> None:
    assert "! closed  overdrawn: keep by Ines" in played(words)


@pytest.mark.parametrize("words", [f"--rounds 3 --fault {fault}" for fault in FAULTY], ids=FAULTY)
def test_play_goes_on_after(played: Played, words: str) -> None:
    said = played(words)
    for text in FAULTY[words.split()[-1]]:
        assert text in said


@pytest.mark.parametrize("words", LOST.values(), ids=LOST)
def test_no_round_is_lost_when_the_broker_is(played: Played, words: str) -> None:
    said = played(words)
    assert "! closed  broker_lost: back" in said
    numbers = [int(number) for number in re.findall(r"^round (\d+)", said, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1)), said
    assert len(numbers) >= 10
