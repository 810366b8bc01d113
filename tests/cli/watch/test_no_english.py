"""Runs what dealer, pit and technician read in Chinese over many states: no English word is left but identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from rich.cells import cell_len

from firmware_bridge.cli import main
from firmware_bridge.cli import status as command_status
from firmware_bridge.cli.do import confirm
from firmware_bridge.cli.watch.dealer import WatchedByDealer
from firmware_bridge.cli.watch.language import alarm_help, translated
from firmware_bridge.cli.watch.model import Watched
from firmware_bridge.cli.watch.screen import line, screen
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.cards import Card
from firmware_bridge.games import GAMES
from firmware_bridge.shoe import Shoe
from firmware_bridge.shoe.decide import drafted
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.topics.texts import LANGUAGES, Language, text
from firmware_bridge.topics.texts import refusals as of_refusals
from tests.cli.watch.test_language import CHINESE, FAULTY, SOUND, TABLES, status_of
from tests.config.test_layout import FINDINGS, STATES, WIDTHS, checked
from tests.floor.guests import STAGES, Evening
from tests.kit import command
from tests.kit.nightly import some
from tests.screen.games import moments

shoe = command.shoe  # fixture

ALARMS: Final = {id for rows in POLICIES.values() for id in rows} | {"disk_full", "disk_error"}
CHOICES: Final = {choice for rows in POLICIES.values() for row in rows.values() for choice in row.choices}
MARKS: Final = {word for game in GAMES.values() for word in game.play.words}

COMMANDS: Final = re.compile(r"(sudo )?shoe (do|enter|watch|status|check|help)(--?[a-z-]+|[A-Z]+|[ a-z_-])*|sudo \S+")
"""Commands that are to be typed."""

PROPER: Final = re.compile(
    r"\[[a-z]+\]( [a-z_]+( = \"[a-z]+\")?)?|--[a-z-]+|\"[a-z_]+\"|'[a-z]'|No space left on device|no space|Ctrl-C"
    r"|/dev/\S+|b:\d+|\d*-?[0-9a-f]{8,}|\d-[a-z]+"
)
"""Keys of the config, keys of a keyboard, errors of the system, ports, journals."""

WORDS: Final = {
    *("NEXT", "REVEAL", "UNMARK", "next", "reveal", "ready", "fault"),  # keys, and lamps
    *("MQTT", "TLS", "MB", "ms", "port", "host", "id", "dmesg", "x"),
    *("native", "floor", "anna", "WU", "bd", "replay", "T07"),
    *("VIP", "zz", *map(orders.tag_of, orders.ORDERS)),
    *("NAME", "CARD", "CHOICE", "SEAT", "wp", "lot", "unmark", "bets", "money"),
    *GAMES,
    *ALARMS,
    *CHOICES,
    *MARKS,
}
"""Identifiers that stay."""


def english(words: str) -> list[str]:
    """The English words of a text that are no identifiers, cards or places."""
    bare = PROPER.sub(" ", COMMANDS.sub(" ", words))
    found = re.findall("[A-Za-z][A-Za-z_-]+", bare)
    return [word for word in found if word not in WORDS and not re.fullmatch("[2-9TJQKA][shdc]", word)]


def states() -> Iterator[dict[str, Any]]:
    """Statuses of tables in trouble and in order, in every game."""
    for game in GAMES:
        for number, moment in enumerate(moments(game)):
            yield {**moment, **({}, FAULTY, SOUND)[number % 3]}
    yield from (state for state, _, _ in STATES.values())
    for stage in some(TABLES, 9):
        count = len(STAGES[stage]().said)
        for n in range(20, count, max(1, count // 20)):
            state = status_of(stage, n)
            if {"table", "lamps", "alarm"} <= state.keys():
                yield state


@cache
def known_states() -> tuple[dict[str, Any], ...]:
    return tuple(states())


@pytest.mark.parametrize("lang", CHINESE)
def test_status_is_in_chinese(lang: Language) -> None:
    for state in known_states():
        shown = translated(state, lang)
        for words in (*screen(shown, lang), line(shown, lang)):
            assert english(words) == [], words


@pytest.mark.parametrize("lang", CHINESE)
def test_the_picture_is_in_chinese(lang: Language) -> None:
    for game in GAMES:
        for number, moment in some(enumerate(moments(game)), 4):
            watched = Watched(lang)
            watched.update({**moment, **({}, FAULTY, SOUND)[number % 3]})
            for row in watched.screen(200, 90, text(lang, "keys.live")):
                assert english(row.plain) == [], row.plain
            watched.lose("the daemon closed the connection")
            assert english(watched.screen(200, 90, text(lang, "keys.paused"))[1].plain) == []


@pytest.mark.parametrize("lang", CHINESE)
def test_the_help_of_an_alarm_is_in_chinese(lang: Language) -> None:
    for id in ALARMS:
        for words in alarm_help(id, lang):
            assert english(words) == [], words


ORDERS: Final[list[orders.Order]] = [
    *(
        orders.OpenShoe(),
        orders.OpenShoe(orders.Pack(decks=99)),
        orders.CloseShoe(),
        orders.CloseTable(),
        orders.Void("why"),
    ),
    *(orders.BetsOpen(), orders.BetsClosed(), orders.BetsClosed(bets={"1": "100"}), orders.BetsClosed(bets={"a": "1"})),
    *(orders.BetsClosed(money={"1": "x"}), orders.Next(), orders.Reveal(), orders.Reveal(("P1", "S9"))),
    *(orders.Unmark(), orders.Unmark(seat=3), orders.Unmark(round=99), orders.Fly(), orders.RequestShoeChange()),
    *(
        orders.RequestDealerChange(),
        orders.DealerIn(" "),
        orders.Enter(Card("9s"), "anna"),
        orders.Enter(Card("9s"), "ben"),
    ),
    *(orders.Correct(1, ("9s",), "why"), orders.Correct(1, ("9s", "9s", "9s", "9s", "9s", "9s", "9s"), "why")),
    *(orders.Correct(1, ("zz",), "why"), orders.Correct(99, ("9s",), "why")),
    *(orders.Resolve("jam", "void"), orders.Resolve("unreadable", "keep"), orders.Resolve("lid_opened", "continue")),
    *(orders.Mark(word, seat, value) for word in sorted(MARKS) for seat in (None, 1, 2, 9) for value in (None, "3")),
    orders.Mark("raise", 1, round=99),
]
"""Orders, most of them wrong wherever they are given."""


def refusals(game: str) -> Iterator[tuple[str, str]]:
    """Code and values (JSON) of each refusal of these orders, at tables that are played and in trouble."""
    for seed in range(3):
        evening = Evening(game, seed)
        for step in range(90):
            if step % 3 == 0:
                yield from _refused(evening.table.shoe)
            evening.step()


def _refused(shoe: Shoe) -> Iterator[tuple[str, str]]:
    for order in ORDERS:
        draft = drafted(shoe, inputs.Ordered(**now(), order=order, by="anna", nonce=nonce()))
        for event in draft.events if draft else ():
            if isinstance(event, events.CommandAnswered) and not event.answer.ok:
                yield event.answer.code or "", msgspec.json.encode(event.answer.values).decode()


@pytest.mark.parametrize("lang", CHINESE)
@pytest.mark.parametrize("game", GAMES)
def test_refusals_are_in_chinese(game: str, lang: Language) -> None:
    met = set(refusals(game))
    assert len(met) > 20
    for code, values in sorted(met):
        for said in of_refusals.words(lang, code, msgspec.json.decode(values), None, None):
            assert english(said) == [], (code, values)


CORRECTED: Final = {
    "ok": True,
    "round": 1,
    "unit": "money",
    "as_of": "x",
    "before": {"outcome": "player", "hands": {"player": {"cards": ["9s", "Ts"], "points": "natural 9"}}},
    "after": {"outcome": "tie", "hands": {"player": {"cards": ["9s", "Ts"], "points": "natural 9"}}},
    "bets": {"S1": ["-1", "8"], "S1.insurance": ["0", "-0.5"]},
}
VOIDED: Final = {
    "ok": True,
    "round": 2,
    "unit": "money",
    "as_of": "x",
    "cards": [["P1", "9s"], ["B1", "Td"]],
    "stakes": {"S1": "100"},
    "moved": {"S2": "-12.5"},
}


@pytest.mark.parametrize("seen", [CORRECTED, VOIDED, VOIDED | {"cards": []}, CORRECTED | {"bets": {}, "unit": "stake"}])
@pytest.mark.parametrize("lang", CHINESE)
def test_questions_are_in_chinese(seen: dict[str, Any], lang: Language) -> None:
    for words in confirm.lines(seen, lang):
        assert [word for word in english(words) if word != "insurance"] == [], words


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_terminal(
    shoe: command.Run, monkeypatch: pytest.MonkeyPatch, width: int, lang: Language
) -> None:
    """Status, help, check and the questions; the pictures are `shoe watch` and the dealer's screen."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LANG", {"en": "en_US", "zh-Hant": "zh_TW", "zh-Hans": "zh_CN"}[lang])

    def fits(shown: str) -> None:
        assert shown
        assert max(map(cell_len, shown.splitlines())) <= width, shown

    checked(monkeypatch)
    fits(shoe("check").out)
    assert FINDINGS
    for id in sorted(ALARMS):
        fits(shoe("help", id).out)
    for state in known_states()[:: len(known_states()) // 12]:
        monkeypatch.setattr(command_status, "ask", lambda path, request, state=state: state)
        fits(shoe("status").out)
    for seen in (CORRECTED, VOIDED):
        monkeypatch.setattr(confirm, "ask", lambda path, request, seen=seen: seen)
        monkeypatch.setattr("firmware_bridge.cli.do.order.ask", lambda path, request, lang: {"ok": True})
        order = ("void",) if seen is VOIDED else ("correct", "1", "9sTd")
        ran = shoe("do", *order, "--why", "misdeal", "--by", "anna", "--yes")
        fits(ran.out)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("width", "height"), [(40, 10), (60, 20), (80, 24), (120, 40), (200, 60)])
