"""What the page keeps of tables' messages, and how it sorts them."""

import re

import msgspec
import pytest

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.wire_states import Act
from firmware_bridge.floor.page.offers import offered
from firmware_bridge.floor.page.state import KEPT, WHOLE, Floor, Seen
from firmware_bridge.floor.page.tile import SILENT_MS, Trouble, due, natural, trouble
from firmware_bridge.floor.page.wall import order
from scripts.tools.messages.scenes import Scene
from tests.floor.tables import NOW, Message, alive, baccarat, floor_of, game, latest, messages

LOST = inputs.DeviceLost(at=0, device="reader", why="unplugged")
NO_SHOE = Scene("baccarat", {"burn": "none"}, ())


def seen(*batches: list[Message]) -> Seen:
    return next(iter(floor_of(*batches).tables.values()))


def test_the_latest_of_each_topic_counts_and_repeats_of_rounds_change_nothing() -> None:
    batch = messages("T07", baccarat(10))
    floor = floor_of(batch)
    table = floor.tables["T07"]
    assert table.table.game == "baccarat"
    assert len(table.roads.outcomes) == len(table.rounds) >= 10
    version = table.version
    rounds = [each for each in batch if not each.retained]
    assert [floor.handle(each.topic, each.payload, False, NOW) for each in rounds] == [None] * len(rounds)
    assert table.version == version


def test_a_correction_takes_the_place_of_its_round_and_a_late_round_its_own() -> None:
    batch = [each for each in messages("T07", game("blackjack")) if not each.retained]
    closed = msgspec.json.decode(batch[0].payload)
    again = closed | {"status": "corrected", "revision": 1, "corrects": closed["seq"], "by": "x", "seq": 90}
    corrected = Message(batch[0].topic, msgspec.json.encode(again), False)
    table = seen([corrected, batch[1], batch[0]])
    assert [(each.round, each.status) for each in table.rounds.values()] == [(1, "corrected"), (2, "voided")]
    assert [each.round for each in seen([batch[1], batch[0]]).last_rounds(2)] == [2, 1]


def test_rounds_are_kept_up_to_a_number() -> None:
    batch = [each for each in messages("T07", baccarat(70)) if not each.retained]
    assert len(seen(batch).rounds) == len(batch) >= 70
    first = msgspec.json.decode(batch[0].payload)
    many = [Message(batch[0].topic, msgspec.json.encode(first | {"shoe": n, "seq": n}), False) for n in range(1, 300)]
    kept = seen(many)
    assert len(kept.rounds) == KEPT
    assert [bool(each.hands) for each in kept.last_rounds(KEPT)] == [True] * WHOLE + [False] * (KEPT - WHOLE)


def test_rounds_an_hour_are_those_of_the_last_one() -> None:
    table = seen(messages("T07", baccarat(20)))
    pace = table.per_hour(NOW)
    assert pace is not None
    assert 60 < pace < 120
    assert table.per_hour(NOW + 3_600_000) is None
    assert seen(messages("T07", game("niuniu"))).per_hour(NOW) is None


def test_an_emptied_table_is_no_more() -> None:
    batch = latest(messages("T07", baccarat(3)))
    floor = floor_of(batch)
    for each in batch:
        floor.handle(each.topic, b"", True, NOW)
    assert floor.tables == {}
    assert floor.handle("shoe/T07/table", b"", True, NOW) is None


def test_what_cannot_be_read_is_reported_until_the_next_good_one() -> None:
    batch = messages("T07", baccarat(3))
    floor = floor_of(batch)
    assert floor.handle("shoe/T07/table", b"\xff{", False, NOW) == "T07"
    assert list(floor.tables["T07"].unreadable) == ["table"]
    assert trouble(floor.tables["T07"], NOW).word == "alarm"
    assert floor.handle("shoe/T07/table", b"\xff{", False, NOW) is None
    for each in latest(batch):
        floor.handle(each.topic, each.payload, False, NOW)
    assert floor.tables["T07"].unreadable == {}


@pytest.mark.parametrize("topic", ["other/T07/table", "shoe/T07/event", "shoe/T07/table/x", "shoe/table", ""])
def test_other_topics_are_nobodys(topic: str) -> None:
    assert Floor("shoe").handle(topic, b"{}", False, NOW) is None


def test_health_is_as_old_as_it_was_reported() -> None:
    floor = Floor("shoe")
    status, health = alive("T07", NOW - 500_000)
    floor.handle(health.topic, health.payload, True, NOW)
    assert trouble(floor.tables["T07"], NOW) == ("silent", "old")
    floor.handle(health.topic, health.payload, False, NOW)
    floor.handle(status.topic, status.payload, False, NOW)
    table = floor.tables["T07"]
    assert table.ahead == -500_000
    assert trouble(table, NOW).silent == ""
    assert trouble(table, NOW + SILENT_MS + 1) == ("silent", "old")
    only_table = latest(messages("T08", baccarat(1)))
    other = floor_of(only_table).tables["T08"]
    assert trouble(other, NOW) == ("playing", "")
    assert trouble(other, NOW + SILENT_MS + 1) == ("silent", "never")


