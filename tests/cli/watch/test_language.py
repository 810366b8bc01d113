"""The language of `shoe status` and `shoe watch`: which one, and that no English is left in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from rich.cells import cell_len

from firmware_bridge.cli.watch.language import TERMINAL, alarm_help, language, translated
from firmware_bridge.cli.watch.machine import faulty, lease_words, machine
from firmware_bridge.cli.watch.machine import rows as device_rows
from firmware_bridge.cli.watch.screen import ROW, line, mode_words, next_step, screen
from firmware_bridge.facts import inputs
from firmware_bridge.facts.wire_states import Alarm
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.topics.state import snapshots
from firmware_bridge.topics.texts import LANGUAGES, Language, alarms, known
from hardware.pins.lamps import RHYTHMS
from tests.floor.guests import STAGES
from tests.kit.table import Table

CHINESE: Final[tuple[Language, ...]] = ("zh-Hant", "zh-Hans")
ROWS: Final = [
    "phase",
    "slots",
    "asked",
    "lamps",
    "cards",
    "rounds",
    "broker",
    "store",
    "reader",
    "journal",
    "software",
    "next",
]


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in TERMINAL:
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "bridge.toml"


@pytest.mark.parametrize(
    ("asked", "configured", "terminal", "found"),
    [
        (None, None, None, "en"),
        (None, None, "C", "en"),
        (None, None, "POSIX", "en"),
        (None, None, "de_AT.UTF-8", "en"),
        (None, None, "en_US.UTF-8", "en"),
        (None, None, "zh_TW.UTF-8", "zh-Hant"),
        (None, None, "zh_HK", "zh-Hant"),
        (None, None, "zh_MO.UTF-8@x", "zh-Hant"),
        (None, None, "zh_CN.UTF-8", "zh-Hans"),
        (None, None, "zh_SG", "zh-Hans"),
        (None, "zh-Hant", "en_US.UTF-8", "zh-Hant"),
        (None, "", "zh_CN.UTF-8", "zh-Hans"),
        (None, "en", "zh_CN.UTF-8", "en"),
        (None, "klingon", "zh_CN.UTF-8", "zh-Hans"),
        ("en", "zh-Hant", "zh_CN.UTF-8", "en"),
        ("zh-Hans", "zh-Hant", "en", "zh-Hans"),
    ],
)
def test_the_language_is_that_asked_for_that_of_the_config_or_the_terminals(
    config: Path,
    monkeypatch: pytest.MonkeyPatch,
    asked: str | None,
    configured: str | None,
    terminal: str | None,
    found: Language,
) -> None:
    if configured is not None:
        config.write_text(f'[table]\nid = "T1"\nlanguage = "{configured}"\n')
    if terminal is not None:
        monkeypatch.setenv("LANG", terminal)
    assert language(asked, config) == found


def test_the_first_variable_that_is_set_counts(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert language(None, config) == "zh-Hans"


def test_a_config_that_cannot_be_read_does_not_choose(config: Path) -> None:
    config.write_text("[table\n")
    assert language(None, config) == "en"


def status_of(stage: str, n: int) -> dict[str, Any]:
    """The part of a status that comes from the topics, after `n` of them."""
    newest = {
        each.topic: each.payload for each in STAGES[stage]().said[:n] if each.topic in ("table", "lamps", "alarm")
    }
    last: dict[str, Any] = {topic: json.loads(payload) for topic, payload in newest.items()}
    return last | {
        "mode": "FULL",
        "disk": "",
        "shoe": 1,
        "table_id": "T07",
        "rounds": [],
        "version": "1",
        "seq": 3,
        "journal": "x",
        "broker": {"up": True, "protocol": 5, "waiting": 0, "acked": None},
        "reader": {"protocol": "native", "port": "/dev/x", "open": True, "lost": False},
    }


TABLES: Final = [name for name in STAGES if name.split(", ")[-1] != "anything"]


@pytest.mark.parametrize("stage", TABLES)
@pytest.mark.parametrize("lang", CHINESE)
def test_no_english_sentence_is_left_for_dealer_and_pit(stage: str, lang: Language) -> None:
    said = len(STAGES[stage]().said)
    for n in range(20, said, max(1, said // 40)):
        english = status_of(stage, n)
        if not {"table", "lamps", "alarm"} <= english.keys():
            continue
        status = translated(english, lang)
        for words in (mode_words(status, lang), next_step(status, lang), *screen(status, lang)[:8]):
            without = re.sub(r"sudo shoe .*|shoe watch|shoe enter.*|\(?[A-Z]{1,4}\)?|[a-z]+(_[a-z]+)+", "", words)
            assert not re.search(r"[a-z]{3,} [a-z]{3,} [a-z]{3,}", without), words
        assert line(status, lang) != line(english)


@pytest.mark.parametrize("stage", TABLES)
def test_english_is_the_shoes_own(stage: str) -> None:
    english = status_of(stage, len(STAGES[stage]().said))
    assert translated(english, "en") is english


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_name_of_a_row_is_wider_than_its_place(lang: Language) -> None:
    assert {name: words for name in ROWS if cell_len(words := str(known(lang, f"row.{name}"))) >= ROW} == {}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_rhythm_and_alarm_has_words(lang: Language) -> None:
    assert [each for each in RHYTHMS if known(lang, f"rhythm.{each}") is None] == []
    for name, rows in POLICIES.items():
        for id, row in rows.items():
            assert known(lang, f"alarm.{id}"), id
            assert known(lang, f"todo.{id}") or known(lang, f"todo.{id}_{name}"), id
            assert [each for each in row.choices if known(lang, f"choice.{each}") is None] == []


@pytest.mark.parametrize("lang", CHINESE)
def test_an_alarm_keeps_its_id_and_its_commands(lang: Language) -> None:
    row = POLICIES["macau"]["jam"]
    opened = Alarm("jam", 0, "critical", True, row.choices, (), {"round": 3}, "Card stuck")
    status = status_of("blackjack", 60)
    status["alarm"] = {"open": [msgspec.to_builtins(opened)]}
    shown = "\n".join(screen(translated(status, lang), lang))
    assert "! jam (" in shown
    assert all(f"sudo shoe do resolve jam {choice} --by NAME" in shown for choice in row.choices)
    assert "Card stuck" not in shown
    assert str(known(lang, "todo.jam")) in shown


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_help_of_every_alarm_has_one_form_in_each_language(lang: Language) -> None:
    for rows in POLICIES.values():
        for id, row in rows.items():
            lines = alarm_help(id, lang)
            assert lines[0] == f"{id}: {known(lang, f'alarm.{id}')}"
            assert f"{known(lang, 'page.todo')}:" in lines
            assert all(
                any(line.startswith(f"  {known(lang, f'choice.{each}')}") for line in lines) for each in row.choices
            )
            assert not row.choices or f"sudo shoe do resolve {id} CHOICE" in lines[-1]


@pytest.mark.parametrize("lang", CHINESE)
def test_the_help_of_every_alarm_is_in_the_language(lang: Language) -> None:
    for policy, rows in POLICIES.items():
        for id in rows:
            lines = alarm_help(id.replace("_", "-"), lang)
            assert lines[0] == f"{id}: {known(lang, f'alarm.{id}')}"
            assert any(known(lang, f"todo.{id}_{policy}") or known(lang, f"todo.{id}") or "-" in line for line in lines)
            assert not any(re.search(r"[a-z]{3,} [a-z]{3,} [a-z]{3,}", line.partition("sudo")[0]) for line in lines)


def test_what_is_no_alarm_has_no_such_help() -> None:
    assert alarm_help("technician", "zh-Hant") == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_reader_in_calibration_is_not_called_lost_and_no_cable_is_at_fault(lang: Language) -> None:
    borrowed, lost = {"to": "anna"}, {"why": "unplugged"}
    shown = alarms.what(lang, "reader_lost", borrowed), alarms.todo(lang, "reader_lost", "macau", borrowed)
    assert not any(re.search("cable|線|线|lost|斷|断", words) for words in shown)
    assert alarms.name(lang, "reader_lost", borrowed) != alarms.name(lang, "reader_lost", lost)
    assert shown[1] != alarms.todo(lang, "reader_lost", "macau", lost)


def test_the_shoe_says_so_of_a_reader_in_calibration() -> None:
    table = Table(burn="none").play(inputs.ReaderBorrowed(at=0, by="anna"))
    (alarm,) = [each for each in snapshots(table.shoe)["alarm"].open if each.id == "reader_lost"]
    assert alarms.name("zh-Hant", alarm.id, alarm.values) == "讀牌器校準中"


FAULTY: Final = {
    "disk": {"code": "journal_unwritable", "values": {"error": "No space left on device"}},
    "lent": {"device": "reader", "to": "anna", "since": 0},
    "broker": {
        "up": False,
        "why_down": {"code": "refused", "values": {"at": "b:1883"}},
        "protocol": 5,
        "waiting": True,
        "acked": ["0-a", 4],
        "shared": None,
        "store": {
            "name": "floor",
            "stored": ["1-a", 9],
            "sent": ["1-a", 12],
            "behind": True,
            "refused": 2,
            "why_refused": "the journal cannot be read; send it again; see the table's alarms",
        },
    },
    "reader": {"protocol": "native", "port": "/dev/x", "open": True, "lost": True},
    "health": {
        "under_voltage": True,
        "faults": ["P1"],
        "queue": 3,
        "orders_refused": 3,
        "unmarked": {"WU": 1, "": 2},
        "uptime_s": 93_900,
        "disk_free_mb": 21_480,
        "temperature": 52.0,
        "reader": {
            "reads": 2,
            "unread": 1,
            "frames_bad": 2,
            "quality": 231.4,
            "quality_calibrated": 233.0,
            "lamp": 198,
            "ambient": 12,
            "temperature": 41.5,
            "forecast": "clean the optics within about 3 shoes",
        },
    },
    "seen": {
        "signal": {
            "quality": 200,
            "agreed": 3,
            "taken": 4,
            "transit_ms": 80,
            "lamp": 9,
            "ambient": 1,
            "temperature": 30,
            "unread": "not read",
        },
        "good": 10,
        "bad": 1,
        "frames": [],
        "pins": {"inputs": {"next": True}, "outputs": {"P1": None, "B1": True}},
    },
}
SOUND: Final[dict[str, Any]] = {
    "returning": {"to": "anna", "pid": 7},
    "broker": {"up": True, "protocol": 5, "waiting": False, "acked": None, "shared": None},
    "reader": {"protocol": "native", "port": "/dev/x", "open": False, "lost": False},
    "health": {"reader": {"reads": 412, "unread": 0}, "uptime_s": 59},
}

IDENTIFIERS: Final = re.compile(
    r"sudo \S+ \S+ \S+( --by NAME)?|\[mqtt\] host|port|native|/dev/x|floor|anna|WU|next|MQTT|ms|MB|b:\d+|°C|0-a|1-a"
    r"|No space left on device|[PB]1|x"
)
"""What stays as it is: names, commands, keys of the config, words of the system."""


@pytest.mark.parametrize("changed", [FAULTY, SOUND], ids=["faulty", "sound"])
@pytest.mark.parametrize("lang", CHINESE)
def test_the_technicians_rows_have_no_english_left(changed: dict[str, Any], lang: Language) -> None:
    status = status_of("blackjack", 60) | changed
    shown = [*machine(status, lang), *device_rows(status, lang), ("lease", "；".join(lease_words(status, lang) or ()))]
    for name, words in shown:
        assert not re.search("[a-z]{2,}", IDENTIFIERS.sub("", words)), (name, words)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_row_is_marked_by_what_it_is_not_by_its_words(lang: Language) -> None:
    assert faulty(status_of("blackjack", 60) | FAULTY) == {"broker", "reader", "journal"}
    assert faulty(status_of("blackjack", 60)) == frozenset()
