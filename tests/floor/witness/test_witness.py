"""The witness's rules, and the answers of the vectors byte for byte."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.floor.witness.keeper import Keeper, KeeperError
from firmware_bridge.floor.witness.keys import load
from firmware_bridge.floor.witness.request import body_of, parse
from firmware_bridge.floor.witness.witness import LogKey, Witness
from firmware_bridge.record.verify import Refused, cosigned, parse_note, parse_vkey
from tests.kit.logs import Log

pytest.importorskip("nacl")

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "vectors/record.json").read_text("utf-8"))
DEVICE, W1 = VECTORS["keys"]["device"], VECTORS["keys"]["w1"]
TIME = next(each["time"] for each in VECTORS["cosignatures"] if each["witness"] == W1["name"])
ORIGIN: str = VECTORS["origin"]

Made = Callable[..., Witness]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Made]:
    (tmp_path / "key").write_bytes(bytes.fromhex(W1["seed"]))
    keepers = []

    def made(*logs: LogKey) -> Witness:
        keepers.append(Keeper(tmp_path / "witness.db"))
        known = logs or (LogKey(parse_vkey(DEVICE["vkey"])),)
        return Witness(load(W1["name"], tmp_path / "key"), known, keepers[-1], lambda: TIME)

    yield made
    for each in keepers:
        each.close()


def test_every_request_of_the_vectors_is_answered_as_the_specification_says(make: Made) -> None:
    witness = make()
    for each in VECTORS["add_checkpoint"]:
        answer = witness.add_checkpoint(each["request"].encode())
        assert answer.status == each["spec"], each["name"]
        if each["spec"] in (200, 409):
            assert (answer.body, answer.kind) == (each["body"], each["type"] or answer.kind), each["name"]


def test_the_answers_are_the_same_where_it_starts_again_before_each_request(make: Made) -> None:
    for each in VECTORS["add_checkpoint"]:
        assert make().add_checkpoint(each["request"].encode()).status == each["spec"], each["name"]


def test_it_gives_the_newest_note_with_its_cosignature(make: Made) -> None:
    witness, hashed = make(), sha256(ORIGIN.encode()).hexdigest()
    assert witness.newest(hashed).status == 404
    for each in VECTORS["add_checkpoint"]:
        witness.add_checkpoint(each["request"].encode())
    answer = make().newest(hashed)
    assert answer.body == VECTORS["checkpoints"]["18"] + VECTORS["add_checkpoint"][-1]["body"]
    assert [each.at for each in cosigned(parse_note(answer.body), [parse_vkey(W1["vkey"])])] == [TIME]
    assert witness.newest(hashed[:-1] + "x").status == witness.newest("").status == 404


def test_what_was_refused_as_another_history_is_kept_and_said_once(
    make: Made, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    witness, asked = make(), {each["name"]: each["request"] for each in VECTORS["add_checkpoint"]}
    with caplog.at_level(logging.CRITICAL):
        for name in ("first sight", "grown", *["fork of the same size, rightly signed"] * 3, "bad proof"):
            witness.add_checkpoint(asked[name].encode())
    assert [each.message.split(":")[1] for each in caplog.records] == [" TWO HISTORIES", " a proof that does not fit"]
    with closing(Keeper(tmp_path / "witness.db")) as keeper:
        fork, bad = sorted(keeper.evidence(), key=lambda each: each.size)
    assert (fork.kind, fork.times, fork.request) == ("fork", 3, asked["fork of the same size, rightly signed"].encode())
    assert parse_note(fork.held).text == parse_note(VECTORS["checkpoints"]["10"]).text
    assert (bad.kind, bad.size, bad.times) == ("proof", 16, 1)
    assert "TWO HISTORIES" in fork.in_words()
    assert json.loads(fork.as_json())["note"] == fork.note


def test_the_file_takes_nothing_back(tmp_path: Path) -> None:
    import sqlite3

    log = Log("shoe.example/a/1", 20)
    with closing(Keeper(tmp_path / "w.db")) as keeper:
        witness = Witness(load("w", log.seed_file(tmp_path)), [LogKey(log.key)], keeper)
        assert witness.add_checkpoint(body_of(0, [], log.note(9))).status == 200
        assert witness.add_checkpoint(body_of(9, [], log.fork(9).note(9))).status == 422
    with sqlite3.connect(tmp_path / "w.db") as db:
        for order in (
            "delete from log",
            "update log set size = 8",
            "delete from evidence",
            "update log set root = x'00'",
        ):
            with pytest.raises(sqlite3.IntegrityError):
                db.execute(order)
    db.close()


def test_a_revoked_key_signs_up_to_its_size_and_a_second_key_goes_on(make: Made) -> None:
    first, second = Log("shoe.example/a/1", 30, seed=1), Log("shoe.example/a/1", 30, seed=2)
    witness = make(LogKey(first.key, until=10), LogKey(second.key))
    assert witness.add_checkpoint(body_of(0, [], first.note(10))).status == 200
    assert witness.add_checkpoint(body_of(10, first.proof(10, 11), first.note(11))).status == 403
    assert witness.add_checkpoint(body_of(10, first.proof(10, 11), second.note(11))).status == 200


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"old 0", b"old 0\n\n", b"old 0\n\nx\n1\n\n", b"old -1\n\n", b"old 01\n\nx", b"\xff"),
        *(
            b"old 0\nx\n\n" + VECTORS["checkpoints"]["10"].encode(),
            b"old 0\n\n\n" + VECTORS["checkpoints"]["10"].encode(),
        ),
        b"old 0\n" + b"A" * 43 + b"=\n\n" + VECTORS["checkpoints"]["10"].replace("\n10\n", f"\n{2**63}\n").encode(),
        b"old 0\n" + (b"A" * 43 + b"=\n") * 64 + b"\n" + VECTORS["checkpoints"]["10"].encode(),
        b"old 0\r\n\n" + VECTORS["checkpoints"]["10"].encode(),
    ],
)
def test_what_is_no_request_is_400(make: Made, body: bytes) -> None:
    assert make().add_checkpoint(body).status == 400


def test_any_damaged_request_is_refused_or_means_the_same(make: Made) -> None:
    """Fuzz: bytes cut, doubled, exchanged and flipped; none raises, none but the same tree is cosigned."""
    from random import Random

    random, witness = Random(30), make()
    requests = [each["request"].encode() for each in VECTORS["add_checkpoint"]]
    for each in requests[:2]:
        assert witness.add_checkpoint(each).status == 200
    stated = parse(requests[1]).stated
    for turn in range(4_000):
        body = bytearray(random.choice(requests[:-1]))
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(body))
            match random.randrange(4):
                case 0:
                    body[at] ^= 1 << random.randrange(8)
                case 1:
                    del body[at : at + random.randrange(1, 60)]
                case 2:
                    body[at:at] = random.choice(requests)[: random.randrange(80)]
                case _:
                    body[at : at + 1] = random.choice([b"\n", b"\n\n", b"\0", b" ", b"\xe2\x80\x94 ", b"=", b"9" * 30])
            body = body or bytearray(b"x")
        answer = witness.add_checkpoint(bytes(body))
        assert answer.status in (200, 400, 403, 404, 409, 422), turn
        if answer.status == 200:
            assert parse(bytes(body)).stated == stated
        elif answer.status != 409:
            assert "\n" not in answer.body[:-1]


def test_a_parser_reads_what_was_written() -> None:
    log = Log("shoe.example/a/1", 12)
    request = parse(body_of(5, log.proof(5, 12), log.note(12)))
    assert (request.old, list(request.proof), request.stated.size) == (5, log.proof(5, 12), 12)
    with pytest.raises(Refused, match="not UTF-8"):
        parse(b"old 1\n\n\xff")


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "w.db") as db:
        db.execute("pragma user_version = 9")
    db.close()
    with pytest.raises(KeeperError, match="has format 9"):
        Keeper(tmp_path / "w.db")
    with pytest.raises(KeeperError, match="unable to open"):
        Keeper(tmp_path / "none.db", make=False)
