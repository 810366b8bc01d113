"""The picture of the guest screen for its doc: `python -m tests.floor_whole.picture_screen docs/screen.png`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.floor.tables import Message, alive, baccarat, messages
from tests.floor_whole.pages import CHROMIUM, Page, now_ms, publish
from tests.kit.broker import Broker
from tests.tools.messages.scenes import Scene

LIMITS = {"table": {"low": 100, "high": 20000}, "tie": {"low": 50, "high": 5000}}


def table() -> list[Message]:
    """A table of baccarat in the middle of a shoe, between two rounds."""
    scene = baccarat(42, 7)
    open_for_bets = Scene(scene.game, scene.settings | {"limits": LIMITS}, scene.steps)
    return [*messages("B07", open_for_bets, now_ms()), *alive("B07", now_ms())]


def main(path: Path, query: str = "lang=en", size: str = "1280x720") -> None:
    """Draw the screen into a file."""
    width, height = map(int, size.split("x"))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        broker = Broker(Path(folder)).start()
        page = Page(Path(folder), broker.port)
        try:
            page.start()
            publish(broker, table())
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            tab = browser.new_page(viewport={"width": width, "height": height})
            tab.goto(f"{page.url}/screen/B07?{query}")
            tab.wait_for_selector("body.live")
            publish(broker, table())
            tab.wait_for_selector("main.open .last .outcome")
            tab.screenshot(path=path)
            browser.close()
        finally:
            page.stop()
            broker.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
