"""Every byte that a guest screen is sent by a real server, of a real daemon at a real broker."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.floor_whole import pages as whole
from tests.floor_whole.elsewhere import Elsewhere
from tests.floor_whole.pages import Page
from tests.floor_whole.screens import got, stream, with_screen
from tests.kit import backend as heard
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.patience import HANG_S

broker, brokers, backend = real.broker, real.brokers, heard.backend  # fixtures
pages = whole.pages  # fixture
Pages = Callable[..., Page]

ANNABEL = "ANNABEL"
PEOPLE = (ANNABEL, "BORIS")
WHY = "SPILLEDTEA"


@pytest.fixture
def table(tmp_path: Path, broker: Broker) -> Iterator[Elsewhere]:
    """A table of one pack at which bets are closed by an order."""
    limits = {"tie": {"high": 5000}, "tiger_pair": {"high": 77}}
    given = {"table": {"decks": 1, "betting": "required"}, "limits": limits}
    made = Elsewhere(tmp_path, broker.port, **given)
    yield made
    made.close()


def test_every_byte_that_is_sent_is_for_guests(
    broker: Broker, backend: Backend, pages: Pages, table: Elsewhere
) -> None:
    page = pages(broker)
    table.order("open_shoe", ANNABEL)
    with stream(page, f"{page.screen()}/stream?lang=en") as guest:
        guest.screen("Place your bets")
        table.order("bets_closed", ANNABEL)
        table.deal("9s Kd Th")
        guest.screen("No more bets")
        assert not any("9<i>" in each for each in guest.quiet())
        table.deal("Kc")
        assert "9<i>♠" in guest.screen("Player wins")
        table.order("bets_closed", ANNABEL)
        table.deal("8h 8h")
        guest.screen("Please wait")
        table.order("resolve", ANNABEL, irregularity="duplicate", choice="remove", why=WHY)
        guest.screen("No more bets")
        table.order("void", ANNABEL, why=WHY)
        guest.screen("Round void")
        backend.wait_until(lambda: any(each.payload.get("status") == "voided" for each in backend.received))
        sent = (
            guest.headers + guest.raw.decode() + got(page, page.screen()) + got(page, f"{page.screen()}?lang=zh-Hans")
        )
    said = [each.payload for each in backend.received]
    hidden = {each["head"] for each in said if "head" in each} | {each["boot"] for each in said if "boot" in each}
    hidden |= {each["journal"] for each in said if "journal" in each} | {"tiger", WHY, *PEOPLE}
    hidden |= {"duplicate", "cards_left", "commit", "version", "firmware"}
    assert len(hidden) > 15
    assert [word for word in hidden if word in sent] == []
    assert "8<i>" not in sent.replace(json.dumps("♥")[1:-1], "♥")
    assert "5000" in sent


def test_cards_are_live_where_the_house_wants_it_and_never_before_bets_are_closed(
    broker: Broker, pages: Pages, table: Elsewhere
) -> None:
    page = with_screen(pages(broker), 'cards = "live"\nlanguage = "zh-Hant"')
    table.order("open_shoe", ANNABEL)
    with stream(page, f"{page.screen()}/stream") as guest:
        guest.screen("請下注")
        table.deal("9s")
        assert not any("♠" in each for each in guest.quiet())
        table.order("bets_closed", ANNABEL)
        guest.screen("9<i>♠")


def test_a_screen_has_no_way_to_anything_else(broker: Broker, pages: Pages) -> None:
    page = pages(broker)
    screen = page.screen()
    for path in (screen, f"{screen}/stream?lang=xx", "/screen/T07", "/screen/%3Cb%3E"):
        link = HTTPConnection("127.0.0.1", page.port, timeout=HANG_S)
        link.request("POST", path)
        assert link.getresponse().status == 405
        link.close()
    assert "<b>" not in got(page, page.screen("<b>"))
    assert got(page, screen).count('href="/static/') == 3
    assert got(page, screen).count("href") == 3


def test_too_many_screens_leave_the_pit_its_streams(broker: Broker, pages: Pages) -> None:
    page = with_screen(pages(broker), "streams = 1")
    with stream(page, f"{page.screen()}/stream") as first:
        first.event()
        assert got(page, f"{page.screen('T08')}/stream").startswith("503")
        with stream(page, "/stream") as pit:
            pit.event()
