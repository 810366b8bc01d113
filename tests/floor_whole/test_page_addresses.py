"""Who gets what at each address of the page."""

from __future__ import annotations

from collections.abc import Callable
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.routing import Mount, Route

from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.page.app import app
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.orders import page_orders
from firmware_bridge.floor.page_config import PageSection
from firmware_bridge.floor.store.open import Asked
from tests.floor_whole import pages as whole
from tests.floor_whole import test_sign_in as signing_in
from tests.floor_whole.pages import Page
from tests.floor_whole.signed_in import ask, sign_in
from tests.kit import broker as real
from tests.kit.broker import Broker

broker, brokers, pages, page = real.broker, real.brokers, whole.pages, signing_in.page  # fixtures


PIT = (
    "/",
    "/?lang=en",
    "/?pit=Pit+3&wall=on&show=blocked&find=T",
    "/icon/blocked/3.svg",
    "/icon/blocked/333.svg",
    "/icon/evil/3.svg",
    "/table/T07",
    "/table/none",
    "/table/T07/history",
    "/table/T07/history?round=1-1&before=9",
    "/table/none/history",
    "/table/T07/shoe/1",
    "/table/T07/shoe/999",
    "/help/alarm/unreadable",
    "/help/alarm/none",
    "/help/irregularities",
    "/help/none",
    "/dealer/T07",
    "/nowhere",
    "/static",
    "/sign-out",
    "/table/T07/order",
    "/table/T07/order?do=void&journal=1-x&round=1",
    "/table/T07/take",
    "/hand-over",
    "/screens",
    "/screens/reload",
    "/api/tables",
    "/api/tables/T07",
    "/api/tables/T07/rounds",
    "/api/tables/none/rounds",
    "/api/openapi.json",
    "/api/nowhere",
)
STREAMS = ("/stream", "/table/T07/stream", "/dealer/T07/stream", "/screens/stream", "/table/T07/history/part")
"""What an open page asks by itself."""

FILES = ("page.css", "table.css", "page.js", "values.js", "screen.js")
OPEN = ("/sign-in", *(f"/static/{each}" for each in FILES), "/favicon.ico")
NO_SCREENS = (
    "/screen/T07",
    "/screen/T07/",
    "/screen/",
    "/screen/T07/AAAAAAAAAAAAAAAAAAAAAA",
    "/screen/T07/stream",
    "/screen/T07/A/beat",
    "/screen/-/logo",
    "/screen/-/colours.css",
)
KNOWN = {
    "/table/none": 404, "/nowhere": 404, "/static": 307, "/sign-out": 405, "/table/T07/order": 303, "/favicon.ico": 307,
    "/table/T07/shoe/999": 404, "/help/alarm/none": 404, "/help/none": 404,
    "/screens/reload": 303,
    "/api/tables/none/rounds": 404, "/api/nowhere": 404, "/icon/blocked/333.svg": 404, "/icon/evil/3.svg": 404,
}  # fmt: skip
FORMS = {
    "/sign-in": (400, 400), "/sign-out": (303, 303), "/table/T07/order": (403, 400), "/table/T07/take": (403, 409),
    "/hand-over": (403, 409), "/screens/reload": (403, 409),
}  # fmt: skip
"""Address of a form -> what an empty one gets, of a person who may look and of one who may act."""

ASKS = {
    "/table/T07/order?do=void&journal=1-x&round=1": (403, 409), "/table/T07/take": (403, 400), "/hand-over": (403, 200),
}  # fmt: skip
"""Address that draws such a form -> what it is for a person who may look and for one who may act."""


def test_each_route_of_the_page_is_in_the_matrix(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(bytes(range(32)))
    feed, page = Feed("shoe", cast("Any", None), str), PageSection(order_key_file=str(tmp_path / "key"))
    made = app(feed, page, orders=page_orders(page, feed, "shoe"), asked=Asked(FloorConfig()))
    paths = [
        path.partition("?")[0]
        for path in (*PIT, *STREAMS, *OPEN, "/screen/T07/A", "/screen/T07/A/stream", "/screen/T07/A/beat")
    ]
    for route in made.routes:
        assert isinstance(route, Route | Mount)
        assert any(route.path_regex.fullmatch(path) for path in paths), route.path
        is_on_loop = isinstance(route, Mount) or iscoroutinefunction(route.endpoint)
        assert is_on_loop or route.path.startswith("/help/"), f"a thread draws {route.path}"


def test_the_matrix_of_every_address_by_whoever_asks(page: Page) -> None:
    """Nobody, look, act, a foreign host, a foreign origin, by GET and POST."""
    look, act = sign_in(page, "BO").cookie, sign_in(page, "ANNA").cookie
    wrong = []
    screen = page.screen()
    for path in (*PIT, *STREAMS, *OPEN, screen, f"{screen}/stream", *NO_SCREENS):
        asked = path.partition("?")[0]
        needs = (
            401
            if path in STREAMS or (path.startswith("/api/") and path != "/api/nowhere")
            else 404
            if asked in ("/nowhere", "/api/nowhere", "/static", *NO_SCREENS) or asked.startswith("/icon/")
            else 303
            if path in PIT
            else 200
        )
        needs = KNOWN[asked] if asked == "/favicon.ico" else needs
        known = 404 if path in NO_SCREENS else KNOWN.get(asked, 200)
        cells = {
            "nobody": (ask(page, path), needs),
            "another's cookie": (ask(page, path, cookie="shoe=" + "A" * 43), needs),
            "look": (ask(page, path, cookie=look), ASKS.get(path, (known,))[0]),
            "act": (ask(page, path, cookie=act), ASKS.get(path, (known,))[-1]),
            "foreign host": (ask(page, path, cookie=act, host="evil.example"), 421),
            "foreign origin": (ask(page, path, "POST", "", cookie=act, origin="https://evil.example"), 405),
            "post": (ask(page, path, "POST", "", cookie=act, origin=page.url), 405),
            "put": (ask(page, path, "PUT", "", cookie=act, origin=page.url), 405),
        }
        if asked in FORMS:
            cells["foreign origin"] = (cells["foreign origin"][0], 403)
            cells["post"] = (cells["post"][0], FORMS[asked][1])
            cells["look posts"] = (ask(page, path, "POST", "", cookie=look, origin=page.url), FORMS[asked][0])
            cells["nobody posts"] = (
                ask(page, path, "POST", "", origin=page.url), 400 if asked == "/sign-in" else 401
            )  # fmt: skip
            look, act = sign_in(page, "BO").cookie, sign_in(page, "ANNA").cookie
        wrong += [(path, who, got.status, want) for who, (got, want) in cells.items() if got.status != want]
        assert all("T07" not in cells[who][0].body for who in ("nobody", "foreign host") if path in (*PIT, *STREAMS))
    assert wrong == []


def test_with_sign_in_off_nothing_comes_through_a_proxy(broker: Broker, pages: Callable[..., Page]) -> None:
    page = pages(broker, sign_in="off")
    assert ask(page, "/").status == 200
    for path in (*PIT, *STREAMS, *OPEN, "/screen/T07/stream"):
        for header in ("forwarded", "x_forwarded_for", "x_forwarded_proto", "x_real_ip"):
            assert ask(page, path, **{header: "10.0.0.1"}).status == 421
        assert ask(page, path, host="10.1.2.3").status == 421
    assert ask(page, "/table/T07/order", "POST", "", origin=page.url).status == 405
    assert ask(page, "/sign-in").status == 404
