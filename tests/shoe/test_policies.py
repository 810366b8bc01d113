"""What each house does when cards come out of turn, results differ, and a closed round was wrong."""

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import pytest

from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.cards import FACES
from firmware_bridge.facts.house import Choice
from firmware_bridge.games import GAMES
from firmware_bridge.shoe import evolve
from firmware_bridge.shoe.policy import POLICIES, cannot_come
from firmware_bridge.shoe.state import row
from tests.kit.rows import each_row
from tests.kit.table import RESTART, Step, Table
from tests.shoe.test_policy_page import table_of

NATURAL = "9s Kd Th Kc"
PLAIN: dict[str, Any] = {"burn": "none"}
NEXT = PLAIN | {"close": "next"}
BETS = PLAIN | {"betting": "required"}
SIX = PLAIN | {"procedure": "six-card"}
US, MACAU, STUDIO = ({"policy": name} for name in ("us-burn", "macau", "studio"))
STUCK = inputs.SensorStuck(at=0, sensor="cut", stuck=True)
FREE = inputs.SensorStuck(at=0, sensor="cut", stuck=False)
OVER = [f"shoe {NATURAL} 8h"]
EARLY = ["shoe 8h"]

# settings, steps -> rounds, phase, open irregularities, cards seen
SCENARIOS: list[tuple[str, dict[str, Any], list[Step], str, str, str, str]] = [
    # overdrawn
    ("us-burn: overdrawn is burned", NEXT | US, [*OVER, "next 2d"], "1 closed player", "dealing", "", "9s Kd Th Kc 8h 2d"),
    ("macau: overdrawn blocks", NEXT | MACAU, [*OVER, "next"], "", "complete", "overdrawn", "9s Kd Th Kc"),
    ("macau: kept", NEXT | MACAU, [*OVER, "!resolve overdrawn keep next"], "1 closed player", "ready", "", "9s Kd Th Kc 8h"),
    ("macau: burned", NEXT | MACAU, [*OVER, "!resolve overdrawn burn next"], "1 closed player", "ready", "", "9s Kd Th Kc 8h"),
    ("macau: void", NEXT | MACAU, [*OVER, "!resolve overdrawn void"], "1 voided", "ready", "", "9s Kd Th Kc 8h"),
    ("macau: a second one is a second decision", NEXT | MACAU, [*OVER, "7h !resolve overdrawn keep"], "", "complete", "overdrawn", "9s Kd Th Kc 8h"),
    ("studio: overdrawn blocks", NEXT | STUDIO, [*OVER, "!resolve overdrawn burn"], "", "complete", "overdrawn", "9s Kd Th Kc"),
    ("studio: void", NEXT | STUDIO, [*OVER, "!resolve overdrawn void"], "1 voided", "ready", "", "9s Kd Th Kc 8h"),
    # drawn before bets are closed
    ("us-burn: early is burned", BETS | US, [*EARLY, "bets-closed", NATURAL], "1 closed player", "betting", "", "8h 9s Kd Th Kc"),
    ("us-burn: also after a block", BETS | US, ["shoe ?? !enter 8h bets-closed", NATURAL], "1 closed player", "betting", "", "8h 9s Kd Th Kc"),
    ("macau: early blocks", BETS | MACAU, [*EARLY, "bets-closed"], "", "ready", "drawn_before_bets_closed", ""),
    ("macau: early kept", BETS | MACAU, [*EARLY, "!resolve drawn_before_bets_closed keep bets-closed"], "", "dealing", "", "8h"),
    ("macau: early burned", BETS | MACAU, [*EARLY, "!resolve drawn_before_bets_closed burn bets-closed"], "", "ready", "", "8h"),
    ("studio: early blocks", BETS | STUDIO, [*EARLY, "bets-closed"], "", "ready", "drawn_before_bets_closed", ""),
    ("studio: early burned", BETS | STUDIO, [*EARLY, "!resolve drawn_before_bets_closed burn bets-closed"], "", "ready", "", "8h"),
    ("studio: early void", BETS | STUDIO, [*EARLY, "!resolve drawn_before_bets_closed void"], "1 voided", "betting", "", "8h"),
    # missing third
    ("macau: missing third blocks", PLAIN | MACAU, ["shoe 2s 2d 3h Ac next 8s"], "", "dealing", "missing_third", "2s 2d 3h Ac"),
    ("macau: goes on", PLAIN | MACAU, ["shoe 2s 2d 3h Ac next 8s !resolve missing_third continue"], "1 closed tie", "ready", "", "2s 2d 3h Ac 8s"),
    ("macau: void", PLAIN | MACAU, ["shoe 2s 2d 3h Ac next !resolve missing_third void"], "1 voided", "ready", "", "2s 2d 3h Ac"),
    ("macau: restart blocks until NEXT", PLAIN | MACAU, ["shoe 9s", RESTART, "Kd next"], "", "dealing", "", "9s Kd"),
    # results told
    ("it agrees", PLAIN, [f"shoe {NATURAL} player"], "1 closed player", "ready", "", "9s Kd Th Kc"),
    ("it differs, closed", PLAIN, [f"shoe {NATURAL} banker 2s"], "1 closed player", "ready", "result_mismatch", "9s Kd Th Kc"),
    ("closed: accept ours", PLAIN, [f"shoe {NATURAL} banker 2s !resolve result_mismatch accept"], "1 closed player", "dealing", "", "9s Kd Th Kc 2s"),
    ("closed: no void", PLAIN, [f"shoe {NATURAL} banker !resolve result_mismatch void"], "1 closed player", "ready", "result_mismatch", "9s Kd Th Kc"),
    ("closed: no void of what was carried", SIX, [f"shoe {NATURAL} 2s 3s banker !resolve result_mismatch void"], "1 closed player", "ready", "result_mismatch", "9s Kd Th Kc 2s 3s"),
    ("closed: nor by the way", SIX, [f"shoe {NATURAL} 2s 3s banker !void other"], "1 closed player, 2 voided", "ready", "result_mismatch", "9s Kd Th Kc 2s 3s"),
    ("it differs, before NEXT", NEXT, [f"shoe {NATURAL} tie next"], "", "complete", "result_mismatch", "9s Kd Th Kc"),
    ("before NEXT: accept", NEXT, [f"shoe {NATURAL} tie !resolve result_mismatch accept next"], "1 closed player", "ready", "", "9s Kd Th Kc"),
    ("before NEXT: void", NEXT, [f"shoe {NATURAL} tie !resolve result_mismatch void"], "1 voided", "ready", "", "9s Kd Th Kc"),
    ("of the last round", PLAIN, ["shoe 9s cut Kd Th Kc banker"], "1 closed player last", "ended", "result_mismatch", "9s Kd Th Kc"),
    ("told too soon", PLAIN, ["shoe 2s 2d 3h Ac tie"], "", "dealing", "missing_third", "2s 2d 3h Ac"),
    ("no round yet", PLAIN, ["shoe tie"], "", "ready", "", ""),
    # lid, sensors, clock
    ("lid", PLAIN, ["shoe 9s lid-open Kd lid-close"], "", "dealing", "lid_opened", "9s"),
    ("lid: continue", PLAIN, ["shoe 9s lid-open Kd lid-close !resolve lid_opened continue Th Kc"], "1 closed player", "ready", "", "9s Kd Th Kc"),
    ("lid: end the shoe", PLAIN, ["shoe 9s lid-open Kd !resolve lid_opened end-shoe"], "1 voided last", "ended", "", "9s Kd"),
    ("lid: end it between rounds", PLAIN, [f"shoe {NATURAL} lid-open !resolve lid_opened end-shoe"], "1 closed player", "ended", "", "9s Kd Th Kc"),
    ("lid: a void does not close it", PLAIN, ["shoe 9s lid-open !void misdeal"], "1 voided", "ready", "lid_opened", "9s"),
    ("lid: nobody goes on while it is open", PLAIN, ["shoe 9s lid-open !resolve lid_opened continue"], "", "dealing", "lid_opened", "9s"),
    ("lid: open since before the shoe", PLAIN, ["lid-open shoe 9s"], "", "ready", "lid_opened", ""),
    ("lid: closed then, and looked at", PLAIN, ["lid-open shoe 9s lid-close !resolve lid_opened continue"], "", "dealing", "", "9s"),
    ("lid: still open when the next shoe begins", PLAIN, ["shoe lid-open !close_shoe shoe"], "", "ready", "lid_opened", ""),
    ("lid: opened to load", PLAIN, ["lid-open lid-close shoe"], "", "ready", "", ""),
    ("studio: the lid ends the shoe", PLAIN | STUDIO, ["shoe lid-open !resolve lid_opened continue"], "", "ready", "lid_opened", ""),
    ("sensor stuck", PLAIN, ["shoe", STUCK, "9s"], "", "dealing", "sensor_stuck", "9s"),
    ("sensor free", PLAIN, ["shoe", STUCK, FREE], "", "ready", "", ""),
    ("sensor stuck outlives a void and a shoe", PLAIN, ["shoe", STUCK, "9s !void misdeal !close_shoe shoe"], "1 voided", "ready", "sensor_stuck", ""),
    ("the clock is a note", PLAIN, ["shoe", inputs.ClockJumped(at=0, by=-5000), "9s"], "", "dealing", "", "9s"),
    # slots
    ("wrong slot", PLAIN, ["shoe 9s", "B2<Kd"], "", "dealing", "wrong_slot", "9s"),
    ("right slot", PLAIN, ["shoe 9s", "B1<Kd"], "", "dealing", "", "9s Kd"),
    ("wrong slot accepted", PLAIN, ["shoe 9s", "B2<Kd", "!resolve wrong_slot accept Th Kc"], "1 closed player", "ready", "", "9s Kd Th Kc"),
    ("wrong slot, void", PLAIN, ["shoe 9s", "B2<Kd", "!resolve wrong_slot void"], "1 voided", "ready", "", "9s Kd"),
    ("each wrong slot is its own", PLAIN, ["shoe 9s", "B2<Kd", "P1<Th", "!resolve wrong_slot accept"], "", "dealing", "wrong_slot", "9s Kd"),
    ("studio: face up is dealt", PLAIN | STUDIO, ["shoe 9s", "^Kd", "Th Kc"], "1 closed player", "ready", "", "9s Kd Th Kc"),
]  # fmt: skip


