"""What the feeder asks for, and what it makes of answers: with witnesses in the same process, and a clock by hand."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from firmware_bridge.floor.config import parse
from firmware_bridge.floor.store.cosigned import Cosignature
from firmware_bridge.floor.verified.compare import compare
from firmware_bridge.floor.verified.feeder import Feeder, Outcome, Post, Reply, Split
from firmware_bridge.floor.verified.quorum import default_text
from firmware_bridge.floor.witness.request import parse as parse_request
from firmware_bridge.record.verify import Key, cosigned, parse_note, parse_policy, verified_checkpoint
from tests.kit.logs import Log, Memory
from tests.kit.witnesses import Here

pytest.importorskip("nacl")

ORIGIN = "shoe.example/a/1"


class Floor:
    """A feeder with witnesses in this process; `answers` of a witness replaces its own."""

    def __init__(self, folder: Path, log: Log, count: int = 3, every_s: float = 20.0) -> None:
        self.log, self.now, self.leaves = log, 1_000.0, Memory(log)
        self.witnesses = [Here(folder, f"w{n}.example/1", [log.key], seed=n) for n in range(1, count + 1)]
        rows = [{"vkey": each.key.vkey, "url": "https://w.example"} for each in self.witnesses]
        self.policy = parse_policy(default_text(parse({"witness": rows})))
        self.keys = [each.key for each in self.witnesses]
        self.feeder = Feeder(self.policy, self.keys, self.leaves, every_s)
        self.answers: dict[Key, Callable[[Post], Reply]] = {}
        self.posts: list[Post] = []

    def turn(self, size: int = 0, after: float = 0.0) -> list[Outcome]:
        """All that follows from a checkpoint of this size, and from time that passes."""
        self.now += after
        if size:
            self.feeder.add(self.log.note(size))
        made: list[Outcome] = []
        todo = self.feeder.due(self.now)
        while todo:
            one = todo.pop(0)
            if not isinstance(one, Post):
                made.append(one)
                continue
            self.posts.append(one)
            key = next(each for each in self.keys if each.vkey == one.witness)
            reply = self.answers.get(key, self.witnesses[self.keys.index(key)].post)(one)
            todo += self.feeder.answered(one, reply, self.now)
        return made

    def asked(self, key: Key) -> list[Post]:
        return [each for each in self.posts if each.witness == key.vkey]

    def close(self) -> None:
        """Close the witnesses' files."""
        for each in self.witnesses:
            each.close()


def kinds(made: list[Outcome]) -> list[str]:
    return [type(each).__name__ for each in made]


Made = Callable[..., Floor]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Made]:
    with ExitStack() as opened:
        yield lambda *given: opened.enter_context(closing(Floor(tmp_path, *given)))


@pytest.fixture
def floor(make: Made) -> Floor:
    return make(Log(ORIGIN, 400))


def test_a_checkpoint_is_witnessed_by_two_of_three_and_the_note_verifies(floor: Floor) -> None:
    made = floor.turn(9)
    assert kinds(made) == ["Cosignature", "Cosignature", "Met", "Cosignature"]
    note = parse_note(made[2].note)
    assert verified_checkpoint(note, [floor.log.key]).size == 9
    assert floor.policy.is_met(each.witness for each in cosigned(note, floor.keys))
    assert [each.name for each in note.signatures] == [ORIGIN, "w1.example/1", "w2.example/1"]
    assert floor.feeder.witnessed(ORIGIN) == 9


def test_each_checkpoint_goes_out_once_and_the_next_after_twenty_seconds(floor: Floor) -> None:
    floor.turn(9)
    assert floor.turn(11, after=19.0) == []
    floor.turn(12)
    assert kinds(floor.turn(after=1.1)).count("Cosignature") == 3
    assert [(each.old, each.size) for each in floor.asked(floor.keys[0])] == [(0, 9), (9, 12)]
    assert floor.turn(after=100.0) == []


