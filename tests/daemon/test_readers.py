"""Every protocol that is not our own, all the way: a simulated reader on a pty, the bridge, a real broker."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.daemon.devices.code_books import CUT_CARD, CodeBook, Known, save
from firmware_bridge.facts.cards import FACES, cards
from firmware_bridge.shoe.state import held_cards
from firmware_bridge.topics.texts.alarms import what
from hardware.pins.pin import PinFactory
from hardware.ports import QUIET
from hardware.sim.angel_eye import AngelEyeShoe, wrong_rules
from hardware.sim.boards import BOARDS
from hardware.sim.code_boards import CodeBoard
from hardware.sim.pty import PtyBoard
from tests.daemon.rule_book import by_the_book, shoe, timeless
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable

broker, brokers, backend = real.broker, real.brokers, listening.backend  # fixtures

PRINTED: CodeBook = {f"S{n:02}": Known(card) for n, card in enumerate(FACES)} | {"S99": CUT_CARD}
TAGS: CodeBook = {f"{n:010X}": Known(card, None, f"nr-{n}") for n, card in enumerate(FACES * 2)} | {"FF" * 5: CUT_CARD}
BOOKS: dict[str, CodeBook] = {"grow": PRINTED, "ssi": PRINTED, "rdm6300": TAGS}

HOLD_S = 0.5


class ReaderTable(BridgeTable):
    """A table with another reader; each card's code is the next one of its face in the code book."""

    def __init__(self, folder: Path, port: int, board: CodeBoard, protocol: str, **table: Any) -> None:
        self.reader, self._book, self._drawn = board, BOOKS.get(protocol, {}), Counter[str]()
        # A tag is said as long as it is near; elsewhere the same face may come twice at once.
        keys: dict[str, Any] = {"protocol": protocol, "hold": HOLD_S if protocol == "rdm6300" else 0}
        if self._book:
            save(folder / "codes.csv", self._book)
            keys["code_book"] = str(folder / "codes.csv")
        super().__init__(folder, port, reader=keys, table=table)

    def start(self, pins: PinFactory | None = None) -> "ReaderTable":
        """Start the bridge, and draw no card before it may believe a first line."""
        super().start(pins)
        self.pause(2 * QUIET)
        return self

    async def _plugged(self) -> PtyBoard:
        return PtyBoard(self.reader, self.folder / "reader")

    def story(self) -> str:
        return f"open: {self.open_now}"

    @property
    def open_now(self) -> list[str]:
        return [each.id for each in self.bridge.table.shoe.device.irregular]

    @property
    def noted(self) -> int:
        """How often the reader said that it starts."""
        return sum(line.data.count(b'"says":"the shoe starts"') for line in self.lines())

    @property
    def drawn(self) -> int:
        """Cards that left the shoe, as the bridge knows it."""
        now = self.bridge.table.shoe
        return len(now.seen) + len(held_cards(now))

    def deal(self, text: str) -> None:
        """Draw cards (`cut`: the cut card), each journaled before the next."""
        for word in text.split():
            for face in [word] if word == "cut" else [card.value for card in cards(word)]:
                self.draw(face)

    def draw(self, face: str, again: bool = False) -> None:  # type: ignore[override]  # by its face, not its code
        """Draw a card; `again`: the very same one as last time this face came."""
        before = len(self.lines())
        if isinstance(self.reader, AngelEyeShoe) and face == "cut":
            self.reader.cut_card()
        else:
            self.reader.pull(self._code(face, again))
        self.pty.tick()
        self.until(lambda: len(self.lines()) > before)

    def _code(self, face: str, again: bool) -> str:
        if not self._book:
            return face
        codes = [code for code, known in self._book.items() if (known.card.value if known.card else "cut") == face]
        self._drawn[face] += not again
        return codes[(self._drawn[face] - 1) % len(codes)]

    def order(self, **fields: str) -> None:
        """Give an order at the table; it is obeyed."""
        answer = self.bridge.order_service.give(fields, ("next", "resolve", "void"), "floor")
        assert answer.ok, answer


@pytest.fixture
def table(tmp_path: Path, broker: Broker, backend: Backend) -> Iterator[Callable[..., ReaderTable]]:
    made: list[ReaderTable] = []

    def make(protocol: str, board: CodeBoard | None = None, **house: Any) -> ReaderTable:
        reader: Any = board or BOARDS[protocol]()
        made.append(ReaderTable(tmp_path, broker.port, reader, protocol, **house))
        made[-1].start()
        backend.meanwhile = lambda: made[-1].pause(0.005)
        return made[-1]

    yield make
    for each in made:
        each.close()


def events(backend: Backend) -> list[dict[str, Any]]:
    return [payload["event"] for payload in backend.on("event")]


def alarms(backend: Backend) -> list[str]:
    return [what("en", each["id"], each.get("values", {})) for each in events(backend) if each["type"] == "Irregular"]


@pytest.mark.parametrize("protocol", ["angel-eye", "grow", "ssi", "rdm6300", "line"])
def test_half_a_shoe_gives_the_rounds_of_the_rule_book(table: Any, backend: Backend, protocol: str) -> None:
    text = shoe(7, behind_cut=26)
    expected, drawn = by_the_book(text, decks=2, burn="first-card")
    at_table = table(protocol, decks=2, burn="first-card")
    at_table.deal(" ".join(text.split()[:drawn]))
    backend.wait_until(lambda: any(each["type"] == "ShoeEnded" for each in events(backend)))
    assert timeless(backend.on("round")) == timeless(expected)
    assert [each["last"] for each in expected] == [False] * (len(expected) - 1) + [True]
    assert len(expected) >= 4
    assert [each.split(" (")[0] for each in alarms(backend)] in ([], ["Cut card during this round"])


