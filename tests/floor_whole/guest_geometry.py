"""Looks in Chromium for what is outside the window, over another box, or cut, on guests' screens of all scenes."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from firmware_bridge.floor.page import views
from firmware_bridge.floor.page.guest.house import House
from firmware_bridge.floor.page.guest.html import PLAIN_LOOK, Look, document, screen
from firmware_bridge.floor.page.guest.view import WAITING
from firmware_bridge.topics.texts import LANGUAGES, Language
from tests.floor_whole.guest_scenes import SCENES

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab
    from playwright.sync_api import Route

SIZES: Final = ((1280, 720), (1920, 1080), (1920, 1200), (3840, 2160), (720, 1280), (1080, 1920))
SITE: Final = "http://floor.example/"
STATIC: Final = Path(views.__file__).parent / "static"

LOGO: Final = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="100"/>'
LOOKS: Final[dict[Language, Look]] = {
    "en": Look(House((("ground", "#0d1a12"),), LOGO.encode(), "image/svg+xml", "1")),
    "zh-Hant": PLAIN_LOOK,
    "zh-Hans": PLAIN_LOOK._replace(first_seat="right"),
}
"""With a logo wider than there is room for, without one, and with seat 1 on the right."""

FINDINGS: Final = """screens => screens.map(html => {
  const root = document.getElementById("screen");
  root.innerHTML = html;
  const found = [], boxes = [], near = 1.5;
  const name = node => node.localName + [...node.classList].map(each => "." + each).join("");
  for (const node of root.querySelectorAll("*:not(svg *)")) {
    const style = getComputedStyle(node), box = node.getBoundingClientRect();
    if (!box.width || !box.height || style.visibility === "hidden") continue;
    const clip = node.parentElement.closest(".clips")?.getBoundingClientRect();
    if (clip && (box.top >= clip.bottom - near || box.left >= clip.right - near)) continue;
    if (style.overflowX === "hidden") node.classList.add("clips");
    if (box.left < -near || box.top < -near || box.right > innerWidth + near || box.bottom > innerHeight + near)
      found.push("outside: " + name(node));
    const own = [...node.childNodes].filter(each => each.nodeType === 3 && each.data.trim());
    const filled = style.backgroundColor !== "rgba(0, 0, 0, 0)" || ["svg", "img"].includes(node.localName);
    if (own.length || filled) boxes.push([node, box]);
    if (own.length && style.overflowX === "hidden" && node.scrollWidth > node.clientWidth)
      found.push("cut: " + name(node) + " " + node.textContent.trim());
    for (const text of own) {
      const range = document.createRange();
      range.selectNodeContents(text);
      const size = parseFloat(style.fontSize);
      for (const line of range.getClientRects())
        for (let each = node; each !== root; each = each.parentElement) {
          const room = each.getBoundingClientRect(), middle = (line.top + line.bottom) / 2;
          if (line.left < room.left - near || line.right > room.right + near
              || middle - size / 2 < room.top - near || middle + size / 2 > room.bottom + near) {
            found.push("cut: " + name(node) + " " + text.data.trim() + " by " + name(each));
            break;
          }
        }
    }
  }
  for (let first = 0; first < boxes.length; first += 1)
    for (let second = first + 1; second < boxes.length; second += 1) {
      const [one, a] = boxes[first], [other, b] = boxes[second];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > near && down > near && !one.contains(other))
        found.push("over: " + name(one) + " and " + name(other));
    }
  return found;
})"""
"""Puts one screen after the other into the document, and names what is wrong with each."""

AT_A_TIME: Final = 24
"""Screens in one call: the browser draws none of them in between."""


def opened(tab: Tab) -> None:
    """Show the document of a screen, without a server."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        if path.startswith("static/"):
            route.fulfill(path=STATIC / path.removeprefix("static/"))
        elif path.startswith("screen/"):
            route.fulfill(body=LOGO, content_type="image/svg+xml")
        else:
            route.fulfill(body=document("T07", WAITING, "en"), content_type="text/html; charset=utf-8")

    tab.route("**/*", answer)
    tab.add_init_script("window.EventSource = class extends EventTarget { close() {} }")
    tab.goto(SITE)
    tab.evaluate("document.fonts.ready")


def wrong(
    tab: Tab, scenes: Iterable[str], languages: Iterable[Language], sizes: Iterable[tuple[int, int]] = SIZES
) -> Iterator[tuple[str, list[str]]]:
    """What is wrong with each screen, scene by scene in each size."""
    drawn = [
        (f"{name} / {lang}", screen("T07", SCENES[name], lang, LOOKS[lang])) for name in scenes for lang in languages
    ]
    for width, height in sizes:
        tab.set_viewport_size({"width": width, "height": height})
        tab.wait_for_function(f"innerWidth === {width} && innerHeight === {height}")
        tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        for first in range(0, len(drawn), AT_A_TIME):
            some = drawn[first : first + AT_A_TIME]
            found = tab.evaluate(FINDINGS, [html for _, html in some])
            for (name, _), each in zip(some, found, strict=True):
                yield f"{name} / {width}x{height}", each


def main(words: list[str]) -> int:
    """Look at all scenes, or at those whose names hold one of these words; 1 where something is wrong."""
    from playwright.sync_api import sync_playwright

    names = [name for name in SCENES if not words or any(word in name for word in words)]
    began, count, bad = time.monotonic(), 0, 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page()
        opened(tab)
        for name, found in wrong(tab, names, LANGUAGES):
            count += 1
            bad += bool(found)
            if found:
                print(f"{name}: {len(found)}: {'; '.join(sorted(set(found))[:4])}")
        browser.close()
    print(f"{count} geometries, {bad} of them wrong, in {time.monotonic() - began:.1f} s")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
