"""A device lent by the running daemon: when, to whom, and that no test card is ever a card of a shoe."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.facts.cards import Card
from hardware.pins.pin import Pin, pin_factory
from hardware.readers.messages import Beat, Read, ReportNo
from hardware.sim.pins import MockPins
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.technician import Technician, back, irregular, noted, order, seen, settled


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., BridgeTable]]:
    made: list[BridgeTable] = []

    def make(factory: Any = None, **sections: Any) -> BridgeTable:
        made.append(BridgeTable(tmp_path, free_port(), **sections))
        return made[-1].start(factory)

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize("cards", [0, 5, 70, 250])
def test_test_cards_are_on_record_and_in_no_shoe(table: Callable[..., BridgeTable], cards: int) -> None:
    bridge = settled(table(table={"new_shoe": "command"}))
    anna = Technician(bridge)
    assert anna.answer["ok"]
    assert irregular(bridge) == ["reader_lost"]
    assert "{'to': 'anna'}" in noted(bridge)
    anna.read(cards)
    assert anna.ask(do="give_back") == {"ok": True, "do": "give_back"}
    bridge.until(lambda: back(bridge))
    assert (seen(bridge), irregular(bridge)) == (0, [])
    assert noted(bridge).count("test cards passed") == -(-cards // 64)
    assert order(bridge, "open_shoe")
    bridge.deal("9s Td")
    assert (seen(bridge), irregular(bridge)) == (2, [])


def test_a_borrower_that_is_killed_gives_the_reader_back(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table())
    anna = Technician(bridge)
    anna.read(3)
    anna.read(2, acknowledge=False)  # pulled, and nobody took them
    anna.hang_up()
    bridge.until(lambda: back(bridge) and not bridge.board.waiting)
    assert (seen(bridge), bridge.bridge.table.shoe.number, irregular(bridge)) == (0, 0, ["reader_back"])
    assert "3 test cards passed" in noted(bridge)
    assert "2 test cards passed" in noted(bridge)
    bridge.board.pull(5)  # he may pull on: nothing is a card of a shoe until the dealer says so
    bridge.until(lambda: bridge.bridge.table.shoe.held)
    assert seen(bridge) == 0
    assert order(bridge, "void", why="test cards")
    bridge.deal("9s")
    assert [move.card for move in bridge.bridge.table.shoe.laid] == [Card("9s")]


def test_a_reader_is_ours_when_it_reported_nothing_from_beat_to_beat(
    table: Callable[..., BridgeTable], mocker: MockerFixture
) -> None:
    bridge = settled(table())
    bridge.deal("9s Td Ts Tc")
    anna = Technician(bridge, open_shoe=True)
    beat, cards = Beat(1, 1, 1, 1, 1), [Read(n, ReportNo(1, 3 + n)) for n in range(1, 7)]
    messages = [beat, *cards[:2], beat, *cards[2:5], beat, cards[5], beat]
    mocker.patch.object(
        bridge.bridge.reader.decoder, "feed", side_effect=lambda _: [messages.pop(0) for _ in messages[:]]
    )
    anna.hang_up()
    bridge.until(lambda: not messages)
    assert irregular(bridge) == ["reader_lost"]
    messages += [beat]
    bridge.until(lambda: irregular(bridge) == ["reader_back"])
    assert (seen(bridge), bridge.bridge.table.shoe.held) == (4, ())


@pytest.mark.parametrize(
    ("dealt", "house", "why"),
    [
        ("9s", {}, "round 1 is open"),
        ("9s Td Ts", {}, "round 1 is open"),
        ("9s Td Ts Tc 2s", {}, "round 2 is open"),
        ("5s", {"burn": "first-card"}, "the burn is not finished"),
        ("9s Td Ts Tc", {}, "shoe 1 is open"),
        ("9s Td Ts Tc", {"betting": "required"}, "1 cards are held|round 1 is open|held"),
        ("bets_closed", {"betting": "required", "new_shoe": "command"}, "bets are closed for round 1"),
    ],
)
def test_nothing_is_lent_while_a_card_is_on_its_way(
    table: Callable[..., BridgeTable], dealt: str, house: dict[str, Any], why: str
) -> None:
    bridge = settled(table(table=house))
    if dealt == "bets_closed":
        assert order(bridge, "open_shoe")
        assert order(bridge, dealt)
    else:
        bridge.deal(dealt)
    answer = Technician(bridge, open_shoe=dealt == "bets_closed").answer
    assert not answer["ok"]
    assert re.search(why, answer["error"])
    assert answer["hint"]
    assert bridge.bridge.reader.port.is_open


def test_between_the_rounds_of_a_shoe_the_dealer_confirms_afterwards(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table())
    bridge.deal("9s Td Ts Tc")
    anna = Technician(bridge, open_shoe=True)
    anna.read(4)
    anna.ask(do="give_back")
    bridge.until(lambda: "reader_back" in irregular(bridge))
    assert irregular(bridge) == ["reader_back"]
    assert seen(bridge) == 4
    assert order(bridge, "next")
    assert irregular(bridge) == []


def test_one_technician_at_a_time(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table())
    anna = Technician(bridge)
    status = bridge.bridge.control.status()
    assert (status["lent"]["device"], status["lent"]["to"], status["returning"]) == ("reader", "anna", None)
    (alarm,) = [each for each in status["alarm"]["open"] if each["id"] == "reader_lost"]
    assert alarm["values"] == {"to": "anna"}
    answer = Technician(bridge, device="pins").answer
    assert answer["error"] == "the reader is lent to anna"
    anna.hang_up()
    bridge.until(lambda: back(bridge))
    status = bridge.bridge.control.status()
    assert (status["lent"], status["returning"]) == (None, None)


def test_what_a_technician_keeps_for_ever_is_taken_back(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table())
    assert not order(bridge, "take_back")  # no device is lent
    Technician(bridge)
    assert order(bridge, "take_back")
    assert bridge.bridge.control.status()["lent"] is None
    bridge.until(lambda: back(bridge))
    assert irregular(bridge) == ["reader_back"]


def test_cards_are_numbered_on_from_the_test_cards_also_while_the_disk_is_broken(
    table: Callable[..., BridgeTable], mocker: MockerFixture
) -> None:
    bridge = settled(table())
    anna = Technician(bridge)
    anna.read(3)
    mocker.patch.object(bridge.bridge.journal, "append", side_effect=DiskError("full", "free some", "disk_full"))
    resumed = mocker.spy(bridge.bridge.reader.decoder, "resume")
    anna.ask(do="give_back")
    bridge.until(lambda: bridge.bridge.reader.port.is_open)
    assert resumed.call_args.args == (ReportNo(1, 2),)


@pytest.mark.parametrize("device", ["broker", None, 7, ["reader"]])
def test_only_what_can_be_lent_is_lent(table: Callable[..., BridgeTable], device: Any) -> None:
    answer = Technician(table(), device=device).answer
    assert "cannot be lent" in answer["error"]


def test_nonsense_from_a_borrower_ends_the_loan(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table())
    anna = Technician(bridge)
    anna.say(do="passed", session="x", seq=None)
    bridge.until(lambda: back(bridge))


def test_a_daemon_that_ends_meanwhile_has_the_test_cards_on_record(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table())
    anna = Technician(bridge)
    anna.read(5)
    bridge.stop()
    assert "5 test cards passed" in noted(bridge)
    bridge.board.pull(5)  # he pulls on, and notices nothing
    bridge.start()
    bridge.until(lambda: back(bridge) and not bridge.board.waiting)
    assert (seen(bridge), irregular(bridge)) == (0, ["reader_back"])
    assert order(bridge, "next")
    bridge.deal("9s")
    assert (seen(bridge), irregular(bridge)) == (1, [])


def test_lent_pins_can_be_claimed_by_the_technician_and_come_back(table: Callable[..., BridgeTable]) -> None:
    pins = pin_factory("mock")
    hand, lamp, key = MockPins(pins), Pin(17), Pin(22)
    bridge = settled(table(pins, pins={"next": 22, "cut_card": 27}, lamps={"fault": 17, "ready": 20}))
    anna = Technician(bridge, device="pins")
    assert anna.answer["ok"]
    assert not bridge.bridge.reader.port.is_open
    assert not hand.lit(lamp)
    bridge.board.pull(3)  # drawn past a sensor that is being calibrated
    anna.ask(do="give_back")
    bridge.until(lambda: back(bridge) and not bridge.board.waiting)
    assert (seen(bridge), irregular(bridge)) == (0, ["reader_back"])
    assert "1 test cards passed" in noted(bridge)
    bridge.loop.run_until_complete(hand.press(key))
    bridge.until(lambda: irregular(bridge) == [])
    bridge.deal("9s")
    assert (seen(bridge), irregular(bridge)) == (1, [])
