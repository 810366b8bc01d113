"""The pack that `shoe calibrate` counts: every face is there, and a pack that is not whole, or mixed, is refused."""

from collections.abc import Callable

import pytest

from firmware_bridge.daemon.devices.code_books import native_code
from firmware_bridge.facts.cards import FACES, Card
from tests.cli.calibrate import wired
from tests.cli.calibrate.visit import Visit, record
from tests.cli.calibrate.wired import pull
from tests.kit.daemon_table import BridgeTable

table = wired.table  # fixture


def test_a_whole_pack_has_every_face_once(table: Callable[..., BridgeTable]) -> None:
    bridge = table().start()
    visit = Visit(bridge, "pack", "--yes", "--json", "--patience", 5)
    visit.said("pull 52 cards")
    pull(bridge, [native_code(card, lot=7) for card in reversed(FACES)])
    visit.said("pull once more: no card may be left in the shoe")
    assert visit.end() == 0, visit.story()
    assert visit.json[-1]["measured"] == {"tried": 52, "good": 52, "decode_rate": 1.0, "lot": 7}
    assert record(bridge).pack.measured.lot == 7
    assert bridge.bridge.table.shoe.number == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda pack: [pack[1], *pack[1:]], "missing: As; too many: 2s"),
        (lambda pack: [native_code(FACES[0], lot=9), *pack[1:]], "packs of batches 7, 9 are mixed"),
        (lambda pack: pack[:40], "40 cards, missing: "),
        (lambda pack: [*pack, native_code(FACES[0], lot=9)], "53 cards, too many: As"),
    ],
)
def test_a_pack_that_is_not_whole_is_refused(
    table: Callable[..., BridgeTable], change: Callable[[list[int]], list[int]], why: str
) -> None:
    bridge = table()
    visit = Visit(bridge, "pack", "--yes", "--patience", 5)
    visit.said("pull 52 cards")
    pull(bridge, change([native_code(card, lot=7) for card in FACES]))
    assert visit.end() == 1
    assert why in visit.story()
    assert record(bridge).pack is None


THREE, SEVEN = native_code(Card("3c"), lot=7), native_code(Card("7d"), lot=7)
CODES = [native_code(card, lot=7) for card in FACES]
NO_CARD = 62 | 7 << 6  # no face has this code

# how the packs are pulled -> what is said of them, what to do
SURPLUS: dict[str, tuple[list[int], str, str]] = {
    "last": ([*CODES, THREE], "53 cards, too many: 3c", "tear one 3c, then pull all of it again"),
    "first": ([THREE, *CODES], "53 cards, too many: 3c", "tear one 3c, then"),
    "late": ([*CODES[:-1], THREE, CODES[-1]], "53 cards, too many: 3c", "tear one 3c, then"),
    "another face": ([*CODES, SEVEN], "53 cards, too many: 7d", "tear one 7d, then"),
    "two of a face": ([*CODES, THREE, THREE], "54 cards, too many: 3c", "tear two 3c, then"),
    "two faces": ([SEVEN, *CODES, THREE], "54 cards, too many: 7d 3c", "tear one 7d, one 3c, then"),
    "a foreign card": ([NO_CARD, *CODES], "53 cards, not of these packs: 1", "take out the card that is unknown"),
    "a foreign card last": ([*CODES, NO_CARD], "53 cards, not of these packs: 1", "take out the card that is unknown"),
    "a foreign card in place of another": (
        [NO_CARD, *CODES[1:]],
        "52 cards, missing: As; not of these packs: 1",
        "complete the pack, then",
    ),
    "one is missing": (CODES[1:], "51 cards, missing: As", "complete the pack, then pull all of it again"),
    "one is missing and one too many": (
        [*CODES[1:], THREE],
        "52 cards, missing: As; too many: 3c",
        "tear one 3c, complete the pack, then",
    ),
}


@pytest.mark.parametrize("how", SURPLUS)
def test_a_surplus_card_is_named_wherever_it_lies(table: Callable[..., BridgeTable], how: str) -> None:
    codes, what, todo = SURPLUS[how]
    bridge = table()
    visit = Visit(bridge, "pack", "--yes", "--patience", 5)
    visit.said("pull 52 cards")
    pull(bridge, codes)
    assert visit.end() == 1
    shown = " ".join(visit.story().split())
    assert what in shown
    assert todo in shown
    assert ("missing" in shown, "tear" in shown) == ("missing" in what, "too many" in what)
    assert record(bridge).pack is None


# the codes before a card that is not read -> what is said of them
UNREAD: dict[str, tuple[list[int], str]] = {
    "a whole pack": (CODES, "52 cards, too many: a card that was not read"),
    "one missing and one too many": (
        [*CODES[1:], THREE],
        "52 cards, missing: As; too many: 3c; too many: a card that was not read",
    ),
    "one missing": (CODES[1:], "51 cards, missing: As complete the pack, then pull"),
}


@pytest.mark.parametrize("how", UNREAD)
def test_a_surplus_card_that_is_not_read_is_reported(table: Callable[..., BridgeTable], how: str) -> None:
    codes, what = UNREAD[how]
    bridge = table()
    visit = Visit(bridge, "pack", "--yes", "--patience", 5)
    visit.said("pull 52 cards")
    pull(bridge, codes)
    bridge.board.fault("unreadable")
    bridge.pty.tick()
    assert visit.end() == 1
    shown = " ".join(visit.story().split())
    assert what in shown
    assert ("take out the card that was not read" in shown) == ("not read" in what)
    assert record(bridge).pack is None


def test_a_surplus_card_of_eight_packs_is_named(table: Callable[..., BridgeTable]) -> None:
    bridge = table()
    visit = Visit(bridge, "pack", "--yes", "--patience", 5, "--cards", 416)
    visit.said("pull 416 cards")
    pull(bridge, [*CODES * 8, THREE])
    assert visit.end() == 1
    assert "417 cards, too many: 3c" in visit.story()
    assert "tear one 3c, then" in " ".join(visit.story().split())


def test_several_cards_not_read_in_a_row_say_that_the_reader_is_not_calibrated(
    table: Callable[..., BridgeTable],
) -> None:
    bridge = table()
    visit = Visit(bridge, "pack", "--yes", "--patience", 5)
    visit.said("pull 52 cards")

    def unread(times: int) -> None:
        for _ in range(times):
            bridge.board.fault("unreadable")
            bridge.pty.tick()

    unread(2)
    pull(bridge, [native_code(FACES[0])])
    unread(3)
    assert visit.end() == 1
    shown = [line.strip() for line in visit.out.lines if "not read: " in line]
    hint = "; stop with Ctrl-C and calibrate the reader first: sudo shoe calibrate reader --by NAME"
    assert shown == ["not read: pull that card again"] * 4 + [f"not read: pull that card again{hint}"]


def test_cards_that_are_no_whole_packs(table: Callable[..., BridgeTable]) -> None:
    visit = Visit(table(), "pack", "--cards", 53)
    assert visit.end() == 1
    assert "53 cards are not whole packs" in visit.story()
