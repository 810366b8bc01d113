"""What every store gives to an auditor: the tests of each engine bring the fixtures `make_house` and `place`.

The verifier runs alone, in an empty directory, as the auditor runs it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from pytest_mock import MockerFixture

from firmware_bridge.client.follower import node_of
from firmware_bridge.client.testing import FakeTable
from firmware_bridge.facts import orders
from firmware_bridge.facts.inputs import Follows, NewRecord, RecordRenewed
from firmware_bridge.floor.record.message import now
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.record.state import TrustedKey
from firmware_bridge.floor.store.cosigned import Witnessed
from firmware_bridge.floor.store.fact_queries import Between
from firmware_bridge.floor.verified.audit import behind
from firmware_bridge.journal.messages import messages
from firmware_bridge.record import verify
from tests.floor.house import Floor, House, commands
from tests.kit.journal_record import AT
from tests.kit.process import ran

pytest.importorskip("nacl")

from tests.record.exports import KEYS, ORIGIN, SECOND, SignedRecord, cosigned, device, policy_text

ALL_DAYS = Between("2020-01-01", "2099-12-31")


@pytest.fixture
def real_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name journals of fake tables as a real table does, in hex digits."""
    monkeypatch.setattr(FakeTable, "journal", property(lambda table: f"{table.shoe}-fa4e"))


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    return make_house()


@pytest.fixture
def floor(tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]) -> Floor:
    """Exit code and output of `shoe-floor` on the store of the house."""
    config = tmp_path / "floor.toml"
    config.write_text(f"[mqtt]\nport = 1\n[store]\n{place}\nkeep_years = 1\n")
    return commands(config, capsys)


class Verified(NamedTuple):
    code: int
    text: str


def verified(folder: Path, policy: str, *files: str | bytes, notes: tuple[str, ...] = ()) -> Verified:
    """What the verifier says of exports (bytes) and proofs (text), run alone in an empty directory."""
    place = folder / "auditor"
    place.mkdir()
    (place / "shoe-verify.py").write_bytes(Path(verify.__file__).read_bytes())
    (place / "keys.txt").write_text(policy)
    alone = ["--no-witness"] if "quorum none" in policy else []
    words = ["--policy", "keys.txt", *alone, *(["--notes"] if notes else [])]
    for number, note in enumerate(notes):
        (place / f"{number}.note").write_text(note)
        words.append(f"{number}.note")
    words.append("--")
    for number, each in enumerate(files):
        name = f"{number}.tlog-proof" if isinstance(each, str) else f"{number}.export"
        (place / name).write_bytes(each.encode() if isinstance(each, str) else each)
        words.append(name)
    done = ran("-I", "-S", "shoe-verify.py", *words, cwd=place)
    for path in place.iterdir():
        path.unlink()
    place.rmdir()
    return Verified(done.returncode, done.stdout + done.stderr)


def signed_table(house: House, folder: Path, rounds: tuple[int, ...] = (1, 3)) -> SignedRecord:
    """A table whose key is enrolled, with what it published of so many shoes at the back office."""
    house.store.put_key(TrustedKey("T07", device().key.vkey, "enrolled", "ANNA", "BO", now()))
    house.wait(10)
    record = SignedRecord(folder / "journals")
    record.begin()
    for number, each in enumerate(rounds):
        if number:
            record.open_shoe()
        record.play(each)
    send(house, record)
    return record


def send(house: House, record: SignedRecord, first: int = 0) -> None:
    for line in record.lines[first:]:
        house.send(*((f"shoe/T07/{each.topic}", each.payload) for each in messages(line)))


def witness(house: House, table: str = "T07", by: tuple[str, ...] = ("w1", "w3")) -> str:
    """Have witnesses cosign the newest checkpoint; returns the note."""
    log = max((each for each in house.store.logs() if each.table == table and each.size), key=lambda each: each.birth)
    note = cosigned(log.note, by)
    house.store.put_cosigned((), {table: [Witnessed(log.origin, log.size, now(), now(), note)]})
    return note


