"""The dealer's screen in a real Chromium: live, and in all phases, games, seats, languages and sizes without a cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from firmware_bridge.facts.wire_states import Act
from firmware_bridge.floor.page.dealer import drawn
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import LANGUAGES, Language, text
from firmware_bridge.topics.texts.acts import Sayer
from firmware_bridge.topics.texts.dealer import Pile, Refusal, Screen, Trouble
from firmware_bridge.topics.texts.done import Done, followed
from tests.floor.guests import STAGES
from tests.floor.tables import Message, alive
from tests.floor_whole import pages as whole
from tests.floor_whole.pages import Page, Tabs, now_ms, publish
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.topics.dealer_screens import moments

broker, brokers = real.broker, real.brokers  # fixtures
pages, chromium, tabs = whole.pages, whole.chromium, whole.tabs  # fixtures
Pages = Callable[..., Page]

SIZES: Final = ((800, 480), (1024, 600), (1280, 800), (800, 1280))
SEATS: Final = range(1, 8)

WRONG: Final = """() => {
  fit();
  const wide = innerWidth + 1, high = innerHeight + 1, wrong = [];
  const all = [...document.querySelectorAll("main p, main li, main h1, main h2, main .card")];
  const boxes = all.map((each) => [each, each.getBoundingClientRect()]).filter(([, box]) => box.width && box.height);
  for (const [each, box] of boxes) {
    if (box.right > wide || box.bottom > high || box.left < -1 || box.top < -1) wrong.push("cut: " + each.outerHTML);
    if (each.scrollWidth > each.clientWidth + 1 && each.clientWidth) wrong.push("wide: " + each.outerHTML);
    const least = innerHeight / 25;
    const size = parseFloat(getComputedStyle(each).fontSize);
    if (each.matches(".due") && size < least) wrong.push("small: " + each.outerHTML);
    for (const [other, its] of boxes) {
      if (each === other || each.contains(other) || other.contains(each)) continue;
      const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
      const along = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
      if (across > 1 && along > 1) wrong.push("over: " + each.outerHTML + " / " + other.outerHTML);
    }
  }
  for (const box of document.querySelectorAll("main, .work, aside")) {
    const fills = [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth];
    if (Math.max(...fills) > 1) wrong.push("full: " + box.className + " " + fills);
  }
  return [...new Set(wrong)].slice(0, 4);
}"""


def phases(game: str, lang: Language) -> Iterator[tuple[str, Screen]]:
    """A screen of each phase, act and alarm that the evenings of a game come to; the fullest of each kind."""
    fullest: dict[Any, Screen] = {}
    for name in STAGES:
        for moment in moments(name) if name.split(",")[0] == game else ():
            if moment.table is None:
                continue
            shown = moment.screen(lang)
            kinds = moment.table.phase, shown.state, tuple(line.verb for line in shown.due), shown.compare is not None
            if kinds not in fullest or len(str(shown)) > len(str(fullest[kinds])):
                fullest[kinds] = shown
    for kinds, shown in fullest.items():
        yield f"{game} {kinds}", shown


ROUND: Final[dict[str, Any]] = {"type": "MarkGiven", "round": 12, "word": "DD", "value": "1250.5"}


def full(game: str, seats: int, lang: Language) -> Iterator[tuple[str, Screen]]:
    """Screens of a table at which so many seats play, each with two hands in blackjack."""
    two = (1, 2) if game == "blackjack" else (1,)
    hands = [f"S{seat}.{hand}" for seat in range(1, seats + 1) for hand in two]
    sayer = Sayer(lang, [f"S{seat}" for seat in range(1, seats + 1)] if game == "blackjack" else ())
    done = Done()
    for seat in range(1, 9):
        done = followed(done, ROUND | {"seat": str(seat)})
    base = Screen("due", "BJ-07", GAMES[game].name, "Shoe 128 · Round 64", acts=done.in_words(sayer)[:8])
    asked: dict[str, Any] = {f"S{seat}": {"grab": [0, 1, 2, 3]} for seat in range(1, seats + 1)}
    yield (
        "asked",
        base._replace(
            due=tuple(sayer.lines([Act("ask", slot=slot, hand=slot) for slot in asked])), why=tuple(sayer.offers(asked))
        ),
    )
    acts = [Act("pay" if n % 2 else "take", slot=hand[:2], hand=hand, amount="1250.5") for n, hand in enumerate(hands)]
    acts += [Act("collect", slot=hand[:2], hand=hand) for hand in hands] + [Act("press", key="next")]
    paid = base._replace(due=tuple(sayer.lines(acts)), pays=tuple(sayer.payments(acts)))
    yield "paid", paid
    wrong = Refusal("This mark is not accepted: Seat 7", "It is the turn of another seat", "Nothing was recorded.")
    yield "paid, refused", paid._replace(refused=wrong)
    unknown = tuple(each._replace(amount="") for each in paid.pays)
    yield "paid, stakes not known", paid._replace(pays=unknown)
    beside = Pile(text(lang, "dealer.beside", count=12), ())
    piles = [*[Pile(sayer.place(hand), ("Th", None, "9s")) for hand in (*hands, "D")], beside]
    compare = tuple(sayer.lines([Act("compare", key="next")]))
    trouble = Trouble("Reader is back", "slot: seat 3", "Compare the cards, then press NEXT.", True)
    yield "compare", base._replace(state="blocked", due=compare, compare=tuple(piles), alarms=(trouble,))
    if game == "blackjack":
        split = [f"S{seats}.{hand}" for hand in range(1, 5)]
        acts = [Act("pay", slot=hand[:2], hand=hand, amount="250") for hand in split]
        acts += [Act("collect", slot=hand[:2], hand=hand) for hand in split]
        due = tuple(sayer.lines([*acts, Act("ask", slot="S1", hand="S1.4")]))
        yield "split", base._replace(due=due, pays=tuple(sayer.payments(acts)))
        piles = [*[Pile(sayer.place(hand), ("Th", "2s", "3d", "4c")) for hand in (*split, "D")], beside]
        yield "split, compare", base._replace(due=compare, compare=tuple(piles))
    yield "compare none", base._replace(due=compare, compare=())
    yield "alarms", base._replace(state="blocked", due=compare, alarms=(trouble,) * 3, more=2, refused=wrong)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_is_cut_and_nothing_overlaps(
    broker: Broker, pages: Pages, tabs: Tabs, game: str, lang: Language
) -> None:
    tab = tabs(f"{pages(broker).url}/dealer/T07?lang={lang}")
    tab.evaluate("() => { clearTimeout(watch); stream.close(); }")
    screens = [*phases(game, lang)]
    for seats in SEATS:
        screens += [(f"{game} {seats} {name}", shown) for name, shown in full(game, seats, lang)]
    assert len(screens) > 40
    wrong: dict[Any, list[str]] = {}
    for width, height in SIZES:
        tab.set_viewport_size({"width": width, "height": height})
        for name, shown in screens:
            tab.evaluate("html => { screen_.innerHTML = html }", drawn(shown, lang))
            if found := tab.evaluate(WRONG):
                wrong[name, width, height] = found
    assert wrong == {}


def replayed(name: str, upto: float) -> list[Message]:
    """What a table of the stages published, as it comes from a broker; its health is of now."""
    said = STAGES[name]().said
    topics = ("status", "table", "lamps", "alarm", "event")
    kept = [each for each in said[: int(len(said) * upto)] if each.topic in topics]
    return [Message(f"shoe/T07/{each.topic}", each.payload, each.topic != "event") for each in kept]


def test_a_screen_is_live_and_says_so_when_it_is_lost(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    page = pages(broker)
    publish(broker, [*replayed("blackjack", 0.5), *alive("T07", now_ms())[1:]])
    tab = tabs(f"{page.url}/dealer/T07?lang=zh-Hant")
    tab.wait_for_selector("main.is-due .next .first")
    before = tab.inner_text("aside")
    publish(broker, replayed("blackjack", 0.6))
    tab.wait_for_function("before => document.querySelector('aside').innerText !== before", arg=before)
    page.stop()
    tab.wait_for_selector("body.lost #lost:not([hidden])")
    assert "看燈號" in tab.inner_text("#lost")


def test_an_unknown_table_is_not_guided(broker: Broker, pages: Pages, tabs: Tabs) -> None:
    tab = tabs(f"{pages(broker).url}/dealer/NONE")
    assert "follow the lamps" in tab.inner_text("main.is-lost .next")