def test_no_picture_is_wider_than_the_terminal(width: int, height: int, lang: Language) -> None:
    for state in known_states()[::7]:
        watched, dealer = Watched(lang), WatchedByDealer(lang)
        watched.update(state)
        dealer.update(state)
        for keys in (text(lang, "keys.live"), text(lang, "keys.paused")):
            for rows in (watched.screen(width, height, keys), dealer.screen(width, height, keys)):
                assert len(rows) == height
                assert max(row.cell_len for row in rows) <= width
        watched.lose("no daemon listens at /run/firmware-bridge/control.sock")
        assert max(row.cell_len for row in watched.screen(width, height, text(lang, "keys.paused"))) <= width


MISTYPED: Final = [
    "do void",
    "do viod --by a",
    "do void --why x --by a extra",
    "do correct x 9s --why a --by b",
    "do bets-closed 1=a --by b",
    "do bets-closed 1=1 1=2 --by b",
    "do mark a b c d --by b",
    "do resolve jam viod --by a",
    "do resend --by a",
    "do next --by",
    "do next --by a --foo",
    "enter Xx --by a --second b",
    "status --foo",
    "watch --plain --json",
    "watch --lang",
]


@pytest.mark.parametrize("words", MISTYPED)
@pytest.mark.parametrize("by_option", [False, True])
def test_what_is_mistyped_is_said_in_chinese(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, by_option: bool
) -> None:
    typed = words.split()
    if by_option and typed[-1] != "--lang" and typed[-1] != "--by":
        typed[1:1] = [] if typed[0] == "do" else ["--lang=zh-Hant"]
        typed += ["--lang", "zh-Hant"] if typed[0] == "do" else []
    else:
        monkeypatch.setenv("LC_ALL", "zh_TW.UTF-8")
    monkeypatch.setattr("sys.argv", ["shoe", *typed])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr().err
    assert ended.value.code == 2
    metavars = {"MARK", "ROUND", "WORD", "VALUE", "AMOUNT", "Xx", "As", "viod", "extra", "foo"}
    assert [word for word in english(shown) if word not in metavars] == [], shown
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setattr("sys.argv", ["shoe", *words.split()])
    with pytest.raises(SystemExit):
        main()
    assert not re.search("[一-鿿]", capsys.readouterr().err)


@pytest.mark.parametrize("lang", CHINESE)
def test_a_missing_daemon_is_said_in_chinese(shoe: command.Run, tmp_path: Path, lang: Language) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(f'[table]\nid = "T1"\nlanguage = "{lang}"\n[journal]\ndir = "{tmp_path}"\n')
    for words in (["status"], ["watch"], ["do", "next", "--by", "a"], ["enter", "As", "--by", "a", "--second", "b"]):
        ran = shoe(*words, "--config", config)
        assert ran.code == 3
        assert re.search("沒有服務在運行|没有服务在运行", ran.err), ran.err