def test_one_that_is_down_holds_up_nothing_and_is_tried_after_5_s_10_s_and_every_20_s(floor: Floor) -> None:
    down = floor.keys[0]
    floor.answers[down] = lambda _: Reply(0, b"Connection refused")
    made = floor.turn(9)
    assert kinds(made) == ["Cosignature", "Cosignature", "Met"]
    assert floor.feeder.views(ORIGIN)[0].trouble == "Connection refused"
    times, began = [], floor.now
    for _ in range(200):
        count = len(floor.asked(down))
        floor.turn(after=1.0)
        times += [floor.now - began] * (len(floor.asked(down)) - count)
    assert [b - a for a, b in zip([0.0, *times], times, strict=False)][:7] == [5, 10, 20, 20, 20, 20, 20]
    del floor.answers[down]
    assert kinds(floor.turn(after=20.0)) == ["Cosignature"]


@pytest.mark.parametrize("away_s", [30, 100, 180, 3_640])
def test_once_a_quorum_is_back_a_round_is_witnessed_within_60_s_of_its_end(floor: Floor, away_s: int) -> None:
    floor.turn(9)
    for each in floor.keys[:2]:
        floor.answers[each] = lambda _: Reply(0, b"Connection refused")
    for second in range(away_s):
        floor.turn(10 + second // 20, after=1.0)
    floor.answers.clear()
    floor.turn(395)
    for _ in range(45):  # seconds; a request without an answer takes 10 more
        floor.turn(after=1.0)
    assert floor.feeder.witnessed(ORIGIN) == 395, floor.feeder.views(ORIGIN)


@pytest.mark.parametrize("status", [429, 503, 0])
def test_while_one_does_not_answer_it_is_tried_with_one_log_at_a_time(make: Made, tmp_path: Path, status: int) -> None:
    logs = [Log(f"shoe.example/{n}/1", 30) for n in range(10)]
    floor = make(logs[0])
    floor.close()
    floor.feeder = Feeder(floor.policy, floor.keys, Memory(*logs))
    floor.witnesses = [Here(tmp_path / "x", f"w{n}.example/1", [each.key for each in logs], n) for n in (1, 2, 3)]
    floor.answers[floor.keys[0]] = lambda _: Reply(status, b"")
    for each in logs:
        floor.feeder.add(each.note(5))
    floor.turn()
    floor.posts.clear()
    floor.turn(after=5.0)
    assert len(floor.asked(floor.keys[0])) == 1
    del floor.answers[floor.keys[0]]
    floor.turn(after=10.0)
    floor.turn()
    assert len({each.origin for each in floor.asked(floor.keys[0])}) == 10


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_what_one_says_of_a_log_waits_for_this_log_alone(floor: Floor, status: int) -> None:
    floor.answers[floor.keys[0]] = lambda _: Reply(status, b"not here")
    assert "Split" not in kinds(floor.turn(9))
    assert floor.feeder.views(ORIGIN)[0].trouble == f"{status} not here"
    floor.turn(after=4.9)
    assert len(floor.asked(floor.keys[0])) == 1
    floor.turn(after=0.2)
    assert len(floor.asked(floor.keys[0])) == 2


def test_a_409_with_a_number_is_proved_from_there_once(floor: Floor) -> None:
    floor.witnesses[0].post(Post(ORIGIN, "", 0, "", 4, b"old 0\n\n" + floor.log.note(4).encode()))
    assert kinds(floor.turn(9)).count("Cosignature") == 3
    assert [(each.old, each.is_again) for each in floor.asked(floor.keys[0])] == [(0, False), (4, True)]
    floor.answers[floor.keys[0]] = lambda post: Reply(409, b"5\n" if post.old == 9 else b"4\n")
    floor.turn(12, after=20.0)
    assert [each.old for each in floor.asked(floor.keys[0])[2:]] == [9, 5]
    floor.turn(after=4.0)
    assert len(floor.asked(floor.keys[0])) == 4


def test_a_witness_that_has_seen_more_waits_for_our_checkpoint_above_it(floor: Floor) -> None:
    floor.answers[floor.keys[0]] = lambda post: Reply(409, b"30\n") if post.old == 0 else floor.witnesses[0].post(post)
    floor.witnesses[0].post(Post(ORIGIN, "", 0, "", 30, b"old 0\n\n" + floor.log.note(30).encode()))
    floor.turn(9)
    assert "it has seen 30" in floor.feeder.views(ORIGIN)[0].trouble
    floor.turn(20, after=20.0)
    assert len(floor.asked(floor.keys[0])) == 1
    assert kinds(floor.turn(31, after=20.0)).count("Cosignature") == 3
    assert floor.asked(floor.keys[0])[1].old == 30


@pytest.mark.parametrize("reply", [Reply(422, b"bad proof\n"), Reply(409, b""), Reply(409, b"x\n")])
def test_422_or_409_without_a_number_is_a_split_view_said_once_with_its_evidence(floor: Floor, reply: Reply) -> None:
    floor.turn(9)
    floor.answers[floor.keys[2]] = lambda _: reply
    made = floor.turn(12, after=20.0)
    [incident] = [each for each in made if isinstance(each, Split)]
    assert incident.origin == ORIGIN
    assert incident.evidence["note"] == floor.log.note(12)
    assert parse_request(incident.evidence["request"].encode()).old == 9
    assert incident.evidence["cosigned"].startswith("\u2014 w3.example/1 ")
    assert "Met" in kinds(made)
    later = [kind for n in range(13, 60) for kind in kinds(floor.turn(n, after=20.0))]
    assert "Split" not in later
    assert len(floor.asked(floor.keys[2])) <= 2 + 47 * 20 / 300


def test_a_real_fork_is_found_by_the_witness_that_saw_the_other_story(floor: Floor) -> None:
    fork = floor.log.fork(5)
    floor.witnesses[1].post(Post(ORIGIN, "", 0, "", 9, b"old 0\n\n" + fork.note(9).encode()))
    made = floor.turn(12)
    assert [each.text.split()[0] for each in made if isinstance(each, Split)] == ["w2.example/1"]
    assert [each.kind for each in floor.witnesses[1].evidence()] == ["proof"]


@pytest.mark.parametrize(
    "body", [b"", b"ok\n", b"\xff\n", b"\xe2\x80\x94 w1.example/1 AAAAAAAA\n", b"\n\n\n", b"x" * 60_000]
)
def test_a_200_without_a_good_cosignature_counts_for_nothing(floor: Floor, body: bytes) -> None:
    floor.answers[floor.keys[0]] = lambda _: Reply(200, body)
    assert kinds(floor.turn(9)) == ["Cosignature", "Cosignature", "Met"]
    assert floor.feeder.views(ORIGIN)[0].trouble
    other = floor.witnesses[1]
    floor.answers[floor.keys[0]] = other.post
    assert floor.turn(after=5.0) == []


def test_after_a_restart_it_goes_on_from_what_was_kept(floor: Floor) -> None:
    kept = [each for each in floor.turn(9) if isinstance(each, Cosignature)]
    floor.feeder = Feeder(floor.policy, floor.keys, floor.leaves)
    floor.feeder.remember(kept, [(ORIGIN, 9)])
    floor.posts.clear()
    assert floor.turn(9) == []
    floor.turn(20, after=20.0)
    assert {(each.old, each.size) for each in floor.posts} == {(9, 20)}


def test_what_was_cosigned_but_not_published_before_a_restart_is_published_then(floor: Floor) -> None:
    made = floor.turn(9)
    kept = [each for each in made if isinstance(each, Cosignature)]
    floor.feeder = Feeder(floor.policy, floor.keys, floor.leaves)
    floor.feeder.remember(kept[:2])
    assert floor.turn(9)[0] == made[2]


def test_nothing_is_sent_that_the_store_cannot_prove(floor: Floor, caplog: pytest.LogCaptureFixture) -> None:
    floor.turn(9)
    floor.posts.clear()
    floor.leaves.known[ORIGIN] = 11
    floor.turn(12, after=20.0)
    assert floor.posts == []
    floor.leaves.known[ORIGIN] = 12
    floor.log.hashes[10] = bytes(32)
    with caplog.at_level(logging.ERROR):
        assert floor.turn() == []
    assert floor.posts == []


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_without_a_policy_more_than_half_of_the_witnesses_are_a_quorum(make: Made, count: int) -> None:
    floor = make(Log(ORIGIN, 30), count)
    least = count // 2 + 1
    assert not floor.policy.is_met(floor.keys[: least - 1])
    assert floor.policy.is_met(floor.keys[-least:])
    assert floor.policy.liars() == 2 * least - count
    assert kinds(floor.turn(9))[least] == "Met"
    if count == 3:
        rows = [{"vkey": each.vkey, "url": "https://w.example"} for each in floor.keys]
        assert default_text(parse({"witness": rows})).endswith("group two 2 w1 w2 w3\nquorum two\n")


def replies(floor: Floor) -> dict[Key, Reply]:
    return {key: each.get(ORIGIN) for key, each in zip(floor.keys, floor.witnesses, strict=True)}


def compared(floor: Floor, found: dict[Key, Reply], **sizes: int) -> tuple[dict[str, int], list[str], list[str]]:
    own = {key: sizes.get(key.name[:2], 0) for key in floor.keys}
    made = compare(ORIGIN, [floor.log.key], found, own, floor.leaves, floor.feeder.proofs)
    return made.same, [each.text for each in made.differs], list(made.unknown)


def test_notes_of_one_history_compare_whatever_their_sizes(floor: Floor) -> None:
    floor.turn(9)
    floor.answers = {floor.keys[0]: lambda _: Reply(0, b"down")}
    floor.turn(300, after=20.0)
    assert compared(floor, replies(floor), w1=9) == (
        {"w1.example/1": 9, "w2.example/1": 300, "w3.example/1": 300},
        [],
        [],
    )


def test_one_liar_of_three_is_found_by_comparing(floor: Floor) -> None:
    """w3 cosigns whatever it is shown, so both stories get a quorum: w1 and w3 of ours, w2 and w3 of the other."""
    fork = floor.log.fork(7)
    floor.witnesses[1].post(Post(ORIGIN, "", 0, "", 9, b"old 0\n\n" + fork.note(9).encode()))
    floor.answers[floor.keys[1]] = lambda _: Reply(0, b"it is never asked")
    assert "Met" in kinds(floor.turn(9))
    same, differs, unknown = compared(floor, replies(floor))
    assert same == {"w1.example/1": 9, "w3.example/1": 9}
    assert differs == [f"w2.example/1 was shown another history of {ORIGIN} than the store has"]
    assert unknown == []


def test_two_that_saw_more_than_the_store_are_compared_with_each_other(floor: Floor) -> None:
    floor.leaves.known[ORIGIN] = 8
    for witness, log in zip(floor.witnesses, (floor.log, floor.log.fork(7), floor.log), strict=True):
        witness.post(Post(ORIGIN, "", 0, "", 9, b"old 0\n\n" + log.note(9).encode()))
    same, differs, unknown = compared(floor, replies(floor))
    assert (same, len(unknown)) == ({}, 3)
    assert [each.split(" were")[0] for each in differs] == [
        "w2.example/1 and w1.example/1", "w3.example/1 and w2.example/1"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "size", "says"),
    [
        (Reply(404, b""), 0, "has cosigned nothing"),
        (Reply(404, b""), 9, "not comparable"),
        (Reply(405, b""), 9, "not comparable"),
        (Reply(0, b"timed out"), 9, "no answer: timed out"),
        (Reply(500, b""), 9, "it answered 500"),
        (Reply(200, b"hello\n"), 9, "blank line"),
        (Reply(200, b"\xff"), 9, "no note"),
    ],
)
def test_a_witness_that_shows_no_note_is_named(floor: Floor, reply: Reply, size: int, says: str) -> None:
    floor.turn(9)
    same, differs, [unknown] = compared(floor, replies(floor) | {floor.keys[0]: reply}, w1=size)
    assert (len(same), differs) == (2, [])
    assert says in unknown


def test_a_note_of_another_log_or_without_its_own_cosignature_or_older_is_named(floor: Floor, tmp_path: Path) -> None:
    floor.turn(9)
    found = replies(floor)
    found[floor.keys[0]] = Reply(200, floor.log.note(9).encode())
    found[floor.keys[1]] = Reply(200, Log("shoe.example/b/1", 9).note(9).encode())
    same, differs, unknown = compared(floor, found, w3=12)
    assert (same, differs) == ({}, [])
    for said, wanted in zip(unknown, ("did not cosign", "not signed by a key", "cosigned 12"), strict=True):
        assert wanted in said