def test_an_export_of_the_store_is_that_of_the_table_byte_for_byte(house: House, floor: Floor, tmp_path: Path) -> None:
    record = signed_table(house, tmp_path)
    first, *later = record.exports()
    assert floor("record", "export", "T07", "-o", str(tmp_path / "out"))[0] == 0
    lines = (tmp_path / "out").read_bytes().splitlines(keepends=True)
    assert lines == [line for each in (first, *later) for line in each][: len(lines)]
    assert len(lines) == house.store.logs()[0].size > len(first)
    journal = record.lines[len(first)].public.journal
    code, said = floor("record", "export", "T07", "--journal", journal)
    assert (code, said.encode().startswith(b"".join(later[0]))) == (0, True)
    note = witness(house)
    whole = (tmp_path / "out").read_bytes()
    behind_the_first = b"".join([*later[0], *lines[-len(later[1]) :]])
    for export, count, code in ((whole, len(lines), 0), (behind_the_first, len(lines) - len(first), 5)):
        found = verified(tmp_path, policy_text(), export, notes=(note,))
        assert found.code == code, found.text
        assert "WRONG" not in found.text, found.text
        assert (f"entries 1 to {len(first)} are not shown" in found.text) is bool(code)
        assert f"{count} lines" in found.text
        assert f"witnessed up to entry {len(lines)}" in found.text
    changed = whole.replace(b'"type":"RoundClosed"', b'"type":"RoundVoided"', 1)
    assert verified(tmp_path, policy_text(), changed, notes=(note,)).code == 1


def test_an_open_round_is_said_and_is_not_in_the_export(house: House, floor: Floor, tmp_path: Path) -> None:
    """The auditor reads of the table's own export what the office says, and of the office's that all is signed."""
    record = signed_table(house, tmp_path)
    sent = len(record.lines)
    record.open_shoe()
    record.play(1).deal("9s8s")
    send(house, record, sent)
    house.wait(20)
    (size,) = {each.size for each in house.store.logs()}
    words = f"verified up to entry {size} of {size + 2}; the open round behind it is not signed yet"
    code, said = floor("record", "export", "T07", "-o", str(tmp_path / "out"))
    assert (code, f"T07: {words}\n" in said) == (0, True), said
    note = witness(house)
    own = verified(tmp_path, policy_text(), *(b"".join(lines) for lines in record.exports()), notes=(note,))
    assert (own.code, own.text.splitlines()[-1]) == (verify.OPEN_ROUND, words)
    found = verified(tmp_path, policy_text(), (tmp_path / "out").read_bytes(), notes=(note,))
    assert (found.code, f"{size} lines" in found.text) == (0, True), found.text
    forged = [each for each in messages(record.lines[-1]) if each.topic == "event"]
    for each in forged:
        house.send(
            (f"shoe/T07/{each.topic}", each.payload.replace(b'"seq":%d' % record.lines[-1].public.seq, b'"seq":40'))
        )
    house.wait(20)
    assert list(behind(house.store)) == [
        f"T07: verified up to entry {size} of {size + 3}; those behind it are not signed yet, and of no open round"
    ]


@pytest.mark.usefixtures("real_names")
def test_the_export_of_a_fake_table_verifies_by_the_page_of_keys_of_the_house(
    house: House, floor: Floor, tmp_path: Path
) -> None:
    table = house.table()
    house.enrol(table)
    table.play(4, {2: "void", 3: "correct", 4: "repeat"})
    table.new_shoe()
    table.play(2)
    code, policy = floor("record", "policy")
    assert (code, policy) == (0, f"log {table.key}\nquorum none\n")
    assert verify.parse_policy(policy).logs == (verify.parse_vkey(table.key),)
    assert floor("record", "export", "T07", "-o", str(tmp_path / "out"))[0] == 0
    found = verified(tmp_path, policy, (tmp_path / "out").read_bytes())
    assert found.code == 0, found.text
    assert f"{len(list(house.store.leaves(table.origin)))} lines" in found.text


@pytest.mark.parametrize("witnessed", [True, False])
def test_the_proof_of_each_entry_verifies_alone(house: House, floor: Floor, tmp_path: Path, witnessed: bool) -> None:
    record = signed_table(house, tmp_path)
    if witnessed:
        witness(house)
    size = house.store.logs()[0].size
    proofs = list[str]()
    for line in record.lines[:size]:
        name = f"{line.public.journal}:{line.public.seq}"
        code, said = floor("record", "prove", "T07", name, "-o", str(tmp_path / "x.tlog-proof"))
        assert (code, ("not witnessed yet" in said)) == (0, not witnessed), said
        proofs.append((tmp_path / "x.tlog-proof").read_text())
    found = verified(tmp_path, policy_text(quorum="two" if witnessed else "none"), *proofs)
    assert found.code == 0, found.text
    assert found.text.count("OK ") == size
    code, _ = floor("record", "prove", "T07", "newest", "-o", str(tmp_path / "x.tlog-proof"))
    assert (code == 0) == witnessed
    if witnessed:
        assert (tmp_path / "x.tlog-proof").read_text() == proofs[-1]
        table, _, node = node_of(proofs[-1], verify.parse_policy(policy_text()))  # where a backend goes on from
        assert (table, node.size, node.head) == ("T07", size, record.lines[size - 1].chain)
    refused = verified(tmp_path, policy_text(), proofs[3].replace("index 3\n", "index 2\n"))
    assert refused.code == 1
    assert (verified(tmp_path, policy_text(), proofs[0]).code == 0) == witnessed


