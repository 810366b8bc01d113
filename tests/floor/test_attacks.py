"""Three attacks on the record, step by step, with a real table, broker and ingest: who finds what, and when.

The broker has the rights of docs/broker.md; a thief has what lies on a table's card.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.journal.files import journal_files
from tests.floor.real_house import ACL, USERS, RealHouse, copied, thief_of
from tests.kit import broker as real
from tests.kit.backend import Backend

brokers = real.brokers  # fixture


@pytest.fixture
def house(tmp_path: Path, brokers: Any) -> Iterator[RealHouse]:
    made = RealHouse(tmp_path, brokers(users=USERS, acl=ACL, persistence=True))
    yield made
    made.close()


@pytest.fixture
def thief(house: RealHouse) -> Iterator[Backend]:
    with thief_of(house.broker.port) as made:
        yield made


def changed(house: RealHouse) -> dict[str, Any]:
    """The last round, as finding S1 changes it."""
    last = house.rounds()[-1]
    before = {"journal": last["journal"], "seq": last["seq"]}
    wanted = {"seq": last["seq"] + 9, "round": last["round"] + 1, "outcome": "player", "prev": before}
    return last | wanted | {"head": "ab" * 32}


def alarms(thief: Backend) -> set[str]:
    """The alarms that the table says it has."""
    return {each["id"] for each in thief.on("alarm")[-1]["open"]}


# ---------------------------------------------------------------------------------- S1: whoever has the login settles


def test_s1_by_login_alone_nothing_is_settled(house: RealHouse, thief: Backend) -> None:
    house.open()
    before = house.rounds()
    thief.publish("shoe/T07/round", changed(house))
    house.incident("round_without_event")
    house.incident("foreign")  # the table heard it too
    assert house.rounds() == before
    assert "record_foreign" in alarms(thief)
    house.until(lambda: thief.on("lamps")[-1]["lit"].get("fault") == "steady")
    assert "record_foreign" in str(thief.on("lamps")[-1])
    house.play(2)
    house.until(lambda: len(house.rounds()) == 4)
    assert [each["round"] for each in house.rounds()] == [1, 2, 3, 4]
    assert not any(each["head"] == "ab" * 32 for each in house.rounds())


def test_s1_at_a_table_that_is_not_enrolled_it_is_an_incident(house: RealHouse, thief: Backend) -> None:
    house.open(enrolled=False)
    thief.publish("shoe/T07/round", changed(house))
    house.incident("round_without_event")
    assert house.asked("select proof from rounds where body like '%abababab%'") == [("none",)]


# --------------------------------------------------------------------------------------- a copied card is a copied key


def test_a_copied_card_is_an_incident_within_a_round(house: RealHouse, thief: Backend) -> None:
    house.open()
    with copied(house) as copy:
        house.play(table=copy)
        house.play()
        house.incident("two_heads")
        house.until(lambda: "record_foreign" in alarms(thief))
        house.until(lambda: thief.on("lamps")[-1]["lit"].get("fault"))


def test_a_copied_card_is_accepted_while_the_table_is_off_and_found_when_it_starts(
    house: RealHouse, thief: Backend
) -> None:
    house.open()
    house.table.stop()
    with copied(house) as copy:
        house.play(table=copy)
        house.until(lambda: len(house.rounds()) == 3)
        assert house.kinds() == set()
        copy.stop()
    house.table.start()
    house.incident("two_heads")


# ------------------------------------------------------------------------------- S2: the past is rewritten by its code


def rewritten(data: bytes, before: str, old: bytes, new: bytes) -> tuple[bytes, str]:
    """A line of a journal with something changed, its chain and checksum made right again; and its new head."""
    fields = data.rstrip(b"\n").rstrip(b" ").split(b"\t")
    _, _, _, public, sealed, proof = fields
    public = public.replace(old, new)
    head = sha256(before.encode() + sha256(sealed).hexdigest().encode() + public).hexdigest()
    body = b"\t".join((head.encode(), public, sealed, proof))
    line = b"3\t%08x\t%b" % (crc32(body, crc32(b"3")), body)
    return line.ljust(len(data) - 1, b" ") + b"\n", head


def rewrite(directory: Path) -> int:
    """Let another side win in the first journal; returns how many lines are other ones."""
    count, before = 0, "0" * 64
    for path in journal_files(directory):
        lines = []
        for data in path.read_bytes().splitlines(keepends=True):
            if not data.startswith(b"3\t"):
                lines.append(data)
                continue
            line, head = rewritten(data, before, b'"outcome":"player"', b'"outcome":"banker"')
            count += line != data
            lines.append(line)
            before = head
        path.write_bytes(b"".join(lines))
    return count


def test_s2_a_rewritten_past_is_found_when_the_table_goes_on(house: RealHouse, thief: Backend) -> None:
    """The technician has root, but no key of another card: chain and checksums are right, the tree is not."""
    house.open()
    house.table.stop()
    assert rewrite(house.table.journal_dir)
    verify = [sys.executable, "-m", "firmware_bridge", "journal", "verify", "--dir", str(house.table.journal_dir)]
    found = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert found.returncode == 1, found.stdout
    before = house.rounds()
    house.table.start()
    try:
        house.play(1)
    except AssertionError:
        assert house.table.process  # a daemon that refuses its journal deals no card
    if house.table.process and house.table.process.poll() is None:
        house.until(lambda: house.kinds() & {"two_heads", "bad_checkpoint", "foreign"})
    assert house.rounds()[: len(before)] == before


def test_s2_a_rewritten_store_is_found_at_once_by_check(house: RealHouse, capsys: pytest.CaptureFixture[str]) -> None:
    house.open()
    house.ingest.end()
    with closing(SqliteStore(house.ingest.path)) as store:
        store._db.execute("drop trigger message_is_never_changed")
        words = "'\"player\":', '\"banker\":'"
        change = f"update message set body = cast(replace(cast(body as text), {words}) as blob)"
        assert store._db.execute(f"{change} where topic = 'round'").rowcount == 2
    assert house.floor("check", "--record") == 1
    said = capsys.readouterr().out
    assert "its round is not the one of its event" in said
    assert "wrong   T07: rewritten: in the store, entry" in said


# ------------------------------------------------------------------------------------------- S3: taken back to shoe 1


def test_s3_a_card_taken_back_to_before_the_shoe_is_an_incident(house: RealHouse) -> None:
    """The whole directory with its cursor, copied while the daemon was stopped, before the shoe was opened."""
    house.table.start()
    assert house.table.ask(do="status")["record"]["signed"]
    house.table.stop()
    saved = house.folder / "image"
    shutil.copytree(house.table.journal_dir, saved, ignore=shutil.ignore_patterns("*.sock"))
    house.open()
    house.table.stop()
    shutil.rmtree(house.table.journal_dir)
    shutil.copytree(saved, house.table.journal_dir)
    started_again(house)
    house.incident("two_heads", "journal_number", "prev_null")
    assert len(house.rounds()) == 2


def test_s3_the_newest_journal_and_the_cursor_gone_is_an_incident(house: RealHouse) -> None:
    house.open()
    house.table.stop()
    *_, newest = journal_files(house.table.journal_dir)
    newest.unlink()
    (house.table.journal_dir / "cursor").unlink()
    started_again(house)
    house.incident("journal_number", "prev_null")
    assert len(house.rounds()) == 2


def started_again(house: RealHouse) -> None:
    """Start the table with its reader, as after a power cut, and play a round."""
    house.table.board.reset()
    house.table.start()
    house.play()
