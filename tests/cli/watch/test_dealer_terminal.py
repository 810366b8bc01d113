"""The dealer's screen on a terminal: it fits, says all that is due, and shows no sealed face."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from firmware_bridge.cli.watch.dealer import due
from firmware_bridge.topics.texts import LANGUAGES, Language, text
from firmware_bridge.topics.texts.acts import Line, Payment
from firmware_bridge.topics.texts.dealer import Screen
from tests.floor.guests import STAGES
from tests.topics.dealer_screens import moments

FACE = re.compile(r"(?<![A-Za-z0-9])([2-9TJQKA][♠♥♦♣shdc]|[1-9w]p)(?![A-Za-z0-9])")
SIGNS = str.maketrans("♠♥♦♣", "shdc")


@pytest.mark.parametrize("name", STAGES)
def test_a_face_is_shown_only_while_the_table_shows_it(name: str) -> None:
    for moment in moments(name):
        table, shown = moment.table, moment.screen()
        words = " ".join(part.plain for part in due(shown, "en")) + " ".join(shown.acts)
        hands = table.hands if table and isinstance(table.hands, dict) else {}
        open_now = {face for cards in hands.values() for face in cards if face}
        open_now |= {each.card for each in (table.slots if table else ()) if isinstance(each.card, str)}
        assert {found.translate(SIGNS) for found in FACE.findall(words)} <= open_now


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_that_is_due_is_said(lang: Language) -> None:
    shown = Screen("due", "T07", due=(Line("draw", "DRAW"),), pays=(Payment("pay", "SEAT", "12.5"),))
    words = "\n".join(part.plain for part in due(shown, lang))
    for each in ("▶ DRAW", "SEAT", "12.5", text(lang, "dealer.pay")):
        assert each in words


@pytest.mark.parametrize(("width", "height"), [(40, 12), (50, 15), (80, 24), (100, 30)])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_screen_fits_its_terminal(lang: Language, width: int, height: int) -> None:
    from firmware_bridge.cli.watch.dealer import WatchedByDealer

    watched = WatchedByDealer(lang)
    for name in ("blackjack", "zhajinhua", "baccarat, sealed"):
        for moment in moments(name)[::5]:
            watched._known = moment.known
            lines = watched.screen(width, height, "q: end")
            assert len(lines) == height
            assert max(cell_len(line.plain) for line in lines) <= width
            first = moment.screen(lang).due[:1]
            assert not first or re.sub(r"\s", "", first[0].text)[:6] in re.sub(
                r"\s", "", "".join(x.plain for x in lines)
            )