@pytest.mark.usefixtures("real_names")
def test_an_entry_that_nothing_verified_is_neither_exported_nor_proved(
    house: House, floor: Floor, tmp_path: Path
) -> None:
    code, said = floor("record", "export", "T07")
    assert (code, "no entry of table T07 is verified" in said) == (1, True)
    table = house.table()
    house.enrol(table)
    table.play(1)
    forged = table.rounds[0].replace(b'"seq":2', b'"seq":9')
    house.send(("shoe/T07/round", forged))
    for entry in ("1-fa4e:9", "1-fa4e:x", "9", "2-fa4e:1", f"1-fa4e:{10**25}", "1-fa4e:\u00b2"):
        assert floor("record", "prove", "T07", entry)[0] == 1, entry
    assert floor("record", "export", "T07", "--journal", "9-none")[0] == 1
    assert b'"seq":9' not in floor("record", "export", "T07")[1].encode()


def test_a_second_record_is_exported_behind_the_first(house: House, floor: Floor, tmp_path: Path) -> None:
    record = signed_table(house, tmp_path, (1,))
    record.order(orders.CloseShoe())
    follows = Follows(ORIGIN, record.journal.tree.size, record.journal.chain, 0)
    record.journal.tree.coming = (device(SECOND),)
    begun = NewRecord(SECOND, device(SECOND).key.vkey, follows)
    record.take(RecordRenewed(at=AT, record=begun, why="another card", by="Anna", second="Bo"))
    record.open_shoe()
    record.play(1)
    house.store.put_key(TrustedKey("T07", device(SECOND).key.vkey, "enrolled", "ANNA", "BO", now()))
    house.wait(10)
    send(house, record)
    house.wait(20)
    assert [each.origin for each in house.store.logs()] == [ORIGIN, SECOND]
    assert floor("record", "export", "T07", "-o", str(tmp_path / "out"))[0] == 0
    found = verified(tmp_path, floor("record", "policy")[1], (tmp_path / "out").read_bytes())
    assert found.code == 0, found.text
    assert f"{len(record.lines)} lines" in found.text


@pytest.mark.usefixtures("real_names")
def test_where_names_are_replaced_only_the_heads_can_be_shown(
    make_house: Callable[..., House], floor: Floor, tmp_path: Path
) -> None:
    house = make_house(names=Names(b"k" * 32))
    table = house.table()
    house.enrol(table)
    table.play(2, {2: "correct"})  # entry 5 names who corrected
    table.play(2)
    policy = f"log {table.key}\nquorum none\n"
    assert house.store.last_unshown(table.origin) == 4
    code, said = floor("record", "export", "T07", "-o", str(tmp_path / "out"))
    assert code == 0
    assert f"entries 1 to 5 of {table.origin} are not in it: messages were deleted, or names of people" in said
    export = (tmp_path / "out").read_bytes()
    assert export.count(b"\n") == 4
    found = verified(tmp_path, policy, export)
    assert found.code == verify.NOT_SHOWN, found.text
    assert "WRONG" not in found.text, found.text
    assert "entries 1 to 5 are not shown" in found.text
    code, said = floor("record", "prove", "T07", "1-fa4e:5", "-o", str(tmp_path / "x.tlog-proof"))
    assert (code, "without the entry: its bytes are not in the store" in said) == (0, True)
    proof = verify.parse_proof((tmp_path / "x.tlog-proof").read_text())
    [leaf] = house.store.leaves_of("T07", "1-fa4e", 5)
    assert verify.check_proof(proof, bytes.fromhex(leaf.head), verify.parse_policy(policy)).size == 9
    assert floor("record", "prove", "T07", "1-fa4e:6", "-o", str(tmp_path / "x.tlog-proof"))[0] == 0
    assert verified(tmp_path, policy, (tmp_path / "x.tlog-proof").read_text()).code == 0


def test_the_note_for_the_auditor_is_the_one_that_a_quorum_cosigned(house: House, floor: Floor) -> None:
    table = house.table()
    house.enrol(table)
    table.play(2)
    assert floor("record", "note", "T07")[0] == 1
    note = witness(house, by=("w1", "w2"))
    assert floor("record", "note", "T07") == (0, note)
    assert len(verify.cosigned(verify.parse_note(note), KEYS.values())) == 2
    shown = json.loads(floor("record", "show", "--json")[1])
    assert (shown["size"], shown["witnessed"]) == (4, 4)


