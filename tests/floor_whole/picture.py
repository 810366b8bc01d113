"""The picture of the page for the README: `python -m tests.floor_whole.picture docs/page.png`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from tests.floor.tables import Message, alive, baccarat, messages
from tests.floor_whole.pages import CHROMIUM, Page, now_ms, publish
from tests.kit.broker import Broker
from tests.tools.messages.scenes import GAMES, Scene

SIZE: Final[Any] = {"width": 1360, "height": 800}

BUST: Final = "bets=1:100,3:12.5 8h As 6c 8d Kd 9s 1:DD 2c Tc"
STANDS: Final = "bets=1:100 9h 9s Tc 8d 1:S"
BULLS: Final = GAMES[2].steps[1]
GRABS: Final = GAMES[2].steps[0]
BANK: Final = "1:grab=9 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=2 4:bet=3"
POT: Final = (GAMES[4].steps[0], GAMES[4].steps[1])


def scenes() -> dict[str, Scene]:
    """The tables of the picture: what was played at each."""
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


def floor() -> list[Message]:
    """What all tables of the picture have said."""
    told: list[Message] = []
    for name, scene in scenes().items():
        told += messages(name, scene, now_ms())
        told += alive(name, now_ms(), state="lost" if name == "B05" else "online")
    return told


def main(path: Path, query: str = "lang=en", scheme: Any = "dark") -> None:
    """Draw the grid into a file."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        broker = Broker(Path(folder)).start()
        page = Page(Path(folder), broker.port)
        try:
            publish(broker, floor())
            page.start()
            publish(broker, [each for each in floor() if not each.retained])
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            tab = browser.new_page(viewport=SIZE, color_scheme=scheme)
            tab.goto(f"{page.url}/?{query}")
            tab.wait_for_selector("body.live")
            tab.wait_for_function(f"document.querySelectorAll('#grid > li').length === {len(scenes())}")
            tab.wait_for_selector("#t-Z01 .results")
            tab.screenshot(path=path, full_page=True)
            browser.close()
        finally:
            page.stop()
            broker.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
