"""The pages of the floor as a browser shows them at one moment: without a server, a broker or a clock."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from firmware_bridge.facts.wire_states import Record
from firmware_bridge.floor.page import dealer, views
from firmware_bridge.floor.page.document import RELEASE
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.guest import html
from firmware_bridge.floor.page.guest.view import view
from firmware_bridge.floor.page.records import Records
from firmware_bridge.floor.page.views import Views
from firmware_bridge.floor.record.state import Log
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store.cosigned import Cosignature
from firmware_bridge.floor.verified.standing import Standing, Watching
from firmware_bridge.record.verify import COSIGNATURE, ED25519, Key, key_of
from firmware_bridge.topics.texts import Language
from scripts.tools.messages.played import played
from scripts.tools.messages.scenes import GAMES, Scene
from tests.floor.tables import NOW, RETAINED, Message, alive, baccarat, messages, renamed, rfc3339, sent_by

if TYPE_CHECKING:
    from playwright.sync_api import Route

STATIC: Final = Path(views.__file__).parent / "static"
LOST: Final = NOW - 180_000
"""When the disconnected table was last heard."""

SITE: Final = "http://floor.example"
"""What the browser takes the pages for; nothing is asked of a network."""

BUST: Final = "bets=1:100,3:12.5 8h As 6c 8d Kd 9s 1:DD 2c Tc"
STANDS: Final = "bets=1:100 9h 9s Tc 8d 1:S"
ASKED: Final = "bets=1:100,3:50 8h As Tc 8d 9s 3h 1:S"
BULLS: Final = GAMES[2].steps[1]
GRABS: Final = GAMES[2].steps[0]
BANK: Final = "1:grab=9 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=2 4:bet=3"
POT: Final = (GAMES[4].steps[0], GAMES[4].steps[1])
OTHERS: Final = {
    "B": [f"B{number:02}" for number in range(6, 30)],
    "N": [f"N{number:02}" for number in range(2, 9)],
    "J": ["J02", "J03", "J04"],
}
"""Tables of the pit that play as another one of their game."""

STOPPED: Final = ("B11", "B12", "N08")
LIMITS: Final = {"table": {"low": 100, "high": 20000}, "tie": {"low": 50, "high": 5000}}


class Page(NamedTuple):
    """A page as the browser gets it. parts: what its stream brings; size: of the window."""

    document: str
    parts: Mapping[str, str]
    size: tuple[int, int]
    is_whole: bool = False


def grid(lang: Language = "en") -> Page:
    """Return the pit's page of all tables: one is blocked, one is gone, four have one alarm; most are witnessed."""
    told = [each for name, scene in _floor().items() for each in messages(name, scene)]
    told += [each for name in _floor() if name != "B05" for each in alive(name, record=_record(name))]
    for first, scene in {"B": _floor()["B03"], "N": _floor()["N01"], "J": _floor()["J01"]}.items():
        sent = sent_by(scene)
        for name in OTHERS[first]:
            state = "stopped" if name in STOPPED else "online"
            told += [*renamed(name, sent, NOW - 1000), *alive(name, state=state, record=_record(name))]
    drawn = Views(_recorded(_fed(told, alive("B05", LOST, state="lost"))))
    return Page(drawn.grid_document(lang), drawn.grid_parts(lang), (1360, 280), is_whole=True)


def guests(lang: Language = "en", size: tuple[int, int] = (1280, 720)) -> Page:
    """Return the guests' screen of a table of baccarat in the middle of a shoe, between two rounds."""
    scene = baccarat(42, 7)
    scene = Scene(scene.game, scene.settings | {"limits": LIMITS}, scene.steps)
    shown = view(_fed([*messages("B07", scene), *alive("B07")]).guests.tables["B07"])
    return Page(html.document("B07", shown, lang), {"screen": html.screen("B07", shown, lang)}, size)


def dealers(lang: Language = "en") -> Page:
    """Return the dealer's screen of a table of blackjack: seat 1 stands, seat 3 is asked."""
    moments = played(Scene("blackjack", {}, ("shoe", ASKED)))
    sent = [each for moment in moments for each in moment.sent if each.topic in (*RETAINED, "event")]
    feed = _fed([*renamed("J01", sent), *alive("J01")])
    document, screen = (dealer.of_table(feed, "J01", lang, each) for each in (dealer.document, dealer.drawn))
    return Page(document, {"screen": screen}, (1024, 600))


PAGES: Final = {"page.png": grid, "screen.png": guests, "dealer.png": dealers}
"""File in docs/ -> the page that it shows."""


def source(make: Any, **options: Any) -> bytes:
    """Return all that a browser draws a page from."""
    page: Page = make(**options)
    files = [STATIC / name for name in sorted(set(re.findall(r'"/static/([\w.-]+)"', page.document)))]
    said = [page.document.replace(RELEASE, ""), json.dumps([page.parts, page.size, page.is_whole], sort_keys=True)]
    return b"\0".join([*(each.encode() for each in said), *(file.read_bytes() for file in files)])