@each_row(
    ("house", "steps", "rounds", "phase", "opened", "seen"),
    [row[1:] for row in SCENARIOS],
    ids=[row[0] for row in SCENARIOS],
)
def test_scenario(house: dict[str, Any], steps: list[Step], rounds: str, phase: str, opened: str, seen: str) -> None:
    table = Table(**house)
    for step in steps:
        if isinstance(step, str) and step[0] == "^":
            table.take(table.card(step[1:], flags=("face_up",)))
        elif isinstance(step, str) and step[2:3] == "<":
            table.take(table.card(step[3:], slot=step[:2]))
        else:
            table.play(step)
    assert (table.summary, table.phase, " ".join(table.open), table.seen) == (rounds, phase, opened, seen)


PLACES: list[tuple[dict[str, Any], str]] = [
    (PLAIN, ""),
    ({"burn": 2}, "shoe 2s"),
    (BETS, "shoe"),
    (PLAIN, "shoe"),
    (PLAIN, "shoe 9s Kd"),
    (NEXT, f"shoe {NATURAL}"),
    (PLAIN, f"shoe {NATURAL} !close_shoe"),
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("house", "steps"), PLACES)
def test_every_choice_is_carried_out_or_refused(policy: str, house: dict[str, Any], steps: str) -> None:
    """What the policy leaves settles the irregularity, anything else changes nothing at all."""
    for name, choice in product(POLICIES[policy], get_args(Choice)):
        table = Table(**house, policy=policy).play(steps)
        table.shoe = before = evolve(table.shoe, events.Irregular(id=name, since=0))
        table.take(table.order(orders.Resolve(name, choice)))
        left = choice in row(before, name).choices
        assert not table.answer.ok or left, (name, choice)
        assert (name in table.open) is not table.answer.ok, (name, choice)
        if not table.answer.ok:
            assert (table.shoe.laid, table.shoe.held, table.summary) == (
                before.laid,
                before.held,
                "" if not before.rounds else table.summary,
            )


