"""The catalogues of texts: compiled from what is written, with the same ids in every language."""

from __future__ import annotations

import re
from typing import Final

import pytest

from firmware_bridge.topics.texts import LANGUAGES, OF_GUESTS, Language, known, text
from scripts.tools.texts import FOLDER, by_id, made


@pytest.mark.parametrize("lang", OF_GUESTS)
def test_the_compiled_catalogue_is_current(lang: Language) -> None:
    written, compiled = made(lang)
    assert (FOLDER / f"{lang}.po").read_bytes() == written, "run scripts/texts"
    assert (FOLDER / f"{lang}.mo").read_bytes() == compiled, "run scripts/texts"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_text_is_found_by_its_id(lang: Language) -> None:
    assert {id: known(lang, id) for id in by_id(lang)} == by_id(lang)


@pytest.mark.parametrize("id", ["", "page", "page.nothing_like_this"])
def test_an_unknown_id_has_no_text(id: str) -> None:
    assert known("en", id) is None
    with pytest.raises(KeyError):
        text("en", id)


@pytest.mark.parametrize("lang", ["zh-Hant", "zh-Hans"])
@pytest.mark.parametrize("word", ["主任", "銷牌", "销牌", "莊荷", "庄荷"])
def test_one_thing_has_one_word(lang: Language, word: str) -> None:
    """The pit is 主管, the burn 燒牌, the dealer 荷官."""
    assert [id for id, words in by_id(lang).items() if word in words] == []


@pytest.mark.parametrize(("lang", "foreign"), [("zh-Hant", "这们请续读号没见讯"), ("zh-Hans", "這們請續讀號沒見訊枱")])
def test_no_letter_is_of_the_other_script(lang: Language, foreign: str) -> None:
    assert [id for id, words in by_id(lang).items() if set(words) & set(foreign)] == []


STATES: Final = ("trouble", "wall", "status", "stands", "phase", "mode", "state")
"""What pit and dealer read of how a table stands."""

ALIKE: Final = (
    "mode.FULL picture.no_alarm",
    "row.last picture.before",
    "guest.over guest.past",
    "game.erbagang points.2-8 guest.is.erbagang.28",
    "done.CutCardMet row.cut",
    "value.packs history.decks",
    "mark.raise effect.stake",
    "order.why page.why value.reason value.why row.why",
    "reason.observing mode.OBSERVE",
    "outcome.tie short.tie guest.tie guest.limit.tie given.tie",
    "guest.push guest.wins.tie",
    "page.round value.round shows.erbagang.round",
    "health.uptime measured.health.uptime_s",
    "machine.entry_waits machine.entries_wait",
    "act.rake effect.rake",
    "act.lot place.lot mark.lot",
    "mark.grab effect.grab shows.bids",
    "act.collect effect.discard",
    "trouble.no_shoe phase.empty reason.no_shoe wall.no_shoe",
    "measured.health.queue.one measured.health.queue",
    "row.bets shows.stake",
    "phase.burning place.burn row.burn",
    "row.rounds help.play",
    "act.draw picture.draw",
    "mark.look effect.look",
    "card.p guest.tile",
    "hand.banker outcome.banker short.banker guest.banker guest.limit.banker given.banker",
    "page.bank place.D shows.banker",
    "guest.dealer guest.bank",
    "reader.heard row.signal",
    "page.news trouble.alarm done.Irregular dealer.alarm status.open row.alarms wall.warned history.alarm",
    "mark.call effect.call",
    "odds.lost effect.loses",
    "do.open_shoe status.open_shoe history.opened",
    "hand.player outcome.player short.player short.players given.player",
    "act.take dealer.take",
)
"""Ids with one meaning, though their English differs by more than its form. No game has both a dealer and a bank."""


def said(words: str) -> str:
    """A text without its values, punctuation, case, and the key behind a word: `stand (S)`."""
    without = re.sub(r"[（(]\w+[）)]", "", re.sub(r"\{\w*\}", " ", words.lower()))
    return " ".join(re.sub(r"[\W_]+", " ", without).split())


def meaning(english: str) -> str:
    """What an English text means, whatever its number and its articles."""
    return " ".join(word.removesuffix("s") for word in said(english).split() if word not in ("the", "a", "an", "is"))


SENTENCES: Final = ("wire", "refused", "refusal", "failure", "phrase", "order_field")
"""Kinds of ids that are sentences, or parts of one."""


@pytest.mark.parametrize("lang", ["zh-Hant", "zh-Hans"])
def test_no_two_texts_of_different_meaning_that_one_person_reads_are_equal(lang: Language) -> None:
    """Guests read their own screens alone. Refusals are sentences, in the words of the wire and of a screen."""
    english, alike = by_id("en"), [set(each.split()) for each in ALIKE]
    same: dict[tuple[bool, str], set[str]] = {}
    for id, words in by_id(lang).items():
        if id.partition(".")[0] not in SENTENCES and said(words):
            same.setdefault((id.startswith("guest."), said(words)), set()).add(id)
    two = [ids for ids in same.values() if len({meaning(english[id]) for id in ids}) > 1]
    assert [sorted(ids) for ids in two if not any(ids <= each for each in alike)] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_state_is_called_as_a_move_of_a_game(lang: Language) -> None:
    texts = by_id(lang)
    moves = {said(words) for id, words in texts.items() if id.startswith(("mark.", "effect."))}
    assert [id for id in texts if id.partition(".")[0] in STATES and said(texts[id]) in moves] == []


@pytest.mark.parametrize(("lang", "word"), [("en", "block"), ("zh-Hant", "鎖定"), ("zh-Hans", "锁定")])
def test_blocked_has_one_word(lang: Language, word: str) -> None:
    texts = by_id(lang)
    blocked = [id for id, words in by_id("en").items() if "block" in words.lower()]
    assert [texts[id] for id in blocked if word not in texts[id].lower()] == []
    assert len(blocked) >= 8
