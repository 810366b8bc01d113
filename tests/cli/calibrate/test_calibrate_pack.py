"""The pack that `shoe calibrate` counts: every face is there, and a pack that is not whole, or mixed, is refused."""

from collections.abc import Callable

import pytest

from firmware_bridge.daemon.devices.code_books import native_code
from firmware_bridge.facts.cards import FACES
from tests.cli.calibrate import wired
from tests.cli.calibrate.visit import Visit, record
from tests.cli.calibrate.wired import pull
from tests.kit.daemon_table import BridgeTable

table = wired.table  # fixture


def test_a_whole_pack_has_every_face_once(table: Callable[..., BridgeTable]) -> None:
    bridge = table().start()
    visit = Visit(bridge, "pack", "--yes", "--json")
    visit.said("pull 52 cards")
    pull(bridge, [native_code(card, lot=7) for card in reversed(FACES)])
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
    ],
)
def test_a_pack_that_is_not_whole_is_refused(
    table: Callable[..., BridgeTable], change: Callable[[list[int]], list[int]], why: str
) -> None:
    bridge = table()
    visit = Visit(bridge, "pack", "--yes", "--patience", 1.5)
    visit.said("pull 52 cards")
    pull(bridge, change([native_code(card, lot=7) for card in FACES]))
    assert visit.end() == 1
    assert why in visit.story()
    assert record(bridge).pack is None


def test_several_cards_not_read_in_a_row_say_that_the_reader_is_not_calibrated(
    table: Callable[..., BridgeTable],
) -> None:
    bridge = table()
    visit = Visit(bridge, "pack", "--yes", "--patience", 1.5)
    visit.said("pull 52 cards")

    def unread(times: int) -> None:
        for _ in range(times):
            bridge.board.fault("unreadable")
            bridge.pty.tick()

    unread(2)
    pull(bridge, [native_code(FACES[0])])
    unread(3)
    assert visit.end() == 1
    told = [line.strip() for line in visit.out.lines if "not read: " in line]
    hint = "; stop with Ctrl-C and calibrate the reader first: sudo shoe calibrate reader --by NAME"
    assert told == ["not read: pull that card again"] * 4 + [f"not read: pull that card again{hint}"]


def test_cards_that_are_no_whole_packs(table: Callable[..., BridgeTable]) -> None:
    visit = Visit(table(), "pack", "--cards", 53)
    assert visit.end() == 1
    assert "53 cards are not whole packs" in visit.story()
