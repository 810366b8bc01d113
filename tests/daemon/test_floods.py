"""No source can stall a table or fill its disk: no reader, keypad, key or control socket; nor can a hung disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.daemon.table.budget import A_SECOND, AT_ONCE
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.refusals import phrase
from tests.daemon.flooded import (
    BETS,
    LONG_S,
    MARKS,
    Feeling,
    Flooded,
    Line,
    back_and_forth,
    back_and_forth_by_mqtt,
    cards_without_end,
    marks_without_end,
    orders_without_waiting,
    running,
)
from tests.kit import broker as real

pytestmark = pytest.mark.story

brokers = real.brokers  # fixture

SILENT_S: Final = 3.0
"""The longest silence of the loop, less the time that it waited for a core; a sixth of it on a quiet machine."""

ON_DISK_S: Final = 1.5
CARDS: Final = "2s 3s 4s 5s 6s 7s 8s 9s"
BLACKJACK: Final = {"table": {"game": "blackjack", "new_shoe": "auto", "burn": "none"}}
NIUNIU: Final[dict[str, Any]] = {"table": {"game": "niuniu"}}
PAD: Final = '[[keypad]]\nport = "{folder}/pad"\nseats = [1, 2, 3]\n'
LINE: Final[dict[str, Any]] = {"protocol": "line", "hold": 0, "most_a_second": 10}

Made = Callable[..., Flooded]


@pytest.fixture
def made(tmp_path: Path, brokers: Any) -> Iterator[Made]:
    with ExitStack() as stack:

        def make(more: str = "", key: int | None = None, long: str = "none:", **sections: Any) -> Flooded:
            table = Flooded(tmp_path, brokers().port, **sections)
            stack.callback(table.close)
            table.config_path.write_text(table.config_path.read_text() + more.format(folder=tmp_path))
            return table.begin(key, long)

        yield make


def line(table: Flooded, name: str) -> Line:
    if name == "reader":
        table.pty.unplug()
    made = Line(table.folder / name)
    table.pause(1.5)
    return made


def said(table: Flooded, kind: type[Any]) -> list[Any]:
    return [event for each in table.lines() if each.entry for event in each.entry.events if isinstance(event, kind)]


def alarms(table: Flooded) -> list[str]:
    return [each["id"] for each in table.state()["alarm"]["open"]]


def test_a_pad_that_talks_without_end_stalls_nothing_and_fills_nothing(made: Made) -> None:
    table = made(PAD, **BLACKJACK)
    pad = line(table, "pad")
    table.ask(do="open_shoe", by="anna")
    table.ask(do="bets_closed", bets={"1": "10", "2": "10"}, by="anna")
    feeling = Feeling(table)
    with running(marks_without_end(pad, (1, 2, 3))):
        feeling.deal(CARDS)
    felt = feeling.end()
    assert felt["silence_s"] < SILENT_S
    assert max(felt["status_s"], felt["card_s"]) < ON_DISK_S
    assert felt["bytes"] < 10_000
    table.stop()
    counted = [each for each in said(table, e.CommandAnswered) if each.answer.values.get("source") == "marks"]
    assert len(counted) == 1


def test_a_key_that_is_hammered_fills_nothing(made: Made) -> None:
    table = made(key=5, pins={"factory": "mock", "next": 5})
    feeling = Feeling(table)
    feeling.deal(CARDS)
    felt = feeling.end()
    assert felt["silence_s"] < SILENT_S
    refused = [each.entry for each in table.lines() if each.entry and isinstance(each.entry.events[0], e.KeyRefused)]
    assert 0 < len(refused) <= 5
    assert felt["bytes"] < 15_000


def test_orders_without_waiting_for_answers_stall_nothing_and_fill_nothing(made: Made) -> None:
    table = made()
    feeling = Feeling(table)
    with table.control() as control, running(orders_without_waiting(control)):
        feeling.deal(CARDS)
    felt = feeling.end()
    assert felt["silence_s"] < SILENT_S
    assert max(felt["status_s"], felt["card_s"]) < ON_DISK_S
    assert felt["bytes"] < 10_000


Step = Callable[[], None]


@contextmanager
def by_mqtt(table: Flooded) -> Iterator[Step]:
    client, step = back_and_forth_by_mqtt(table.port)
    yield step
    client.loop_stop()
    client._reset_sockets()  # which a collector may find before their client


@contextmanager
def at_the_socket(table: Flooded, orders: Iterable[dict[str, Any]]) -> Iterator[Step]:
    with table.control() as control:
        yield back_and_forth(control, orders)


OBEYED: Final[dict[str, tuple[dict[str, Any], Callable[[Flooded], AbstractContextManager[Step]]]]] = {
    "bets by MQTT": (BLACKJACK, by_mqtt),
    "bets at the socket": (BLACKJACK, partial(at_the_socket, orders=BETS)),
    "marks at the socket": (NIUNIU, partial(at_the_socket, orders=MARKS)),
}


@pytest.mark.parametrize("flood", OBEYED)
def test_orders_that_are_obeyed_and_lead_nowhere_fill_nothing(made: Made, flood: str) -> None:
    sections, step = OBEYED[flood]
    table = made(**sections)
    assert table.ask(do="open_shoe", by="anna")["ok"]
    feeling = Feeling(table)
    with step(table) as doing, running(doing):
        table.pause(6.0)
        feeling.deal("2s 3s 4s 5s")  # too early, or not: each is on disk at once
        felt = feeling.end()
    assert felt["bytes"] <= AT_ONCE + felt["seconds"] * A_SECOND + 15_000, felt
    assert felt["card_s"] < ON_DISK_S
    assert felt["status_s"] <= SILENT_S
    assert felt["silence_s"] <= SILENT_S


def test_a_reader_that_sends_without_end_is_closed_until_the_pit_has_looked(made: Made) -> None:
    table = made(reader=LINE)
    reader, feeling = line(table, "reader"), Feeling(table)
    with running(cards_without_end(reader)):
        table.until(lambda: "reader_fault" in alarms(table))
        table.until(lambda: not table.state()["reader"]["open"])
        answer = table.ask(do="resolve", irregularity="reader_fault", choice="keep", by="anna")
        assert (answer["ok"], answer["hint"]) == (False, "choose one of: accept, end-shoe")
    felt, status = feeling.end(), table.state()
    assert max(felt["silence_s"], felt["status_s"] / 2) < SILENT_S
    assert not status["reader"]["open"]
    (fault,) = [each for each in said(table, e.Irregular) if each.id == "reader_fault"]
    assert fault.values == {"why": phrase("too_many_reports", most=10, seconds=10)}
    cards = sum(isinstance(each.entry.input, inputs.CardRead) for each in table.lines() if each.entry)
    assert 100 < cards < 200  # what was read with the last one is kept too
    table.kill()
    table.begin_again()
    assert not table.state()["reader"]["open"]
    assert table.ask(do="resolve", irregularity="reader_fault", choice="accept", by="anna")["ok"]
    table.until(lambda: table.state()["reader"]["open"])
    assert "reader_fault" not in alarms(table)


def test_a_board_that_was_closed_gives_its_reports_when_the_pit_has_looked(made: Made) -> None:
    table = made(reader={"most_a_second": 1})
    faces = "2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks 2d 4d 6d 3d 5d 7d 9d 8d Td Jd"
    table.pull(faces)
    table.until(lambda: "reader_fault" in alarms(table))
    table.until(lambda: not table.state()["reader"]["open"])
    assert table.board.waiting
    assert table.ask(do="resolve", irregularity="reader_fault", choice="accept", by="anna")["ok"]
    table.until(lambda: not table.board.waiting)
    drawn = [each.entry.input.card.value for each in table.lines() if each.entry and hasattr(each.entry.input, "card")]
    assert drawn == faces.split()


def test_twenty_cards_more_than_the_packs_hold_are_too_many(made: Made) -> None:
    table = made(game={}, table={"game": "niuniu", "new_shoe": "command"}, reader={"most_a_second": 1_000})
    table.ask(do="open_shoe", by="anna")
    table.deal(" ".join(["2s"] * 72))
    assert "reader_fault" not in alarms(table)
    table.pull("2s")
    table.until(lambda: "reader_fault" in alarms(table))
    table.until(lambda: not table.state()["reader"]["open"])
    assert sum(isinstance(each.entry.input, inputs.CardRead) for each in table.lines() if each.entry) == 73
    assert table.ask(do="resolve", irregularity="reader_fault", choice="accept", by="anna")["ok"]
    table.until(lambda: table.state()["reader"]["open"])
    table.deal(" ".join(["2s"] * 20))
    assert "reader_fault" not in alarms(table)
    table.pull("2s")
    table.until(lambda: "reader_fault" in alarms(table))


@pytest.mark.parametrize(
    "call",
    ["fdatasync:/cursor", "pwrite:/cursor", "fsync:/spare", "pwrite:/spare", "rename:/spare", "fsync:/journal"],
)
def test_a_disk_that_hangs_over_a_file_leaves_the_loop_alive(made: Made, call: str) -> None:
    table = made(long=call)
    table.deal("Ts Tc 9s 8d")
    table.flag.touch()
    table.ask(do="close_shoe", by="anna")
    feeling = Feeling(table)
    feeling.deal(CARDS, 0.2)
    table.until(lambda: not table.flag.exists())
    felt = feeling.end()
    assert max(felt["silence_s"], felt["status_s"]) < LONG_S / 2
    drawn = [each.entry.input.card.value for each in table.lines() if each.entry and hasattr(each.entry.input, "card")]
    assert drawn == f"Ts Tc 9s 8d {CARDS}".split()
