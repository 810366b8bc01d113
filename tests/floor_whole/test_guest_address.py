"""The address of a guest's screen: who has it sees the screen, and to all others there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.floor.page.addresses import Addresses
from tests.floor.tables import alive, baccarat, messages
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, now_ms, publish, until
from tests.floor_whole.screens import got, stream
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import Patience

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures
GUESSED = "A" * 22


@pytest.fixture
def page(broker: Broker, pages: Callable[..., Page]) -> Page:
    made = pages(broker)
    publish(broker, [*messages("T07", baccarat(3), now_ms()), *alive("T07", now_ms())])
    until(lambda: "tile-T07" in got(made, "/"))
    return made


def secrets_of(page: Page) -> Path:
    return page.config.with_name("screens.json")


def test_every_wrong_address_gets_the_same_answer(page: Page) -> None:
    screen = page.screen()
    assert got(page, screen).startswith("200 ")
    wrong = [f"/screen/T07/{GUESSED}", f"/screen/T99/{GUESSED}", screen.replace("T07", "T99"), f"{screen}/"]
    wrong += [f"{screen}/stream/", f"/screen/T07/{GUESSED}/stream", "/screen/T07", "/screen/T07/", "/screen/T07/stream"]
    wrong += [f"{screen}x", screen[:-1], f"{screen}/x", "/screen/", f"/screen//{GUESSED}", f"/screen/T07/%ff{GUESSED}"]
    answers = {got(page, each) for each in wrong}
    assert len(answers) == 1, answers
    (answer,) = answers
    assert answer.startswith("404 ")
    assert "T07" not in answer


def test_an_address_of_a_table_that_is_not_there_yet_waits(page: Page) -> None:
    assert "Please wait" in got(page, f"{page.screen('T55')}?lang=en")


def test_what_has_a_secret_in_its_address_is_kept_and_named_nowhere(page: Page) -> None:
    screen = page.screen()
    for path in (screen, f"{screen}/stream", f"/screen/T07/{GUESSED}", "/screen/T07"):
        answer = got(page, path, "HEAD").lower()
        assert "referrer-policy: no-referrer" in answer
        assert "cache-control: no-store" in answer
    secret = screen.rpartition("/")[2]
    assert secret not in got(page, screen)
    for path in (f"{screen}/", f"{screen}?x=%", f"{screen}/stream?lang=xx"):
        got(page, path, "HEAD")
    got(page, screen, host="evil.example")
    got(page, screen, "POST")
    link = page.link()
    link.putrequest("GET", screen, skip_host=True)
    link.putheader("upgrade", "websocket")
    link.putheader("connection", "upgrade")
    link.endheaders()
    link.getresponse().read()
    link.close()
    assert page.stop() == 0
    assert secret not in page.log


def test_open_streams_end_with_a_new_secret(page: Page) -> None:
    before = page.screen()
    with stream(page, f"{before}/stream") as guest, stream(page, f"{page.screen('T08')}/stream") as other:
        guest.event()
        patience = Patience()
        Addresses(secrets_of(page)).rotate("T07")
        while guest.is_open():
            assert not patience.is_over
        assert got(page, before).startswith("404 ")
        assert got(page, f"{before}/stream").startswith("404 ")
        assert got(page, page.screen()).startswith("200 ")
        other.event()
        other.event()


def test_secrets_that_cannot_be_read_are_no_404_and_touch_nobody_else(page: Page) -> None:
    screen, kept = page.screen(), secrets_of(page).read_text()
    with stream(page, f"{screen}/stream") as guest:
        guest.event()
        secrets_of(page).write_text("{")
        for _ in range(3):
            assert got(page, screen).startswith("503 ")
            assert got(page, f"/screen/T07/{GUESSED}").startswith("503 ")
        assert "tile-T07" in got(page, "/")
        guest.event()
        guest.event()  # who was in stays
        assert page.log.count("screens.json") == 1
        secrets_of(page).write_text(kept)
        assert got(page, screen).startswith("200 ")