# ---------------------------------------------------------------- the virtual cut


@pytest.mark.parametrize(("burned", "last"), [(38, False), (39, False), (40, True)])
def test_a_stuck_sensor_puts_the_virtual_cut_thirteen_cards_from_the_end(burned: int, last: bool) -> None:
    """The first card behind it, the 40th of 52, belongs to the last round."""
    pack = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "shdc"]
    table = Table(burn=30, decks=1).play("shoe", " ".join(pack[:30]), STUCK)
    while len(table.shoe.seen) < burned:
        table.play(pack[len(table.shoe.seen)])
    met = [each.by for each in table.events if isinstance(each, events.CutCardMet)]
    assert met == ["virtual"] * last
    assert ("cut_card_missing" in table.open) is last


@pytest.mark.parametrize("is_stuck", [False, True])
@pytest.mark.parametrize("behind", [13, 14, 20, 52])
def test_a_cut_card_at_a_legal_place_is_not_missing(behind: int, is_stuck: bool) -> None:
    """It lies thirteen cards from the end or further in, and the sensor, though stuck, may still see it."""
    pack = [card.value for card in FACES * 2]
    table = Table(burn="none", decks=2, virtual_cut=13).play(
        "shoe", *[STUCK] * is_stuck, " ".join(pack[: 104 - behind])
    )
    table.play("cut", pack[104 - behind])
    met = [each.by for each in table.events if isinstance(each, events.CutCardMet)]
    assert (met, table.shoe.last_round is not None) == (["sensor"], True)
    assert not [each for each in table.events if isinstance(each, events.Irregular) and each.id == "cut_card_missing"]


def test_a_cut_card_that_never_comes_is_missed_and_the_floor_may_go_on() -> None:
    """The alarm makes the round the last, and ends nothing before the round is over."""
    pack = [card.value for card in FACES]
    table = Table(burn=38, decks=1, virtual_cut=13).play("shoe", " ".join(pack[:39]))
    assert (table.open, table.shoe.last_round) == ((), None)
    table.play(pack[39])
    assert (table.open, table.shoe.last_round, table.phase) == (("cut_card_missing",), 1, "dealing")
    table.play("!resolve cut_card_missing continue", " ".join(pack[40:44]))
    assert (table.open, table.shoe.last_round, table.phase != "ended") == ((), None, True)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("game", GAMES)
def test_a_shoe_is_opened_with_the_rows_of_its_game(game: str, policy: str) -> None:
    table = table_of(game, policy).play("shoe")
    opened = next(each for each in table.events if isinstance(each, events.ShoeOpened))
    can = {id: row for id, row in POLICIES[policy].items() if not cannot_come(id, GAMES[game])}
    assert opened.policy == can
    assert ("missing_third" in can) == ("wrong_slot" in can) == (game == "baccarat")
    assert ("shoe_empty" in can) == (game in ("baccarat", "blackjack"))
    assert ("burn_short" in can) == (game != "erbagang")
    assert "relabelled_third" not in can
