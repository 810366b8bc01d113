"""The page as it is drawn: what stands in it, what must not, and in which words."""

import json
import re
import sys
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, get_args
from xml.etree import ElementTree

import pytest

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.house import Choice, Severity
from firmware_bridge.facts.wire import VoidedRound
from firmware_bridge.floor.page import detail, history
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.offers import offered
from firmware_bridge.floor.page.views import Views
from firmware_bridge.floor.source import Delivery
from firmware_bridge.games import GAMES as DEALT
from firmware_bridge.topics import lamps
from firmware_bridge.topics.texts import LANGUAGES, Language, chosen, names, text
from firmware_bridge.topics.texts.refusals import failure
from scripts.tools import texts
from scripts.tools.messages.examples import examples
from scripts.tools.messages.scenes import GAMES, MORE, Scene
from tests.floor.tables import NOW, Message, a_hundred, alive, baccarat, messages, rfc3339
from tests.kit.contrast import contrast
from tests.kit.process import ran
from tests.kit.rows import each_row

PAGE = Path(detail.__file__).parent

by_id = cache(texts.by_id)


class NoSource:
    """A source that nobody reads."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


def views(*batches: list[Message], now: int = NOW) -> Views:
    feed = Feed("shoe", NoSource(), lambda: "", lambda: now)
    feed.handle([Delivery(each.topic, each.payload) for some in batches for each in some], "")
    return Views(feed)


def seen_text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_drawing_needs_no_server() -> None:
    code = "import sys, firmware_bridge.floor.page.views as v; assert not {'starlette', 'uvicorn'} & {*sys.modules}"
    assert ran("-c", code, execute=True).returncode == 0


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("scene", [*GAMES, *MORE], ids=lambda scene: scene.game)
def test_every_page_is_whole(scene: Scene, lang: Language) -> None:
    drawn = views(messages("T07", scene), alive("T07"))
    for page in (drawn.grid_document(lang), drawn.table_document("T07", lang), drawn.unknown_document("X", lang)):
        head, body = page.removeprefix("<!doctype html>").split("<body", 1)
        ElementTree.fromstring(
            "<body" + body.removesuffix("</html>").replace(" hidden>", ' hidden="">').replace("<br>", "<br/>")
        )
        assert f'<html lang="{lang}">' in head
        assert not re.search(r"\son\w+=|style=|<script>", page)
        assert "None" not in seen_text(page)


def test_a_tile_of_a_shoe_that_is_over_names_no_round() -> None:
    lost = alive("T07", state="lost")
    for scene, is_named in ((baccarat(3, 7), True), (baccarat(3, 7, "!void misdeal !close_shoe"), False)):
        tile = seen_text(views(messages("T07", scene), lost).grid_parts("en")["t-T07"])
        assert bool(re.search(r"Shoe \d.* Round \d", tile)) == is_named


@pytest.mark.parametrize("why", ["lost", "stopped"])
def test_a_line_that_stands_alone_begins_with_a_capital(why: str) -> None:
    drawn = seen_text(views(messages("T07", baccarat(3, 7)), alive("T07", state=why)).grid_document("en"))
    assert re.search(r"The shoe( is disconnected|'s software was stopped) \S", drawn.replace("&#39;", "'"))
    starts = {id: said[0] for id, said in by_id("en").items() if id.startswith("silent.")}
    assert all(letter.isupper() for letter in starts.values()), starts


def test_the_head_of_a_table_says_once_what_is_next() -> None:
    for scene in (baccarat(3, 7, "!void misdeal 9s"), Scene("blackjack", {}, ("shoe bets=1:100 9h 9s Tc",))):
        state = seen_text(views(messages("T07", scene), alive("T07")).table_parts("T07", "en")["state"])
        assert "Why" not in state, state
    third = seen_text(views(messages("T07", baccarat(3, 7, "9s"))).table_parts("T07", "en")["state"])
    assert "Why player card 3 is due: Player has 5" in third


def test_a_decision_in_chinese_is_without_the_word_to_type() -> None:
    batch = [*messages("T07", baccarat(3, 7, "9s ?? Kd")), *alive("T07")]
    feed = views(batch)._feed
    for lang in LANGUAGES:
        labels = [each.label for each in offered(feed.floor.tables["T07"], feed.troubles["T07"], lang)]
        assert [label for label in labels if re.search("void|remove|keep", label)] == [] or lang == "en"
    assert "有牌未能讀取：本局作廢" in [
        each.label for each in offered(feed.floor.tables["T07"], feed.troubles["T07"], "zh-Hant")
    ]


def test_no_line_begins_with_a_dot() -> None:
    for scene in GAMES:
        drawn = views(messages("T07", scene), alive("T07"))
        for page in (drawn.grid_document("en"), drawn.table_document("T07", "en")):
            lines = re.sub(r"<svg.*?</svg>", "", page.split("<body", 1)[1])
            assert " ·" not in lines


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_card_says_what_is_wrong_and_a_line_how_fast_it_goes(lang: Language) -> None:
    batch = messages("T07", baccarat(20, 7, "9s ?? Kd"))
    shown = seen_text(views(batch, alive("T07")).grid_parts(lang)["t-T07"])
    for id in ("trouble.blocked", "alarm.unreadable", "page.per_hour", "page.since", "game.baccarat"):
        assert text(lang, id) in shown
    assert names.slot(lang, "B2") not in seen_text(views(batch).table_parts("T07", lang)["state"])  # the pit decides
    fine = views(messages("T07", baccarat(20, 7, "9s Kd")), alive("T07"))
    shown = seen_text(fine.grid_parts(lang)["t-T07"])
    assert re.fullmatch(f" {text(lang, 'trouble.playing')} {text(lang, 'page.per_hour')} [0-9]+ ", shown)
    state = seen_text(fine.table_parts("T07", lang)["state"])
    for words in (text(lang, "phase.dealing"), names.slot(lang, "P3"), text(lang, "page.cards_left")):
        assert words in state


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_alarm_says_what_may_be_decided(lang: Language) -> None:
    shown = views(messages("T07", baccarat(3, 7, "9s 9s 9s 9s 9s 9s 9s 9s 9s 9s"))).table_parts("T07", lang)["alarms"]
    assert text(lang, "todo.duplicate") in seen_text(shown)
    assert [text(lang, f"choice.{each}") in seen_text(shown) for each in ("keep", "remove", "void")] == [True] * 3


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_fault_is_said_by_its_code_and_of_a_version_before_as_it_was_sent(lang: Language) -> None:
    gone = phrase("reader_host_unknown", port="socket://x:1", host="x", error="EIO")
    by_code = inputs.DeviceLost(at=0, device="reader", code=gone.code, values=gone.values)
    in_english = inputs.DeviceLost(at=0, device="reader", why="it is gone")
    for lost, words in ((by_code, failure(lang, gone)), (in_english, "it is gone")):
        shown = views(messages("T07", baccarat(2, 7, lost))).table_parts("T07", lang)["alarms"]
        assert words in seen_text(shown)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_round_is_void_by_what_was_typed_an_alarm_or_both(lang: Language) -> None:
    jam, empty, between = (text(lang, id) for id in ("alarm.jam", "alarm.shoe_empty", "between.clauses"))
    for why, reasons, words in (
        (("worn",), (Reason("floor", {"says": "worn", "by": "ANNA"}),), "worn"),
        (("worn",), (Reason("decided", {"alarm": "jam", "says": "worn"}),), f"{jam}{between}worn"),
        ((), (Reason("decided", {"alarm": "jam", "says": ""}),), jam),
        ((), (Reason("shoe_empty", {}),), empty),
        (("the shoe is empty",), (), empty),
        (("jam: worn",), (), "jam: worn"),
    ):
        void = VoidedRound(
            v=2, table="T07", shoe=1, journal="1-ab", seq=1, at=rfc3339(NOW), boot="b", n=1, of=1, game="baccarat",
            round=1, revision=0, cards=(), unit="stake", stakes={}, last=False, why=why, reasons=reasons, prev=None,
            by="ANNA",
        )  # fmt: skip
        assert history.Version("1-ab", 1, void, None).why(lang) == [words]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_page_reads_the_text_of_an_alarm(lang: Language) -> None:
    batch = [*messages("T07", baccarat(3, 7, "9s ?? Kd")), *alive("T07")]
    emptied = [each._replace(payload=re.sub(rb'"text":"[^"]+"', b'"text":""', each.payload)) for each in batch]
    assert emptied != batch
    for some in (Views.grid_parts, lambda views, lang: views.table_parts("T07", lang)):
        assert some(views(batch), lang) == some(views(emptied), lang)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_of_a_table_that_is_gone_no_page_says_that_no_alarm_is_open(lang: Language) -> None:
    for state, id in (("online", "page.no_alarms"), ("lost", "page.alarms_unknown")):
        drawn = views(messages("T07", baccarat(3, 7)), alive("T07", state=state))
        assert text(lang, id) in drawn.table_parts("T07", lang)["alarms"]


def test_an_alarm_that_blocks_is_no_warning() -> None:
    shown = views(messages("T07", baccarat(3, 7, "9s ?? Kd"))).table_parts("T07", "en")["alarms"]
    assert text("en", "page.blocks") in shown
    assert text("en", "severity.warning") not in shown


@pytest.mark.parametrize("lang", LANGUAGES)
def test_foreign_text_is_never_markup(lang: Language) -> None:
    evil = "\"><script>alert('x')</script>&"
    name = "T<b>'\"&"
    batch = messages(
        name, baccarat(2, 7, orders.DealerIn("<i>Wu</i>"), inputs.DeviceLost(at=0, device="reader", why=evil))
    )
    drawn = views(batch, alive(name, mode=evil, faults=(evil,)))
    for page in (drawn.grid_document(lang), drawn.table_document(name, lang), drawn.unknown_document(evil, lang)):
        assert "<script>" not in page
        assert "<i>" not in page
        assert "<b>" not in page
    assert "&lt;i&gt;Wu" in drawn.table_document(name, lang)


def test_no_card_that_is_sealed_or_not_shown_is_drawn() -> None:
    sealed = messages("T07", Scene("baccarat", {"burn": "none", "disclose": "sealed"}, ("shoe 9s 8d 7h",)))
    drawn = views(sealed).table_document("T07", "en")
    assert drawn.count("face down") == 3
    assert not re.search(r"of (spades|diamonds|hearts)", drawn)


def test_hands_that_nobody_is_shown_lie_face_down() -> None:
    over = views(messages("T07", Scene("zhajinhua", {}, GAMES[4].steps[:2]))).table_parts("T07", "en")["rounds"]
    assert over.count("face down") == 6
    assert over.count("not shown") == 2


def test_the_dealers_own_hand_is_listed_too() -> None:
    over = views(messages("T07", GAMES[1])).table_parts("T07", "en")["rounds"]
    assert "Dealer 6♣" in re.sub(r" \w+ of \w+", "", seen_text(over))


def test_what_did_not_change_is_not_drawn_again() -> None:
    drawn = views(messages("T07", baccarat(5)), messages("T08", baccarat(5)))
    first, second = drawn.grid_parts("en"), drawn.grid_parts("en")
    assert all(first[id] is second[id] for id in first if id[1] == "-")


@pytest.mark.parametrize("count", [100])
def test_a_hundred_tables_are_drawn_in_their_order(count: int) -> None:
    drawn = views(list(a_hundred()))
    assert drawn.grid_document("zh-Hant").count('<li id="tile-') == count
    assert json.loads(drawn.grid_parts("zh-Hant")["tables"]) == [f"T{number:03}" for number in range(1, count + 1)]


# ---------------------------------------------------------------- texts


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_catalogue_has_every_text_with_the_same_values(lang: Language) -> None:
    assert by_id(lang).keys() == by_id("en").keys()
    for id, words in by_id(lang).items():
        assert words.strip()
        assert fields(words) == fields(by_id("en")[id]), id


def fields(words: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(words)} - {None}


def test_english_has_no_chinese_sign() -> None:
    assert not any("\u4e00" <= letter <= "\u9fff" for text in by_id("en").values() for letter in text)


def test_chinese_is_written_in_the_signs_of_its_own_kind() -> None:
    simplified, traditional = "".join(by_id("zh-Hans").values()), "".join(by_id("zh-Hant").values())
    assert not set("莊閒閑賭圖號張點發時間讀連線狀報") & set(simplified)
    assert not set("庄闲赌图号张点发时间读连线状报") & set(traditional)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_that_a_table_says_by_id_has_a_text(lang: Language) -> None:
    has = by_id(lang).keys()
    wanted = {f"choice.{each}" for each in get_args(Choice)} | {f"severity.{each}" for each in get_args(Severity)}
    wanted |= {f"game.{each}" for each in DEALT}
    wanted |= {f"reason.{id}" for id in re.findall(r'Reason\(\s*"(\w+)"', Path(lamps.__file__).read_text())}
    wanted |= {f"reason.{id}" for id in ("no_shoe", "shoe_over", "observing", "split", "hits", "doubles", "deal")}
    assert wanted <= has, wanted - has
    for each in examples()["lamps"].values():
        for reason in each["reasons"]:
            assert f"reason.{reason['id']}" in has or f"alarm.{reason['id']}" in has
    for hand in (hand for name in DEALT for hand in hands(name)):
        assert all(word[0].isdigit() or f"points.{word}" in has for word in hand.split()), hand


def hands(name: str) -> list[str]:
    module = sys.modules[DEALT[name].hand.__module__]
    words = getattr(module, "WORDS", None) or getattr(module, "POINTS", None)
    points = [
        each["points"] for example in examples()[f"round.{name}.closed"].values() for each in example["hands"].values()
    ]
    named = [each for each in (words or {}).values() if isinstance(each, str)] if isinstance(words, dict) else []
    return points + [each for each in named if each not in ("points",)]


@pytest.mark.parametrize(
    ("asked", "accepted", "lang"),
    [
        ("zh-Hans", "en", "zh-Hans"),
        ("", "zh-TW,zh;q=0.9,en;q=0.8", "zh-Hant"),
        ("", "zh-CN,zh;q=0.9", "zh-Hans"),
        ("", "en;q=0.5, zh-HK;q=0.9", "zh-Hant"),
        ("", "pt-PT,pt;q=0.9", "en"),
        ("xx", "zh;q=nonsense,zh-MO", "zh-Hant"),
        ("", "", "en"),
    ],
)
def test_the_language_is_the_one_asked_for(asked: str, accepted: str, lang: str) -> None:
    assert chosen(asked, accepted) == lang


@pytest.mark.parametrize(
    ("slot", "words"),
    [("P3", "player card 3"), ("S3.2", "seat 3"), ("D", "dealer"), ("R1", "reserve 1"), ("X9", "X9"), ("", "")],
)
def test_slots_are_called_as_people_do(slot: str, words: str) -> None:
    assert names.slot("en", slot) == words


# ---------------------------------------------------------------- colours


def colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", css))


DARK, LIGHT = re.split(r"@media print, \(prefers-color-scheme: light\)", (PAGE / "static/tokens.css").read_text())


STATES = ("blocked", "gone", "critical", "alarm", "due", "refused", "wait")


@each_row("css", [LIGHT, DARK], ids=["light", "dark"])
@each_row(
    ("ink", "grounds"),
    [
        ("text", "ground panel felt warn-ground bad-ground"),
        ("muted", "ground panel felt warn-ground bad-ground"),
        ("link", "ground panel"),
        ("bad", "panel ground bad-ground"),
        ("warn", "panel warn-ground"),
        ("fine", "panel ground"),
        ("quiet", "panel ground"),
        ("red", "panel"),
        ("blue", "panel"),
        ("white", "banker player tie other"),
        *[(f"{state}-text", state) for state in STATES],
    ],
)
def test_text_keeps_its_distance_from_its_ground(css: str, ink: str, grounds: str) -> None:
    of = colours(css)
    assert {ground: contrast(of[ink], of[ground]) >= 4.5 for ground in grounds.split()} == dict.fromkeys(
        grounds.split(), True
    ), {ground: round(contrast(of[ink], of[ground]), 2) for ground in grounds.split()}


def test_cards_are_read_on_their_white() -> None:
    of = colours(DARK)
    assert all(contrast(of[ink], of["card"]) >= 4.5 for ink in ("card-text", "card-red", "card-tile"))


def test_no_other_sheet_has_a_colour_or_a_font_of_its_own() -> None:
    report = PAGE.parent / "facts/templates/report.html"
    for sheet in (*(PAGE / "static").glob("*.css"), report):
        if sheet.name != "tokens.css":
            own = re.findall(r"#[0-9a-f]{3,8}\b|rgba?\(|font-family: \"|Noto", sheet.read_text())
            assert own == [], sheet.name


def test_states_differ_by_their_sign() -> None:
    signs = dict(re.findall(r'--sign-([a-z]+): "(.)"', (PAGE / "static/tokens.css").read_text()))
    states = [signs[name] for name in ("blocked", "gone", "critical", "alarm", "fine", "idle", "closed")]
    assert len(set(states)) == len(states)


def test_roads_have_the_colours_of_the_shoe() -> None:
    from firmware_bridge.games.baccarat.drawn.shapes import THEMES

    for css, theme in ((LIGHT, "light"), (DARK, "dark")):
        of = colours(css)
        assert {ink.replace("_", "-"): colour for ink, colour in THEMES[theme].items()}.items() <= of.items()
