"""The past of a table is rewritten, in its journal or in the store, or taken back: who finds what, and when."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware_bridge.facts.cards import cards
from firmware_bridge.facts.inputs import CardRead
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.line import FIRST_CHAIN, seal
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.record_tree import RecordTree
from firmware_bridge.record.signer import Signer, signer
from firmware_bridge.record.verify import parse_vkey
from firmware_bridge.shoe import Shoe, advance, decide
from tests.floor import real_house
from tests.floor.real_house import RealHouse, alarms
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.patience import LIMIT_S
from tests.kit.process import ran
from tests.kit.witnesses import Served

pytestmark = pytest.mark.story

brokers, house, thief = real.brokers, real_house.house, real_house.thief  # fixtures


# ------------------------------------------------------------------------------- S2: the past is rewritten by its code


def rewrite(house: RealHouse, signers: Sequence[Signer]) -> None:
    """Let player win the last round, with the product's own code: from the first entry on, all is right again.

    signers: who signs the tree; without one, no line carries a checkpoint any more.
    """
    shoe, chain, tree = Shoe(), FIRST_CHAIN, RecordTree()
    tree.coming = tuple(signers)  # RecordBegun is the first to be signed by them
    before = house.table.lines()[-1].chain
    two, five = cards("2s 5s")
    for path in journal_files(house.table.journal_dir):
        lines = []
        for line, _ in read_lines(Place(path, 0)):
            assert line.entry
            fact = line.entry.input
            if isinstance(fact, CardRead) and fact.card == two:
                fact = replace(fact, card=five)
            entry = replace(line.entry, input=fact, events=decide(shoe, fact))
            made = seal(entry, chain, tree.prove)
            tree.added(made)
            shoe, chain = advance(shoe, entry), made.chain
            lines.append(made.data)
        path.write_bytes(b"".join(lines))
    assert house.table.lines()[-1].chain != before


def verified(house: RealHouse) -> str:
    """What `shoe journal verify` says is wrong."""
    done = ran("-m", "firmware_bridge", "journal", "verify", "--dir", house.table.journal_dir)
    assert done.returncode == ("FAIL" in done.stdout)
    return done.stdout.partition("FAIL")[2]


def own_key(house: RealHouse) -> Signer:
    [vkey] = {each for (each,) in house.asked("select vkey from record_key")}
    return signer(parse_vkey(vkey).name, house.table.key_file.read_bytes())


def test_s2_a_past_signed_with_another_key_is_found_at_the_table(house: RealHouse) -> None:
    house.open()
    house.table.stop()
    assert verified(house) == ""
    rewrite(house, [signer(own_key(house).key.name, bytes(32))])
    assert "not signed by a key that is known" in verified(house)


@pytest.mark.parametrize("has_key", [False, True], ids=["checkpoints taken off", "signed anew"])
@pytest.mark.parametrize("compares", [True, False], ids=["table and ingest", "ingest alone"])
def test_s2_a_rewritten_past_is_found_when_the_table_goes_on(
    house: RealHouse, thief: Backend, has_key: bool, compares: bool
) -> None:
    """Who has root on the card has its key too: then only others know, who have heads or notes of before."""
    house.open()
    house.table.stop()
    rewrite(house, [own_key(house)] if has_key else [])
    assert ("no checkpoint covers it" in verified(house)) is not has_key
    before = house.rounds()
    if not compares:
        text = house.table.config_path.read_text()
        house.table.config_path.write_text(text.replace('stored = "floor"', ""))
    house.table.start()
    house.incident("two_heads")
    if compares:
        house.until(lambda: "record_differs" in alarms(thief))
    assert house.rounds() == before


def test_s2_a_rewritten_store_is_found_when_the_ingest_starts(house: RealHouse) -> None:
    """Then it verifies all of it; later in the day only what came since (tests/floor/test_record_commands.py)."""
    house.open()
    house.ingest.end()
    rewrite_store(house)
    house.ingest.start()
    house.until(lambda: "rewritten" in house.kinds(), LIMIT_S)
    house.incident("rewritten")


def rewrite_store(house: RealHouse) -> None:
    """Let banker win, not player, in the rows of the store."""
    with closing(SqliteStore(house.ingest.path)) as store, store._db as db:
        db.execute("drop trigger message_is_never_changed")
        words = "'\"player\":', '\"banker\":'"
        change = f"update message set body = cast(replace(cast(body as text), {words}) as blob)"
        assert db.execute(f"{change} where topic = 'round'").rowcount == 2


def test_s2_a_rewritten_store_is_found_at_once_by_check(house: RealHouse, capsys: pytest.CaptureFixture[str]) -> None:
    house.open()
    house.ingest.end()
    rewrite_store(house)
    assert house.floor("check", "--record") == 1
    said = capsys.readouterr().out
    assert "its round is not the one of its event" in said
    assert "wrong   T07: rewritten: in the store, entry" in said


# ------------------------------------------------------------------------------------------- S3: taken back to shoe 1


def test_s3_a_card_taken_back_to_before_the_shoe_is_an_incident(house: RealHouse) -> None:
    """The whole directory with its cursor, copied while the daemon was stopped, before the shoe was opened."""
    house.begin()
    saved = saved_image(house)
    house.open()
    take_back(house, saved)
    started_again(house)
    house.incident("two_heads", "journal_number", "prev_null")
    assert len(house.rounds()) == 2


def test_s3_a_card_taken_back_signs_nothing_where_a_witness_has_seen_more(house: RealHouse, thief: Backend) -> None:
    """What witnesses have seen is retained at the broker: the table hears it when it connects."""
    witness = Served(house.folder, "w1.example/1", [house.begin()], 1)
    house.witnessed_by((witness.key, witness.url))
    saved = saved_image(house)
    house.open()
    house.until(lambda: house.witnessed() >= 10)
    take_back(house, saved)
    started_again(house)
    house.until(lambda: "record_rolled_back" in alarms(thief))
    assert not house.table.ask(do="status")["record"]["signed"]
    house.incident("two_heads", "journal_number", "prev_null")
    assert len(house.rounds()) == 2
    witness.stop()
    witness.close()


def saved_image(house: RealHouse) -> Path:
    saved = house.folder / "image"
    shutil.copytree(house.table.journal_dir, saved, ignore=shutil.ignore_patterns("*.sock"))
    return saved


def take_back(house: RealHouse, saved: Path) -> None:
    house.table.stop()
    shutil.rmtree(house.table.journal_dir)
    shutil.copytree(saved, house.table.journal_dir)


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
