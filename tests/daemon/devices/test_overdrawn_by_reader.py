"""An Angel Eye reports a card too many (E 2, e, R): on record as `overdrawn`, and its card opens the next round."""

from collections.abc import Sequence

import pytest

from firmware_bridge.daemon.devices.code_books import plain
from firmware_bridge.daemon.devices.reader_inputs import as_input
from firmware_bridge.facts import events
from hardware.readers import READERS, ReaderSettings
from hardware.readers.angel_eye_frames import Frame, card_bytes, encode
from tests.kit.table import Table

PLAYER_WINS = b"\x92"  # with a banker pair
TIE = b"\xa0"
PLACES = ((0, 1), (1, 1), (0, 2), (1, 2))


class Shoe:
    """A table beside an Angel Eye; `tells` puts its reports on the wire, three times each, with the next numbers."""

    def __init__(self, **settings: object) -> None:
        self.table = Table(**{"burn": "none", "close": "result", **settings}).play("shoe")
        self.decoder, self._number = READERS["angel-eye"].decoder(ReaderSettings()), 0

    def tells(self, *reports: tuple[str, bytes]) -> list[events.AnyEvent]:
        produced: list[events.AnyEvent] = []
        for command, payload in reports:
            frame = Frame(str(self._number % 10), command, payload)
            self._number += 1
            for message in self.decoder.feed(3 * encode(frame)):
                if fact := as_input(message, plain()):
                    produced += self.table.take(fact)
        return produced


def dealt(cards: str, places: Sequence[tuple[int, int]] = PLACES) -> list[tuple[str, bytes]]:
    return [("D", card_bytes(*place, card)) for place, card in zip(places, cards.split(), strict=True)]


def drawn(card: str) -> list[tuple[str, bytes]]:
    """A card too many that the pit lets open the next round."""
    return [("E", b"\x82"), ("e", b""), ("R", card_bytes(0, 1, card))]


@pytest.mark.parametrize("policy", ["keep-order", "us-burn", "studio"])
def test_a_card_too_many_is_noted_and_opens_the_next_round(policy: str) -> None:
    shoe = Shoe(policy=policy)
    shoe.tells(*dealt("9s Kd Th Kc"), ("G", PLAYER_WINS))
    produced = shoe.tells(*drawn("8s"))
    (opened,) = [each for each in produced if isinstance(each, events.Irregular)]
    (closed,) = [each for each in produced if isinstance(each, events.IrregularityClosed)]
    assert (opened.id, opened.values) == ("overdrawn", {"round": 1})
    assert (closed.id, closed.choice) == ("overdrawn", "noted")
    assert (shoe.table.open, shoe.table.summary) == ((), "1 closed player")  # it holds nothing

    shoe.tells(*dealt("Kh Tc 8d", PLACES[1:]), ("G", TIE))
    assert (shoe.table.open, shoe.table.phase) == ((), "ready")
    assert [card.value for card in shoe.table.shoe.seen] == ["9s", "Kd", "Th", "Kc", "8s", "Kh", "Tc", "8d"]


def test_a_card_too_many_with_no_shoe_open_is_words_alone() -> None:
    shoe = Shoe()
    shoe.table = Table(burn="none", close="result")
    produced = shoe.tells(*drawn("8s")[:2])
    assert not [each for each in produced if isinstance(each, events.Irregular)]
    assert shoe.table.open == ()