def test_a_will_of_an_older_connection_says_nothing() -> None:
    batch = alive("T07")
    gone = msgspec.json.decode(batch[0].payload) | {"state": "lost", "link": 0}
    floor = floor_of(batch)
    assert floor.handle(batch[0].topic, msgspec.json.encode(gone), False, NOW) is None
    assert floor.handle(batch[0].topic, msgspec.json.encode(gone | {"boot": "other"}), False, NOW) is None
    assert floor.handle(batch[0].topic, msgspec.json.encode(gone | {"link": 1}), False, NOW) == "T07"
    assert trouble(floor.tables["T07"], NOW) == ("silent", "lost")


def test_tables_are_sorted_by_trouble() -> None:
    blocked = messages("T1", baccarat(2, 7, "9s ?? Kd"))
    older = messages("T9", baccarat(2, 7, "9s ??", "9d 9d 9d 9d 9d 9d"))
    lit = messages(
        "T2", Scene("baccarat", {"burn": "none"}, ("shoe", inputs.DeviceLost(at=0, device="broker", why="x")))
    )
    playing = messages("T10", baccarat(2)), messages("T4", baccarat(2))
    quiet = [*messages("T3", baccarat(2)), *alive("T3", state="lost")]
    floor = floor_of(*playing, quiet, messages("T5", NO_SHOE), lit, older, blocked)
    needs = {name: trouble(each, NOW) for name, each in floor.tables.items()}
    assert {name: each.word for name, each in needs.items()} == {
        "T1": "blocked",
        "T9": "blocked",
        "T2": "alarm",
        "T3": "silent",
        "T5": "no_shoe",
        "T4": "playing",
        "T10": "playing",
    }
    sorted_ = order([(floor.tables[name], needs[name]) for name in floor.tables])
    assert sorted_ == ["T9", "T1", "T3", "T2", "T4", "T5", "T10"]


def test_a_blocked_table_that_is_gone_stays_blocked_and_is_silent_too() -> None:
    floor = floor_of(messages("T1", baccarat(2, 7, "9s ?? Kd")), alive("T1", state="stopped"))
    assert trouble(floor.tables["T1"], NOW) == Trouble("blocked", "stopped")


@pytest.mark.parametrize("mode", ["NO_JOURNAL", "OBSERVE"])
def test_a_bridge_that_guides_nobody_is_blocked(mode: str) -> None:
    assert trouble(seen(messages("T1", baccarat(2)), alive("T1", mode=mode)), NOW).word == "blocked"


def test_names_are_sorted_as_people_do() -> None:
    assert sorted(["T10", "T2", "B1", "T2b", "2"], key=natural) == ["B1", "T2", "T2b", "T10", "2"]


@pytest.mark.parametrize(
    ("expected", "shown"),
    [
        ((Act("draw", slot="P3", hand="P3"),), "P3 player card 3"),
        ((Act("turn", slot="D", hand="D"), Act("draw", slot="S3", hand="S3.2")), "S3.2 seat 3"),
        ((Act("draw", slot="burn", amount="4"),), "Burn"),
        ((Act("ask", slot="S1", hand="S1"), Act("ask", slot="S2", hand="S2")), "S1 S2 must act"),
        ((Act("ask", slot="lot", slots=("S1", "S4")),), "S1 S4 must act"),
        ((Act("wait", what="pit"),), ""),
        ((Act("press", key="next"),), ""),
    ],
)
def test_what_is_due_is_what_is_expected(expected: tuple[Act, ...], shown: str) -> None:
    table = seen(messages("T07", baccarat(3))).table
    assert table
    for of_before in (None, "B1"):
        now = msgspec.structs.replace(table, expected=expected, due=of_before, act={"S9": {}})
        words = re.sub(r"<[^>]*>", "", due(now, "en") or "")
        assert " ".join(words.split()) == shown


def closed(name: str, *then: str) -> list[Message]:
    """What a table says that was closed by an order."""
    return messages(name, Scene("baccarat", {"burn": "none"}, (*then, orders.CloseTable("night"))))


def test_a_table_that_was_closed_by_an_order_is_closed_while_it_is_heard() -> None:
    said = closed("T1"), alive("T1")
    assert trouble(seen(*said), NOW) == Trouble("closed")
    assert trouble(seen(*said), NOW, incidents=1).word == "alarm"
    assert trouble(seen(closed("T1"), alive("T1", state="lost")), NOW) == Trouble("silent", "lost")
    again = messages("T1", Scene("baccarat", {"burn": "none"}, (orders.CloseTable("night"), "shoe")))
    assert trouble(seen(again, alive("T1")), NOW).word == "playing"


def test_one_act_has_one_button() -> None:
    """The decision that voids the round stands in place of the order."""
    for script, expected in ((("shoe 9d 4s",), ["void"]), (("shoe 9d ??",), ["resolve void"])):
        table = seen(messages("T07", Scene("baccarat", {"burn": "none"}, script)))
        offers = [each for each in offered(table, trouble(table, NOW), "en") if not each.why_not]
        named = [" ".join(each.fields.get(field, "") for field in ("do", "choice")).strip() for each in offers]
        assert [each for each in named if "void" in each] == expected