# ---------------------------------------------------------------- a reader that judges


def test_a_shoe_with_wrong_rules_is_caught_before_its_round_is_published(table: Any, backend: Backend) -> None:
    """Banker 3 against a third card of 4 draws; this shoe's banker stands and wins."""
    at_table = table("angel-eye", AngelEyeShoe(burns=False, rules=wrong_rules))
    at_table.deal("Kd 2s Ts Ad 4c")
    at_table.until(lambda: at_table.open_now == ["result_mismatch"])
    said = "Result differs from the cards (due: banker card 3 · reported: player)"
    backend.wait_until(lambda: alarms(backend) == [said])
    assert backend.on("round") == []
    at_table.order(do="resolve", irregularity="result_mismatch", choice="void")
    at_table.deal("9s Kd Th Kc")
    backend.wait_until(lambda: len(backend.on("round")) == 2)
    assert [(each["round"], each["status"]) for each in backend.on("round")] == [(1, "voided"), (2, "closed")]


class Tongueless(AngelEyeShoe):
    """Its results are lost on the way."""

    def _end(self, outcome: int) -> None:
        self._hands = ([], [])


def test_a_round_waits_for_the_shoes_result_or_for_next(table: Any, backend: Backend) -> None:
    at_table = table("angel-eye", Tongueless(burns=False))
    at_table.deal("9s Kd Th Kc")
    backend.wait_until(lambda: backend.on("table")[-1:] and backend.on("table")[-1]["phase"] == "complete")
    assert backend.on("round") == []
    at_table.order(do="next")
    backend.wait_until(lambda: backend.on("round"))
    at_table.deal("9s Kd")
    assert at_table.open_now == []


def test_a_card_that_the_shoe_puts_elsewhere_waits_for_the_floor(table: Any, backend: Backend) -> None:
    swapped = ((0, 1), (0, 2), (1, 1), (1, 2))
    at_table = table("angel-eye", AngelEyeShoe(burns=False, opening=swapped))
    at_table.deal("9s Kd")
    backend.wait_until(lambda: alarms(backend) == ["Card in the wrong slot (slot: player card 2 · due: banker card 1)"])
    at_table.order(do="resolve", irregularity="wrong_slot", choice="accept")
    assert [laid.card.value for laid in at_table.bridge.table.shoe.laid] == ["9s", "Kd"]


def test_what_the_shoe_says_is_on_record(table: Any, backend: Backend) -> None:
    table("angel-eye", AngelEyeShoe(burns=False)).deal("9s")
    backend.wait_until(lambda: any(each["type"] == "CardDealt" for each in events(backend)))
    assert {"type": "Noted", "code": "reader_said", "values": {"says": "the shoe starts"}} in events(backend)


def test_a_shoe_that_starts_inside_a_shoe_is_confirmed_and_between_shoes_noted(table: Any, backend: Backend) -> None:
    reader = AngelEyeShoe(burns=False)
    at_table = table("angel-eye", reader)
    at_table.until(lambda: at_table.noted == 1)
    assert at_table.open_now == []
    at_table.deal("9s Kd")
    reader.new_shoe()
    at_table.until(lambda: at_table.open_now == ["reader_gap"])
    backend.wait_until(lambda: alarms(backend) == ["Cards may be missing (the shoe starts)"])
    at_table.draw("Th")  # to P1, as the shoe sees it
    assert [laid.card.value for laid in at_table.bridge.table.shoe.laid] == ["9s", "Kd"]
    at_table.order(do="next")
    wrong = "Card in the wrong slot (slot: player card 1 · due: player card 2)"
    backend.wait_until(lambda: alarms(backend)[1:] == [wrong])


# ---------------------------------------------------------------- code books


def test_a_code_in_no_book_is_a_foreign_card(table: Any, backend: Backend) -> None:
    at_table = table("grow")
    at_table.deal("9s")
    at_table.reader.pull("S77")
    at_table.until(lambda: at_table.open_now == ["foreign"])
    at_table.order(do="resolve", irregularity="foreign", choice="remove")
    at_table.deal("Kd Th Kc")
    backend.wait_until(lambda: backend.on("round"))


def test_the_same_tag_again_is_a_duplicate_and_its_serial_stays_here(table: Any, backend: Backend) -> None:
    """Two packs: another nine of spades may come, this one may not."""
    at_table = table("rdm6300", decks=2)
    at_table.deal("9s 9s Kd")
    assert at_table.open_now == []
    at_table.pause(2 * HOLD_S)
    at_table.draw("9s", again=True)
    backend.wait_until(lambda: alarms(backend) == ["Duplicate card (card: 9s · exactly this card was drawn before)"])
    at_table.order(do="resolve", irregularity="duplicate", choice="remove")
    at_table.deal("9c")
    backend.wait_until(lambda: backend.on("round"))
    serials = [f'"nr-{n}"' for n in range(104)]
    published = json.dumps([each.payload for each in backend.received])
    assert not [serial for serial in serials if serial in published]
    assert any(b'"nr-8"' in line.data for line in at_table.lines())
