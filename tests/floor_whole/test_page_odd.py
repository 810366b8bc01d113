"""A page before a real broker, and one table or one peer that does what nobody should: the others are shown."""

from __future__ import annotations

import socket
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, suppress

import msgspec

from tests.floor.tables import Message, alive, baccarat, messages
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, now_ms, publish, until
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import HANG_S

broker, brokers, pages = real.broker, real.brokers, whole.pages  # fixtures


def page_text(page: Page, path: str) -> str:
    answer = urllib.request.urlopen(f"{page.url}{path}", timeout=HANG_S)
    assert answer.status == 200
    text: str = answer.read().decode()
    return text


def test_one_table_takes_no_page_away(broker: Broker, pages: Callable[..., Page]) -> None:
    now = now_ms()
    said = {name: [*messages(name, baccarat(5), now), *alive(name, now)] for name in ("T01", "T66")}
    last = {each.topic: each for each in said["T66"]}
    roads, over = last["shoe/T66/roads"], last["shoe/T66/round"]
    body = msgspec.json.decode(roads.payload)
    body["big_grid"][0][2] = "gold"
    newer = msgspec.json.encode(msgspec.json.decode(over.payload) | {"round": 90, "shown": ["XX"]})
    page = pages(broker)
    publish(broker, [*said["T01"], *said["T66"]])
    until(lambda: "tile-T66" in page_text(page, "/") and "<svg" in page_text(page, "/table/T66"), lambda: page.log)
    publish(broker, [roads._replace(payload=msgspec.json.encode(body))])
    publish(broker, [over._replace(payload=newer.replace(b"XX", b"\xff"))])
    until(lambda: "cannot be read: round" in page_text(page, "/"), lambda: page.log)
    assert "tile-T01" in page_text(page, "/")
    assert "cannot be shown" in page_text(page, "/table/T66")
    assert "cannot be shown" not in page_text(page, "/table/T01")
    for name in ("T01", "T66"):
        assert 'data-game="baccarat"' in page_text(page, page.screen(name))
    publish(broker, [Message("shoe/T66/roads", msgspec.json.encode(body | {"naturals": ""}), True), *said["T01"][-1:]])
    until(lambda: "playing" in page_text(page, "/table/T01"), lambda: page.log)
    assert 'data-game="baccarat"' in page_text(page, page.screen("T66"))
    assert page.log.count("the part roads cannot be drawn") == 1
    assert page.stop() == 0


def test_connections_that_ask_nothing_take_nobodys_place(broker: Broker, pages: Callable[..., Page]) -> None:
    page = pages(broker)
    with ExitStack() as stack:
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", page.port), HANG_S)) for _ in range(520)]
        stack.enter_context(urllib.request.urlopen(f"{page.url}/stream", timeout=HANG_S))
        assert "<title>" in page_text(page, "/")
        with suppress(ConnectionResetError):
            assert idle[0].recv(1) == b""
    assert "<title>" in page_text(page, "/")
