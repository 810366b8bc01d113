"""What goes wrong at a table, one scenario a test: what is told, what is due, what the floor's choices give."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import inputs
from tests.kit.rows import each_row
from tests.kit.table import BACK, FLOODED, LOST, RESTART, RESUMED, Step, Table

NATURAL = "9s Kd Th Kc"
STANDS = "2s 6d 4h Ac"

PLAIN = {"burn": "none"}
NEXT = {"burn": "none", "close": "next"}
SIX = {"burn": "none", "close": "next", "procedure": "six-card"}
BETS = {"burn": "none", "betting": "required"}
EARLY = {"burn": "none", "cut_earliest": 60}
SEALED = EARLY | {"disclose": "sealed"}
ACCEPT, GO_ON = "!resolve cut_card_early accept", "!resolve cut_card_early continue"
BLACKJACK = {"game": "blackjack", "betting": "required", "cut_earliest": 208, **PLAIN}
SEAT_1 = "shoe bets=1:100 8h Ts 8d 9s"
BY_READER = inputs.CutCardSeen(at=0, by="reader")


# settings, steps -> rounds, phase, open irregularities
SCENARIOS: list[tuple[str, dict[str, Any], list[Step], str, str, str]] = [
    # overdrawn
    ("overdrawn opens the next round", NEXT, [f"shoe {NATURAL} 8h next Kd 9h 7d"], "1 closed player", "complete", ""),
    ("overdrawn, burned", NEXT, [f"shoe {NATURAL} 8h !resolve overdrawn burn next"], "1 closed player", "ready", ""),
    ("overdrawn, void", NEXT, [f"shoe {NATURAL} 8h !resolve overdrawn void"], "1 voided", "ready", ""),
    ("overdrawn after NEXT, burned", NEXT, [f"shoe {NATURAL} 8h next !resolve overdrawn burn"], "1 closed player", "ready", ""),
    ("overdrawn in the last round", NEXT, ["shoe 9s cut Kd Th Kc 8h next"], "1 closed player last", "ended", ""),
    ("the fourth overdrawn is held", NEXT, [f"shoe {NATURAL} 2h 3h 4h 5h"], "", "complete", "overdrawn"),
    # missing third
    ("missing third refused", PLAIN, ["shoe 2s 2d 3h Ac next"], "", "dealing", "missing_third"),
    ("missing third drawn", PLAIN, ["shoe 2s 2d 3h Ac next 8s"], "1 closed tie", "ready", ""),
    ("missing third void", PLAIN, ["shoe 2s 2d 3h Ac next !resolve missing_third void"], "1 voided", "ready", ""),
    # unreadable
    ("unreadable blocks", PLAIN, ["shoe 9s ??"], "", "dealing", "unreadable"),
    ("unreadable entered", PLAIN, ["shoe 9s ?? Th !enter Kd Kc"], "1 closed player", "ready", ""),
    ("unreadable void", PLAIN, ["shoe 9s ?? Th !resolve unreadable void"], "1 voided", "ready", ""),
    ("two unreadable", PLAIN, ["shoe 9s ?? ?? Kc !enter Kd"], "", "dealing", "unreadable"),
    ("two unreadable entered", PLAIN, ["shoe 9s ?? ?? Kc !enter Kd !enter Th"], "1 closed player", "ready", ""),
    ("unreadable first card, void", PLAIN, ["shoe ?? !void misread"], "1 voided", "ready", ""),
    # duplicate, foreign
    ("duplicate kept", PLAIN | {"decks": 1}, ["shoe 9s Kd 9s Kc !resolve duplicate keep"], "1 closed player", "ready", ""),
    ("duplicate removed", PLAIN | {"decks": 1}, ["shoe 9s Kd 9s !resolve duplicate remove Th Kc"], "1 closed player", "ready", ""),
    ("duplicate void", PLAIN | {"decks": 1}, ["shoe 9s Kd 9s !resolve duplicate void"], "1 voided", "ready", ""),
    ("a tile is foreign", PLAIN, ["shoe 9s 1p"], "", "dealing", "foreign"),
    ("a tile removed", PLAIN, ["shoe 9s 1p !resolve foreign remove Kd Th Kc"], "1 closed player", "ready", ""),
    ("two tiles, each its own decision", PLAIN, ["shoe 1p 1p !resolve foreign remove"], "", "ready", "foreign"),
    ("unknown code is foreign", PLAIN, ["shoe", inputs.CardUnread(at=0, reason="unknown code", nonce="a" * 32)], "", "ready", "foreign"),
    # burn
    ("burn of a three", {}, ["shoe 3c 2c 4c 5c 9s Kd Th Kc"], "1 closed player", "ready", ""),
    ("burn of a court card", {}, ["shoe Kc", "2c 3c 4c 5c 6c 7c 8c 9c Tc", "next"], "", "burning", "burn_short"),
    ("a short burn goes on", {}, ["shoe 2c next 3c 4c"], "", "ready", ""),
    ("a short burn accepted", {}, ["shoe 9c 2c next !resolve burn_short accept", NATURAL], "1 closed player", "ready", ""),
    ("fixed burn", {"burn": 2}, [f"shoe 2c 3c {NATURAL}"], "1 closed player", "ready", ""),
    ("burn over", BETS | {"burn": 1}, ["shoe 2c 3c"], "", "betting", "burn_over"),
    ("burn over accepted", BETS | {"burn": 1}, ["shoe 2c 3c !resolve burn_over accept bets-closed", NATURAL], "1 closed player", "betting", ""),
    ("burn over accepted late", BETS | {"burn": 1}, ["shoe 2c 3c bets-closed !resolve burn_over accept"], "", "ready", ""),
    ("unread in the burn, burned as it is", {"burn": 2}, ["shoe 2c ?? !resolve unreadable void"], "", "ready", ""),
    ("unread exposed card must be known", {}, ["shoe ?? !resolve unreadable void"], "", "burning", "unreadable"),
    ("unread exposed card entered", {}, ["shoe ?? !enter Ac 5d"], "", "ready", ""),
    ("two tiles in the burn", {"burn": 1}, ["shoe 1p 2p !resolve foreign void"], "", "burning", "foreign"),
    # cut card
    ("cut mid-round", PLAIN, ["shoe 9s cut Kd Th Kc"], "1 closed player last", "ended", ""),
    ("cut between", PLAIN, [f"shoe {NATURAL} cut {STANDS}"], "1 closed player, 2 closed banker last", "ended", ""),
    ("cut before NEXT", NEXT, [f"shoe {NATURAL} cut next {STANDS} next"], "1 closed player, 2 closed banker last", "ended", ""),
    ("cut in the burn", {"burn": 1}, [f"shoe cut 2c {NATURAL}"], "1 closed player last", "ended", ""),
    ("cut twice", PLAIN, [f"shoe {NATURAL} cut 2s cut 6d 4h Ac"], "1 closed player, 2 closed banker last", "ended", ""),
    ("one more", PLAIN | {"after_cut": "one-more"}, [f"shoe 9s cut Kd Th Kc {STANDS}"], "1 closed player, 2 closed banker last", "ended", ""),
    ("cut waits behind held cards", PLAIN, ["shoe ?? Kd Th Kc cut 2s !enter 9s 6d 4h Ac"], "1 closed player, 2 closed banker last", "ended", ""),
    ("cut among held cards", PLAIN, ["shoe ?? Kd cut Th Kc !enter 9s"], "1 closed player last", "ended", ""),
    ("cut behind cards drawn too early", BETS, [f"shoe {NATURAL} cut bets-closed"], "1 closed player", "betting", ""),
    ("cut among cards burned", BETS, ["shoe 9s cut Kd !resolve drawn_before_bets_closed burn"], "", "betting", ""),
    ("cut in a void", PLAIN, ["shoe 9s Kd cut !void misdeal"], "1 voided last", "ended", ""),
    ("virtual cut", PLAIN | {"virtual_cut": 412}, [f"shoe {NATURAL} {STANDS}"], "1 closed player, 2 closed banker last", "ended", ""),
    ("virtual cut, floor goes on", PLAIN | {"virtual_cut": 412}, [f"shoe {NATURAL} 2s !resolve cut_card_missing continue 6d 4h Ac"], "1 closed player, 2 closed banker", "ready", ""),
    ("cut card late", PLAIN | {"virtual_cut": 412}, [f"shoe {NATURAL} 2s cut 6d"], "1 closed player", "dealing", ""),
    # cut card early
    ("early cut blocks", EARLY, ["shoe 9s cut Kd Th Kc"], "", "dealing", "cut_card_early"),
    ("early cut accepted", EARLY, [f"shoe 9s cut Kd {ACCEPT} Th Kc"], "1 closed player last", "ended", ""),
    ("early cut was none", EARLY, [f"shoe 9s cut Kd {GO_ON} Th Kc {STANDS}"], "1 closed player, 2 closed banker", "ready", ""),
    ("early cut was none, the virtual one comes", EARLY | {"virtual_cut": 412}, [f"shoe 9s cut {GO_ON} Kd Th Kc {STANDS}"], "1 closed player, 2 closed banker last", "ended", ""),
    ("early between rounds", EARLY, [f"shoe {NATURAL} cut 2s"], "1 closed player", "ready", "cut_card_early"),
    ("early between rounds accepted", EARLY, [f"shoe {NATURAL} cut 2s {ACCEPT} 6d 4h Ac"], "1 closed player, 2 closed banker last", "ended", ""),
    ("early between rounds was none", EARLY, [f"shoe {NATURAL} cut 2s {GO_ON} 6d 4h Ac"], "1 closed player, 2 closed banker", "ready", ""),
    ("early before any card", EARLY, [f"shoe cut {ACCEPT} {NATURAL}"], "1 closed player last", "ended", ""),
    ("early in the burn", EARLY | {"burn": 1}, ["shoe cut 2c"], "", "burning", "cut_card_early"),
    ("early in the burn accepted", EARLY | {"burn": 1}, [f"shoe cut 2c {ACCEPT} {NATURAL}"], "1 closed player last", "ended", ""),
    ("early in the burn was none", EARLY | {"burn": "first-card"}, [f"shoe 2c cut {GO_ON} 3c 4c {NATURAL}"], "1 closed player", "ready", ""),
    ("early before the burn's first card", EARLY | {"burn": "first-card"}, ["shoe cut 2c"], "", "burning", "cut_card_early"),
    ("early before NEXT", EARLY | {"close": "next"}, [f"shoe {NATURAL} cut next {ACCEPT} next {STANDS} next"], "1 closed player, 2 closed banker last", "ended", ""),
    ("early, one more", EARLY | {"after_cut": "one-more"}, [f"shoe 9s cut {ACCEPT} Kd Th Kc {STANDS}"], "1 closed player, 2 closed banker last", "ended", ""),
    ("early by sensor and reader", EARLY, ["shoe 9s cut", BY_READER, f"{ACCEPT} Kd Th Kc"], "1 closed player last", "ended", ""),
    ("early by the reader alone", EARLY, ["shoe 9s", BY_READER], "", "dealing", "cut_card_early"),
    ("early twice, each looked at", EARLY, [f"shoe 9s cut {GO_ON} Kd cut"], "", "dealing", "cut_card_early"),
    ("accepted, and seen again", EARLY, [f"shoe {NATURAL} cut {ACCEPT} 2s cut 6d 4h Ac"], "1 closed player, 2 closed banker last", "ended", ""),
    ("early behind held cards", EARLY, ["shoe ?? Kd cut Th Kc"], "", "ready", "unreadable cut_card_early"),
    ("early behind held cards accepted", EARLY, [f"shoe ?? Kd cut Th Kc !enter 9s {ACCEPT}"], "1 closed player last", "ended", ""),
    ("accepted behind cards still held", EARLY, [f"shoe ?? Kd cut {ACCEPT} Th Kc !enter 9s"], "1 closed player last", "ended", ""),
    ("early behind held cards was none", EARLY, [f"shoe ?? Kd cut Th Kc {GO_ON} !enter 9s"], "1 closed player", "ready", ""),
    ("early behind a card drawn too early", BETS | EARLY, [f"shoe 9s cut Kd bets-closed {ACCEPT} Th Kc"], "1 closed player last", "ended", ""),
    ("not burned with the cards before it", BETS | EARLY, ["shoe 9s cut Kd !resolve drawn_before_bets_closed burn"], "", "betting", "cut_card_early"),
    ("early while cards are sealed", SEALED, [f"shoe {NATURAL} cut"], "", "dealing", "cut_card_early"),
    ("early among sealed cards accepted", SEALED, [f"shoe 9s Kd cut Th Kc {ACCEPT} reveal reveal"], "1 closed player last", "ended", ""),
    ("early behind sealed cards accepted", SEALED, [f"shoe {NATURAL} cut {ACCEPT} reveal reveal"], "1 closed player", "ready", ""),
    ("void, before the pit decides", EARLY, [f"shoe 9s cut Kd !void misdeal {NATURAL}"], "1 voided", "ready", "cut_card_early"),
    ("void, then accepted: that round was the last", EARLY, [f"shoe 9s cut Kd !void misdeal 2s {ACCEPT}"], "1 voided", "ended", ""),
    ("void, then accepted: one more", EARLY | {"after_cut": "one-more"}, [f"shoe 9s cut !void misdeal {ACCEPT} {NATURAL}"], "1 voided, 2 closed player last", "ended", ""),
    ("void, then it was none", EARLY, [f"shoe 9s cut Kd !void misdeal {GO_ON} {NATURAL}"], "1 voided, 2 closed player", "ready", ""),
    ("no round to void", EARLY, [f"shoe {NATURAL} cut !void misdeal"], "1 closed player", "ready", "cut_card_early"),
    ("early, and the shoe is closed", EARLY, [f"shoe {NATURAL} cut !close_shoe"], "1 closed player", "ended", ""),
    ("early over a restart", EARLY, ["shoe 9s cut", RESTART, f"{ACCEPT} next Kd Th Kc"], "1 closed player last", "ended", ""),
    ("sixty left: not early", EARLY | {"burn": 356}, ["shoe", *[f"{r}{s}" for s in "shdc" for r in "A23456789TJQK" for _ in range(8)][:356], "cut"], "", "ready", ""),
    ("sixty-one left: early", EARLY | {"burn": 355}, ["shoe", *[f"{r}{s}" for s in "shdc" for r in "A23456789TJQK" for _ in range(8)][:355], "cut"], "", "ready", "cut_card_early"),
    ("early in blackjack, accepted", BLACKJACK, [f"{SEAT_1} cut {ACCEPT} S"], "1 closed dealer_19 last", "ended", ""),
    ("a mark is taken meanwhile", BLACKJACK, [f"{SEAT_1} cut S {ACCEPT}"], "1 closed dealer_19 last", "ended", ""),
    ("a card asked for meanwhile waits", BLACKJACK, [f"{SEAT_1} cut H 2c {GO_ON} S"], "1 closed dealer_19", "betting", ""),
    # void
    ("void keeps the number", PLAIN, [f"shoe 9s Kd !void misdeal {NATURAL}"], "1 voided, 2 closed player", "ready", ""),
    ("nothing to void", PLAIN, ["shoe !void misdeal"], "", "ready", ""),
    ("void discards reserves", SIX, [f"shoe {NATURAL} 8h 2c next !void misdeal", f"{STANDS} 3d 4d next"], "1 closed player, 2 voided, 3 closed banker", "ready", ""),
    # empty shoe
    ("shoe empty mid-round", {"burn": 50, "decks": 1}, ["shoe", " ".join(f"{r}{s}" for s in "shd" for r in "A23456789TJQK"), "Ac2c3c4c5c6c7c8c9cTcJc", "Qc Kc"], "1 voided last", "ended", ""),
    # betting
    ("a card before bets are closed waits", BETS, ["shoe 9s"], "", "betting", "drawn_before_bets_closed"),
    ("it is dealt when they are", BETS, ["shoe 9s bets-closed Kd Th Kc"], "1 closed player", "betting", ""),
    ("or burned", BETS, [f"shoe 8s !resolve drawn_before_bets_closed burn bets-closed {NATURAL}"], "1 closed player", "betting", ""),
    ("no duplicate is burned unseen", BETS | {"decks": 1}, ["shoe 8s 8s !resolve drawn_before_bets_closed burn"], "", "betting", "duplicate"),
    ("a wrong card behind it is judged in its turn", BETS, ["shoe 9s 1p"], "", "betting", "drawn_before_bets_closed"),
    ("its turn has come", BETS, ["shoe 9s 1p bets-closed"], "", "dealing", "foreign"),
    ("betting reopens before the first card", BETS, ["shoe bets-closed bets-open"], "", "betting", ""),
    ("betting stays closed after it", BETS, ["shoe bets-closed 9s bets-open"], "", "dealing", ""),
    ("betting stays closed after an unread card", BETS, ["shoe bets-closed ?? bets-open"], "", "ready", "unreadable"),
    ("orders about bets mean nothing where they are ignored", PLAIN, ["shoe bets-closed 9s bets-open bets-closed Kd Th Kc"], "1 closed player", "ready", ""),
    ("held cards of the next round wait for its bets", BETS, ["shoe bets-closed ?? Kd Th Kc 2s !enter 9s"], "1 closed player", "betting", "drawn_before_bets_closed"),
    # restart
    ("restart between rounds", PLAIN, [f"shoe {NATURAL}", RESTART], "1 closed player", "ready", ""),
    ("restart mid-round", PLAIN, ["shoe 9s", RESTART], "", "dealing", "restarted_mid_round"),
    ("restart mid-round, next card", PLAIN, ["shoe 9s", RESTART, "Kd Th Kc"], "1 closed player", "ready", ""),
    ("restart mid-round, NEXT", PLAIN, ["shoe 9s", RESTART, "next"], "", "dealing", ""),
    ("restart mid-round, void", PLAIN, ["shoe 9s", RESTART, "!resolve restarted_mid_round void"], "1 voided", "ready", ""),
    # reader
    ("reader lost blocks", PLAIN, ["shoe 9s", LOST, "Kd"], "", "dealing", "reader_lost"),
    ("a reader that resumes goes on", PLAIN, ["shoe 9s", LOST, RESUMED, "Kd Th Kc"], "1 closed player", "ready", ""),
    ("another waits for NEXT", PLAIN, ["shoe 9s", LOST, BACK, "Kd"], "", "dealing", "reader_back"),
    ("then deals what it held", PLAIN, ["shoe 9s", LOST, BACK, "Kd Th Kc next"], "1 closed player", "ready", ""),
    ("reader back, void", PLAIN, ["shoe 9s", LOST, BACK, "!resolve reader_back void"], "1 voided", "ready", ""),
    ("a reader that sends too much blocks", PLAIN, ["shoe 9s", FLOODED, "Kd"], "", "dealing", "reader_fault"),
    ("it is said once", PLAIN, ["shoe 9s", FLOODED, FLOODED], "", "dealing", "reader_fault"),
    ("the pit has looked: what came is dealt", PLAIN, ["shoe 9s", FLOODED, "Kd Th Kc !resolve reader_fault accept"], "1 closed player", "ready", ""),
    ("or the shoe ends", PLAIN, ["shoe 9s", FLOODED, "!resolve reader_fault end-shoe"], "1 voided last", "ended", ""),
    ("it outlives a shoe", PLAIN, ["shoe", FLOODED, "!close_shoe shoe"], "", "ready", "reader_fault"),
    ("it outlives a round", PLAIN, ["shoe 9s", FLOODED, "!void misdeal"], "1 voided", "ready", "reader_fault"),
    ("with no shoe open", PLAIN, [FLOODED, "!resolve reader_fault accept"], "", "empty", ""),
    ("with none, the end of it opens the port too", PLAIN, [FLOODED, "!resolve reader_fault end-shoe"], "", "empty", ""),
    ("reader lost with no shoe open", PLAIN, [LOST, BACK], "", "empty", ""),
    ("reader lost outlives a shoe", PLAIN, ["shoe", LOST, "!close_shoe shoe"], "", "ready", "reader_lost"),
    ("manual entry while it is lost", PLAIN, ["shoe", LOST, "!enter 9s !enter Kd !enter Th !enter Kc"], "1 closed player", "ready", "reader_lost"),
    ("manual round closed by NEXT", SIX, ["shoe", LOST, "!enter 9s !enter Kd !enter Th !enter Kc !enter 8h !enter 2c next"], "1 closed player", "ready", "reader_lost"),
    ("entered in betting, dealt after it", BETS, ["shoe", LOST, "!enter 9s bets-closed !enter Kd !enter Th !enter Kc"], "1 closed player", "betting", "reader_lost"),
    # movements
    ("jam kept", PLAIN, ["shoe 9s", inputs.CardUnread(at=0, reason="jam", nonce="a" * 32), "Kd !resolve jam keep Th Kc"], "1 closed player", "ready", ""),
    ("weak lamp is a note", PLAIN, ["shoe 9s", inputs.CardUnread(at=0, reason="lamp_weak", nonce="a" * 32), "Kd Th Kc"], "1 closed player", "ready", ""),
    # opening and closing
    ("no shoe, cards set aside", PLAIN, ["9s Kd"], "", "empty", ""),
    ("a shoe in use is not opened again", PLAIN, ["shoe 9s shoe"], "", "dealing", ""),
    ("a round in progress is not closed away", PLAIN, ["shoe 9s !close_shoe"], "", "dealing", ""),
    ("nor one whose first card is unread", PLAIN, ["shoe ?? !close_shoe"], "", "ready", "unreadable"),
    ("closed between rounds", PLAIN, [f"shoe {NATURAL} !close_shoe"], "1 closed player", "ended", ""),
    ("auto: the first card opens", PLAIN | {"new_shoe": "auto"}, [NATURAL], "1 closed player", "ready", ""),
    ("auto: and the next shoe", PLAIN | {"new_shoe": "auto"}, [f"9s cut Kd Th Kc {STANDS}"], "1 closed player last, 1 closed banker", "ready", ""),
    ("auto: an unread card opens too", PLAIN | {"new_shoe": "auto"}, ["?? !enter 9s Kd Th Kc"], "1 closed player", "ready", ""),
]  # fmt: skip


@each_row(
    ("settings", "steps", "rounds", "phase", "opened"),
    [row[1:] for row in SCENARIOS],
    ids=[row[0] for row in SCENARIOS],
)
def test_scenario(settings: dict[str, object], steps: list[Step], rounds: str, phase: str, opened: str) -> None:
    table = Table(**settings).play(*steps)
    assert (table.summary, table.phase, " ".join(table.open)) == (rounds, phase, opened)


def stuck(sensor: str) -> inputs.SensorStuck:
    return inputs.SensorStuck(at=0, sensor=sensor, stuck=True)


TIE = inputs.ReaderJudged(at=0, result=inputs.ReaderResult(("tie",)))


@pytest.mark.parametrize(
    ("settings", "steps", "of"),
    [
        (PLAIN, ["shoe", stuck("cut_card"), stuck("next")], ("cut_card", "next")),
        (NEXT, [f"shoe {NATURAL} banker"], ("dealer",)),
        (NEXT, [f"shoe {NATURAL}", TIE], ("reader",)),
        (PLAIN | {"decks": 1}, ["shoe 9s Kd 9s"], ("card 3",)),
        (PLAIN, ["shoe 9s", inputs.CardUnread(at=0, reason="jam", nonce="a" * 32)], ()),
    ],
)
def test_an_irregularity_says_what_it_is_about(settings: dict[str, object], steps: list[Step], of: tuple[str]) -> None:
    assert Table(**settings).play(*steps).shoe.device.irregular[0].of == of


def test_a_card_that_came_with_a_movement_is_judged_after_it() -> None:
    """Both are called `backwards`: what is decided about the movement says nothing of the card."""
    table = Table(**PLAIN).play("shoe 9s", inputs.CardUnread(at=0, reason="backwards", nonce="a" * 32))
    table.play(table.card("Kd", flags=("backwards",)), "!resolve backwards keep")
    assert (table.open, table.shoe.device.irregular[0].of) == (("backwards",), ("card 2",))