def picture(make: Any, **options: Any) -> bytes:
    """Return a page as PNG, drawn dark by Chromium."""
    from playwright.sync_api import sync_playwright

    page: Page = make(**options)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        width, height = page.size
        tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark")
        tab.route("**/*", lambda route: _answer(route, page.document))
        tab.add_init_script(_STREAM % (json.dumps(page.parts), NOW))
        tab.clock.set_fixed_time(NOW)
        tab.goto(SITE)
        tab.wait_for_selector("body.live")
        tab.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
        drawn: bytes = tab.screenshot(full_page=page.is_whole)
        browser.close()
    return drawn


_STREAM: Final = """
window.EventSource = class extends EventTarget {
  constructor() {
    super();
    const said = { data: JSON.stringify(%s), lastEventId: "%d" };
    setTimeout(() => this.dispatchEvent(new MessageEvent("parts", said)), 0);
  }
  close() {}
};
"""
"""A stream that brings the parts once and is never silent."""


def _answer(route: Route, document: str) -> None:
    path = route.request.url.removeprefix(SITE)
    if path.startswith("/static/"):
        route.fulfill(path=STATIC / path.removeprefix("/static/"))
    else:
        route.fulfill(body=document, content_type="text/html; charset=utf-8")


class _NoSource:
    """A source that is not read."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


def _fed(told: Sequence[Message], lost: Sequence[Message] = ()) -> Feed:
    """Return a feed that has heard `lost` at `LOST`, and `told` now."""
    now = LOST
    feed = Feed("shoe", _NoSource(), lambda: "", lambda: now)
    feed.handle([Delivery(each.topic, each.payload) for each in lost], "")
    now = NOW
    feed.handle([Delivery(each.topic, each.payload) for each in told], "")
    return feed


def _record(name: str) -> Record:
    """Return what a table says of its record."""
    return Record(f"casino.example/{name}/5c1e8a02", 6_000, _key(name).vkey, signed=True, witnessed=6_000)


def _key(name: str) -> Key:
    return key_of(f"casino.example/{name}/5c1e8a02", ED25519, bytes(32))


def _recorded(feed: Feed) -> Feed:
    """Return a feed whose tables have records: all but one witnessed, of which one is below the quorum."""
    witnesses = tuple(key_of(f"w{n}.example/1", COSIGNATURE, bytes([n]) * 32) for n in (1, 2, 3))
    standings: dict[str, Standing] = {}
    for number, (name, seen) in enumerate(feed.floor.tables.items()):
        log = Log(name, _key(name).name, 1, _key(name).vkey, "1-ab12", 1, 6_000, witnessed=5_990)
        lines = {each.vkey: Cosignature(log.origin, each.vkey, 5_990, 0, "") for each in witnesses[: 2 + number % 2]}
        at, last = rfc3339(NOW - 1000 * (8 + 5 * number)), next(iter(seen.last_rounds(1)), None)
        standings[name] = Standing(
            log, witnessed_at=at, round=(last.shoe, last.round) if last else None, cosigned=lines
        )
    standings["B04"] = standings["B04"]._replace(waits_since=rfc3339(NOW - 1_500_000))
    standings["E01"] = standings["E01"]._replace(seen=rfc3339(NOW - 7_200_000))
    feed.watching = Watching(witnesses, 1)
    feed.see(Records(standings=standings))
    return feed


def _floor() -> dict[str, Scene]:
    """Return the tables of the pit: what was played at each."""
    assert isinstance(BULLS, str)
    cards = BULLS.split()
    turned = " ".join(cards[at - at % 4 + (at + 1) % 4] for at in range(len(cards)))
    tiles = ("wp 2p 9p 1p wp 8p 8p 9p", "3p 4p 5p 6p 7p 1p 2p 3p", "4p 9p 5p 6p 6p 9p 7p 7p")
    money = "money=1:1000,2:1000,3:1000,4:1000"
    return {
        "B02": baccarat(40, 4, "9s ?? Kd"),
        "B03": baccarat(24, 8),
        "B04": baccarat(52, 12),
        "B05": baccarat(18, 33),
        "J01": Scene("blackjack", {}, ("shoe", BUST, STANDS, BUST, BUST, STANDS, "bets=1:100,3:50 8h As")),
        "N01": Scene("niuniu", {}, (GRABS, BULLS, GRABS, turned, GRABS, BULLS, GRABS, turned, GRABS, "Kh 2c")),
        "E01": Scene("erbagang", {}, (money, BANK, tiles[0], BANK, tiles[1], BANK, tiles[2], "1:grab=1")),
        "Z01": Scene("zhajinhua", {}, (*POT, *POT, *POT, POT[0], "1:look")),
    }
