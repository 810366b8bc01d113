"""The past of a table as its pages say it, and the runbook of its alarms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from firmware_bridge.facts.book.alarms import BRIDGE, DISK
from firmware_bridge.floor.config import FloorConfig, parse
from firmware_bridge.floor.page import history, runbook
from firmware_bridge.floor.store import Reader
from firmware_bridge.floor.store.open import open_reader, open_store
from firmware_bridge.shoe.policy import POLICIES
from firmware_bridge.topics.texts import LANGUAGES, Language, known, names, text
from tests.floor.every_past import stored_past
from tests.floor.facts.played import rows
from tests.floor.test_page_drawn import seen_text


@pytest.fixture
def config(tmp_path: Path) -> FloorConfig:
    return parse({"store": {"path": str(tmp_path / "floor.db")}})


@pytest.fixture
def reader(config: FloorConfig) -> Iterator[Reader]:
    stored_past(config, "T07", "T<b>8")
    with closing(open_store(config)) as store:
        for game in ("zhajinhua", "niuniu", "blackjack"):
            store.save(rows(game, game), [], [])
    opened = open_reader(config)
    assert opened is not None
    with closing(opened):
        yield opened


def whole(html: str) -> str:
    """A part that is well-formed; its text."""
    ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>').replace('&nbsp;', ' ')}</div>")
    return seen_text(html).replace("\xa0", " ")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_past_says_shoes_dealers_and_who_ended_each_alarm(reader: Reader, lang: Language) -> None:
    found = history.shoes(reader, "T07")
    for drawn in (history.page("T07", found, "", "", lang), history.recent("T07", found, lang)):
        said = whole(drawn)
        assert names.choice(lang, "remove") in said
        assert text(lang, "alarm.duplicate") in said
        assert text(lang, "history.voided", count=1) in said
        assert text(lang, "history.corrected", count=1) in said
        assert "Lam" in said
        assert said.count("backend") >= 2
        assert 'href="/table/T07/shoe/1?lang=' in drawn
        assert f"/help/alarm/duplicate?lang={lang}" in drawn
        assert text(lang, "alarm.unshuffled") not in said  # it is open


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_round_is_found_with_its_cards_who_dealt_and_what_it_was_before(reader: Reader, lang: Language) -> None:
    found = history.dealings(reader, "T07", 1, 2)
    said = whole(history.round_found("T07", found, lang))
    assert said.index("9♠") < said.index("8♠")
    assert text(lang, "history.was_corrected", by="backend") in said
    [[newest, first]] = found[0].rounds
    assert f"shoe-floor record prove T07 {newest.journal}:{newest.seq} -o" in said
    assert (newest.seq, newest.by, first.by) > (first.seq, ("backend",), ())
    fourth = whole(history.round_found("T07", history.dealings(reader, "T07", 1, 4), lang))
    assert f"{text(lang, 'history.dealt_by')} Lam" in fourth
    voided = whole(history.round_found("T07", history.dealings(reader, "T07", 1, 3), lang))
    assert f"{text(lang, 'history.was_voided', by='backend')}: " in voided
    assert "misdeal" in voided
    assert history.dealings(reader, "T07", 7, 1) == []


def test_words_that_name_a_round() -> None:
    assert [history.asked(words) for words in ("12-41", " 12 – 41 ", "12/41", "41")] == [(12, 41)] * 3 + [(None, 41)]
    for words in ("", "x", "12-", "-3", "1-2-3", "9" * 40, "1" * 16 + "-1", "１２-４１x"):
        assert history.asked(words) is None


def test_a_number_alone_is_a_round_of_the_newest_shoe(reader: Reader) -> None:
    [found] = history.dealings(reader, "T07", None, 1)
    assert found.shoe.shoe == 2
    assert len(found.rounds) == 1


def test_a_shoe_has_all_its_rounds_its_alarms_and_how_it_is_proved(reader: Reader) -> None:
    drawn = history.shoe_page("T07", history.dealings(reader, "T07", 1), "en")
    said = whole(drawn)
    assert re.findall(r'round=1-(\d)"', drawn) == ["4", "3", "2", "1"]
    journal = history.dealings(reader, "T07", 1)[0].shoe.journal
    assert f"sudo shoe journal export {journal} -o" in said
    assert f"shoe-floor record export T07 --journal {journal} -o" in said
    assert "/help/audit" in drawn
    assert "Card not read" in said
    assert "Duplicate card" not in said
    assert "closed by backend" in said


def test_hands_that_nobody_is_shown_stay_so(reader: Reader) -> None:
    drawn = history.shoe_page("zhajinhua", history.dealings(reader, "zhajinhua", 1), "en")
    hidden = {"9♥", "9♦", "2♠", "4♣", "5♣", "A♦"}
    assert drawn.count("face down") == len(hidden)
    assert not [face for face in hidden if face in drawn]
    voided = [one for each in history.dealings(reader, "zhajinhua", 2) for versions in each.rounds for one in versions]
    assert voided
    assert [one.cards for one in voided] == [[]] * len(voided)


@pytest.mark.parametrize("game", ["niuniu", "blackjack"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_game_has_a_past(reader: Reader, game: str, lang: Language) -> None:
    assert text(lang, f"game.{game}") in whole(history.shoe_page(game, history.dealings(reader, game, 1), lang))
    assert whole(history.page(game, history.shoes(reader, game), "", "", lang))


def test_foreign_text_is_never_markup(reader: Reader) -> None:
    table = "T<b>8"
    found = history.shoes(reader, table)
    drawn = history.page(
        table, found, history.round_found(table, history.dealings(reader, table, 1, 2), "en"), '"><i>', "en"
    )
    drawn += history.shoe_page(table, history.dealings(reader, table, 1), "en")
    assert "<b>" not in drawn
    assert "<i>" not in drawn
    assert whole(drawn)


def test_earlier_shoes_are_a_page_further(reader: Reader) -> None:
    found = history.shoes(reader, "T07", most=1)
    assert [each.shoe for each in found.shoes] == [2]
    assert "before=1" in history.page("T07", found, "", "", "en")
    assert [each.shoe for each in history.shoes(reader, "T07", 1, 1).shoes] == [1]
    assert "before=" not in history.page("T07", history.shoes(reader, "T07"), "", "", "en")


def test_a_round_that_cannot_be_read_is_said(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        found = of(*_)
        return [found[0]._replace(body=b"{}"), *found[1:]]

    of = reader.rounds_of
    monkeypatch.setattr(reader, "rounds_of", broken)
    found = history.dealings(reader, "T07", 1)
    assert text("en", "history.not_read") in whole(history.shoe_page("T07", found, "en"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_alarm_has_its_runbook(lang: Language) -> None:
    for id in {id for of_policy in POLICIES.values() for id in of_policy}:
        rows = {known(lang, f"policy.{policy}"): rows[id] for policy, rows in POLICIES.items()}
        about = list(runbook.about_alarm(lang, id))
        assert [each.name for each in about] == [*rows], id
        for each in about:
            assert each.choices == tuple(names.choice(lang, choice) for choice in rows[each.name].choices), id
            assert each.todo, id
            assert (text(lang, "help.blocks") in each.play) is rows[each.name].blocks, id
    for id in {*BRIDGE, *DISK} - {*POLICIES["macau"]}:
        [about_it] = runbook.about_alarm(lang, id)
        assert (about_it.name, about_it.choices) == ("", ())
    assert not list(runbook.about_alarm(lang, "none"))


def test_documents_are_whole_and_their_links_lead_somewhere() -> None:
    anchors = {}
    for document in ("irregularities", "incidents", "audit", "page", "technician", "operators"):
        drawn = runbook.drawn(document)
        assert drawn is not None
        anchors[document] = set(re.findall(r'id="([^"]*)"', drawn[1]))
        assert "<img" not in drawn[1]
        assert not re.search(r'href="[^"]*\.md', drawn[1])
    for document in anchors:
        for target, anchor in re.findall(r'href="/help/([\w-]+)#([^"]*)"', (runbook.drawn(document) or ("", ""))[1]):
            if target in anchors:
                assert anchor in anchors[target], (document, target, anchor)


@pytest.mark.parametrize("name", ["none", "../page", "README", "", ".", "page.md", "x" * 99])
def test_no_other_file_is_a_document(name: str) -> None:
    assert runbook.drawn(name) is None