def forged(table: FakeTable, seq: int, head: str = "ab" * 32) -> list[tuple[str, bytes]]:
    """A round that nobody played, with its event, in a place of the table's journal."""
    made = []
    for topic, payload in table.sent[-2:]:
        body = msgspec.json.decode(payload) | {"seq": seq, "head": head}
        body = body | ({"round": 77} if topic == "round" else {"event": body["event"] | {"round": 77}})
        made.append((f"shoe/{table.table}/{topic}", msgspec.json.encode(body)))
    return made


def test_a_forged_round_with_a_head_that_is_verified_is_not_signed(house: House, floor: Floor) -> None:
    table = house.table()
    table.play(1)
    head = msgspec.json.decode(table.sent[-1][1])["head"]
    topic, body = forged(table, 2, head)[-1]
    house.send((topic, msgspec.json.encode(msgspec.json.decode(body) | {"n": 2, "of": 2})))
    house.wait(20)
    assert [(each["round"], each["proof"]) for each in house.rounds()] == [(1, "signed"), (77, "none")]
    house.enrol(table)
    assert exported(floor) == [(2, "signed")]


def test_a_forged_round_is_a_fact_until_the_key_is_enrolled(house: House, floor: Floor) -> None:
    table = house.table()
    table.play(1)
    house.send(*forged(table, 9))
    house.wait(20)
    assert facts(house) == {1, 77}
    house.enrol(table)
    assert facts(house) == {1}
    table.play(1)
    assert facts(house) == {1, 2}
    house.send(*forged(table, 11))
    assert facts(house) == {1, 2}
    before = house.store.sums(ALL_DAYS, ("tbl", "day"))
    house.store.rebuild_table("T07")
    assert (facts(house), house.store.sums(ALL_DAYS, ("tbl", "day"))) == ({1, 2}, before)


def facts(house: House) -> set[int]:
    """The rounds that are facts, of which the sums of days have each once."""
    found = {int(number) for (number,) in house.store._db.execute("select round from fact_round")}
    assert sum(each.day.rounds for each in house.store.sums(ALL_DAYS, ("tbl", "day"))) == len(found)
    return found


def exported(floor: Floor) -> list[tuple[int, str]]:
    """Entry and proof of each round of the export."""
    lines = [json.loads(line) for line in floor("export", "rounds")[1].splitlines() if line.startswith("{")]
    assert all(each["round"] < 77 for each in lines)
    return [(each["seq"], each["proof"]) for each in lines]


def test_export_rounds_says_what_each_is_worth(house: House, floor: Floor) -> None:
    bare, seen, table = house.table("T05", seed=None), house.table("T06"), house.table()
    house.enrol(table)
    for each in (bare, seen, table):
        each.play(2)
    witness(house)
    table.play(1)
    wanted = [(2, "none"), (4, "none"), (2, "signed"), (4, "signed"), (2, "witnessed"), (4, "witnessed"), (6, "signed")]
    assert exported(floor) == wanted
    assert floor("export", "rounds", "--csv", "--table", "T07")[1].count(",witnessed,") == 2
    for fault in ("correct", "void"):
        table.round(fault)
    assert exported(floor)[-2:] == [(6, "signed"), (9, "signed")]


@pytest.mark.parametrize("enrolled", ["before", "after the forged entry", "after its own"])
@pytest.mark.parametrize("copies", ["nothing", "its head"])
def test_an_entry_under_a_forged_place_is_exported_within_20_s_of_its_checkpoint(
    house: House, floor: Floor, enrolled: str, copies: str
) -> None:
    """Whoever has the login knows the place that comes next, and may send there first, or copy what came."""
    table = house.table()
    if enrolled == "before":
        house.enrol(table)
    table.play(2)
    house.send(*forged(table, 6))
    if enrolled == "after the forged entry":
        house.enrol(table)
    sent = len(table.sent)
    came: list[tuple[str, bytes]] = []
    table._send = lambda topic, payload: came.append((topic, payload))
    table.play(1)
    if copies == "its head":
        house.send(*forged(table, 6, msgspec.json.decode(table.sent[sent][1])["head"]))
        house.send(*forged(table, 6, msgspec.json.decode(table.sent[-1][1])["head"]))
    house.send(*came)
    if enrolled == "after its own":
        house.enrol(table)
    house.wait(20)
    assert exported(floor) == [(2, "signed"), (4, "signed"), (6, "signed")]
    rows = [each["body"].encode() for each in house.rounds()]
    assert rows == table.rounds


def test_a_key_is_enrolled_with_its_facts_or_not_at_all(house: House, mocker: MockerFixture) -> None:
    table = house.table()
    table.play(1)
    house.send(*forged(table, 9))
    mocker.patch.object(house.store, "_rebuild", side_effect=OSError)
    with pytest.raises(OSError):
        house.enrol(table)
    assert not any(each.was_enrolled for each in house.store.record_keys())
    mocker.stopall()
    house.enrol(table)
    assert facts(house) == {1}
