"""A table whose card was restored from a copy hears proof of it; and all that only looks like it, by real processes."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.cli import main
from firmware_bridge.facts.events import ReaderSession
from firmware_bridge.journal.line import Line
from firmware_bridge.record.signer import checkpoint_text, signed_note, signer
from tests.floor import real_house
from tests.floor.real_house import ACL, ROUNDS, USERS, RealHouse
from tests.floor.test_attacks_past import saved_image, take_back
from tests.floor.test_signed_house import sign
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.order_keys import OrderKey
from tests.kit.patience import Patience

pytestmark = pytest.mark.story

brokers, thief = real.brokers, real_house.thief  # fixtures

TOPIC: Final = "shoe/T07/checkpoint"
STORED: Final = "shoe/T07/stored"
EVENT: Final = "shoe/T07/event"
PEOPLE: Final = ("--by", "anna", "--second", "bo")


@pytest.fixture
def house(tmp_path: Path, brokers: Callable[..., Broker]) -> Iterator[RealHouse]:
    """A house whose table has decks enough for each round again and again."""
    made = RealHouse(tmp_path, brokers(users=USERS, acl=ACL, persistence=True))
    text = made.table.config_path.read_text()
    made.table.config_path.write_text(text.replace("decks = 1\n", "decks = 8\n"))
    yield made
    made.close()


@pytest.fixture
def signing(house: RealHouse, capsys: pytest.CaptureFixture[str]) -> RealHouse:
    """A house whose ingest signs `stored`, at a table that takes no unsigned message; nothing runs yet."""
    sign(house, capsys)
    return house


def until(house: RealHouse, condition: Callable[[], Any]) -> None:
    """Wait for something that asks the table itself."""
    patience = Patience()
    while not condition():
        assert not patience.is_over, house.table.story()
        house.table.pause(0.1)


def proof(house: RealHouse) -> dict[str, Any]:
    """The values of the alarm, empty while there is none."""
    opened = house.table.ask(do="status")["alarm"]["open"]
    return next((each["values"] for each in opened if each["id"] == "record_rolled_back"), {})


def notes(house: RealHouse) -> list[str]:
    """The checkpoints in the table's journals."""
    return [line.proof.note for line in house.table.lines() if line.proof.note]


def record(house: RealHouse) -> dict[str, Any]:
    return dict(house.table.ask(do="status")["record"])


def is_session(line: Line) -> bool:
    return line.entry is not None and any(isinstance(each, ReaderSession) for each in line.entry.events)


def start(house: RealHouse) -> None:
    """Start the table after a power cut, its reader too, and accept what may be missing between."""
    before = len(house.table.lines())
    house.table.board.reset()
    house.table.start()
    house.until(lambda: any(is_session(line) for line in house.table.lines()[before:]))
    if "reader_gap" in {each["id"] for each in house.table.ask(do="status")["alarm"]["open"]}:
        accepted = {"do": "resolve", "irregularity": "reader_gap", "choice": "accept", "by": "anna"}
        assert house.table.ask(**accepted)["ok"]


def taken_back(house: RealHouse, rounds: int = 3) -> None:
    """A round, a copy of the card, more rounds, and the copy back in its place; the table is stopped."""
    house.play()
    house.table.stop()
    saved = saved_image(house)
    start(house)
    house.play(rounds)
    if house.ingest.process:
        until(house, lambda: is_stored(house))
    take_back(house, saved)


def stored_of(house: RealHouse) -> tuple[str, int] | None:
    found = house.table.ask(do="status")["broker"]["store"]["stored"]
    return tuple(found) if found else None


def is_stopped(house: RealHouse, *by: str) -> None:
    """The alarm comes, nothing more is signed, through a restart too, and cards are dealt on."""
    until(house, lambda: proof(house))
    assert (first := proof(house))["proof"] in by
    before, dealt = notes(house), len(house.table.lines())
    house.play()
    house.table.stop()
    start(house)
    house.play()
    assert proof(house) == first
    assert notes(house) == before
    assert len(house.table.lines()) > dealt + 8
    assert not record(house)["signed"]


def ends_by_another_record(house: RealHouse) -> None:
    """Two people begin another record: the alarm is gone, and it is signed, after a restart too."""
    before = record(house)["origin"]
    begin_record(house)
    after = record(house)
    assert (after["signed"], after["origin"] != before, proof(house)) == (True, True, {})
    signs_on(house)
    house.table.stop()
    start(house)
    signs_on(house)


def begin_record(house: RealHouse) -> None:
    closed = house.table.ask(do="close_shoe", by="anna")
    assert closed["ok"], closed
    key = str(house.table.key_file)
    words = ["record", "begin", *PEOPLE, "--why", "x", "--file", key, "--config", str(house.table.config_path)]
    assert main(words) == 0  # the next key is made
    house.table.stop()
    start(house)
    assert main(words) == 0


def signs_on(house: RealHouse) -> None:
    """No alarm once what a store and a broker say has come, and the next round is signed."""
    house.table.pause(1.0)
    before = len(notes(house))
    house.play()
    house.until(lambda: len(notes(house)) > before)
    assert proof(house) == {}
    assert record(house)["signed"]


def retained(house: RealHouse, thief: Backend) -> str:
    """The checkpoint that the broker keeps, once it is the newest of the journals."""
    newest = notes(house)[-1]
    house.until(lambda: [each["note"] for each in thief.on("checkpoint")][-1:] == [newest])
    return newest


# ------------------------------------------------------------------------------------------------------ proved


def test_a_card_taken_back_signs_nothing_more_until_another_record_begins(signing: RealHouse) -> None:
    house = signing
    house.ingest.start()
    house.table.start()
    taken_back(house)
    start(house)
    is_stopped(house, "broker", "store", "stored")
    house.incident("two_heads")
    ends_by_another_record(house)


@pytest.mark.parametrize("enrolled", [True, False], ids=["enrolled", "seen"])
def test_who_deletes_the_checkpoint_at_the_broker_hides_nothing_that_the_store_proves(
    signing: RealHouse, thief: Backend, enrolled: bool
) -> None:
    house = signing
    house.ingest.start()
    house.table.start()
    if enrolled:
        house.enrol()
    taken_back(house)
    thief.publish(TOPIC, b"", retain=True)
    start(house)
    is_stopped(house, "store", *(() if enrolled else ("stored",)))
    ends_by_another_record(house)


def test_without_a_store_the_own_checkpoint_proves_it(house: RealHouse) -> None:
    house.table.start()
    taken_back(house)
    start(house)
    is_stopped(house, "broker")
    ends_by_another_record(house)


def test_a_card_taken_back_that_played_on_alone_is_known_too(house: RealHouse) -> None:
    """More entries than before, of another past: it dealt them while the broker was away."""
    house.table.start()
    taken_back(house, 1)
    house.broker.stop()
    start(house)
    house.play(4)
    assert record(house)["signed"]
    house.broker.start()
    is_stopped(house, "broker")


def test_a_card_taken_back_that_opened_another_shoe_alone_hears_it_from_the_store(
    signing: RealHouse, thief: Backend
) -> None:
    """The store has nothing of that journal, and the broker's checkpoint was deleted."""
    house = signing
    house.ingest.start()
    house.table.start()
    house.enrol()
    taken_back(house)
    thief.publish(TOPIC, b"", retain=True)
    house.broker.stop()
    start(house)
    house.play()
    assert house.table.ask(do="close_shoe", by="anna")["ok"]
    house.play(2)
    house.broker.start()
    is_stopped(house, "store")


def test_the_signed_word_of_a_store_proves_it_and_no_other_one(house: RealHouse, thief: Backend) -> None:
    """Of a receiver that verifies nothing: an entry beyond the end of a journal that is here."""
    floor, second = keyed(house)
    house.table.start()
    house.play()
    last = house.table.last_line().public
    beyond = json.dumps({"journal": last.journal, "seq": last.seq + 20, "by": "floor"})
    elsewhere = json.dumps({"journal": "9-abcd", "seq": 3, "by": "floor"})
    for harmless in (
        beyond,
        second.seal(beyond.replace("floor", "second"), STORED),
        floor.seal(beyond.replace("floor", "second"), STORED),
        floor.seal(beyond, "shoe/T08/stored"),
        floor.seal(elsewhere, STORED),
        OrderKey("floor", seed="stranger").seal(beyond, STORED),
    ):
        thief.publish(STORED, harmless)
    signs_on(house)
    thief.publish(STORED, floor.seal(beyond, STORED))
    is_stopped(house, "stored")
    ends_by_another_record(house)
    thief.publish(STORED, floor.seal(beyond, STORED))  # once more: it is answered
    signs_on(house)


def keyed(house: RealHouse) -> tuple[OrderKey, OrderKey]:
    """Keys of the table's store and of a second receiver, which it knows; unsigned orders are taken too."""
    keys = OrderKey("floor", "stored"), OrderKey("second", "stored")
    rows = [f'[[orders]]\nname = "{key.name}"\nkey = "{key.row["key"]}"\nallows = ["stored"]\n' for key in keys]
    with house.table.config_path.open("a") as file:
        file.write("\n" + "".join(rows))
    return keys


# -------------------------------------------------------------------------------------------------- not proved


@pytest.fixture
def playing(signing: RealHouse) -> RealHouse:
    """A house in play, its table enrolled and its store up to it."""
    signing.ingest.start()
    signing.table.start()
    signing.enrol()
    signing.play(2)
    until(signing, lambda: is_stored(signing))
    return signing


def is_stored(house: RealHouse) -> bool:
    last = house.table.last_line().public
    return stored_of(house) == (last.journal, last.seq)


def again(house: RealHouse) -> None:
    """Stop the table, and start it."""
    house.table.stop()
    start(house)


def test_another_pi_of_the_same_table_proves_nothing(playing: RealHouse, thief: Backend) -> None:
    """A spare Pi dealt more in the table's name, with a record of its own."""
    house = playing
    house.table.stop()
    (folder := house.folder / "spare").mkdir()
    spare = DaemonTable(folder, house.broker.port)
    spare.key_file.write_bytes(bytes(range(7, 39)))
    text = house.table.config_path.read_text()
    for before, now in (
        (house.table.journal_dir, spare.journal_dir),
        (house.folder / "reader", folder / "reader"),
        (house.table.key_file, spare.key_file),
    ):
        text = text.replace(f'"{before}"', f'"{now}"')
    spare.config_path.write_text(text)
    try:
        spare.start()
        house.play(6, table=spare)
        size = spare.ask(do="status")["record"]["size"]
        spare.until(lambda: thief.on("checkpoint")[-1]["note"].split("\n")[0] == origin(spare))
        spare.stop()
    finally:
        spare.close()
    start(house)
    assert size > record(house)["size"]
    signs_on(house)


def origin(table: DaemonTable) -> str:
    return next(line.proof.note.split("\n")[0] for line in table.lines() if line.proof.note)


def test_the_record_before_proves_nothing_against_another_one(playing: RealHouse, thief: Backend) -> None:
    house = playing
    house.play(2)
    old = retained(house, thief)
    begin_record(house)
    assert origin(house.table) != record(house)["origin"]
    thief.publish(TOPIC, old, retain=True)
    signs_on(house)
    house.table.stop()
    thief.publish(TOPIC, old, retain=True)
    start(house)
    signs_on(house)


def test_a_changed_key_proves_nothing_nor_does_the_key_before_it(playing: RealHouse, thief: Backend) -> None:
    """The old key may be in other hands: that is why it was changed."""
    house = playing
    old = house.table.key_file.read_bytes()
    assert house.table.ask(do="close_shoe", by="anna")["ok"]
    words = [*PEOPLE, "--file", str(house.table.key_file), "--config", str(house.table.config_path)]
    assert main(["key", "rotate", *words]) == 0
    again(house)
    assert main(["key", "rotate", *words]) == 0
    signs_on(house)
    forged = larger(house, old)
    thief.publish(TOPIC, forged, retain=True)
    signs_on(house)
    assert house.table.ask(do="close_shoe", by="anna")["ok"]
    assert main(["key", "retire", *words]) == 0
    house.table.stop()
    thief.publish(TOPIC, forged, retain=True)
    start(house)
    signs_on(house)


def larger(house: RealHouse, seed: bytes, name: str = "") -> str:
    """A note of more entries than the table's record has, signed with this key."""
    made = signer(name or record(house)["origin"], seed)
    return signed_note(checkpoint_text(made.key.name, record(house)["size"] + 100, bytes(32)), [made])


def test_a_checkpoint_of_before_or_of_a_stranger_proves_nothing(playing: RealHouse, thief: Backend) -> None:
    """Kept by the broker when the table starts, or sent while it is up; somebody replays it, or forges one."""
    house = playing
    own = house.table.key_file.read_bytes()
    good = larger(house, own)
    line = good.splitlines()[-1]
    sent = (
        notes(house)[0],
        notes(house)[-2],
        larger(house, bytes(32)),
        larger(house, own, "shoe.invalid/other/00000000"),
        good.replace(line, line[:-9] + "AAAAAAAA="),
        good.replace("\n", "\r\n"),
        "\0",
        "x" * 9000,
        "",
    )
    for note in sent:
        thief.publish(TOPIC, note, retain=True)
        house.table.pause(1.1)  # one a second is looked at
    signs_on(house)
    for note in sent[:5]:
        house.table.stop()
        thief.publish(TOPIC, note, retain=True)
        start(house)
        signs_on(house)


def test_a_store_restored_from_a_backup_proves_nothing(playing: RealHouse) -> None:
    house = playing
    house.ingest.end(signal.SIGTERM)
    backup = house.folder / "backup.db"
    shutil.copy(house.ingest.path, backup)
    house.ingest.start()
    house.play(3)
    until(house, lambda: is_stored(house))
    house.ingest.end(signal.SIGTERM)
    for path in house.folder.glob("floor.db*"):
        path.unlink()
    shutil.copy(backup, house.ingest.path)
    house.ingest.start()
    signs_on(house)
    again(house)
    signs_on(house)
    house.until(lambda: len(house.rounds()) >= 6)


def test_a_journal_that_went_on_while_the_broker_was_away_proves_nothing(playing: RealHouse) -> None:
    house = playing
    house.broker.stop()
    house.play(2)
    again(house)
    house.play(2)
    house.broker.start()
    until(house, lambda: is_stored(house))
    signs_on(house)
    again(house)
    signs_on(house)


@pytest.mark.parametrize("is_off", [True, False], ids=["while the table is off", "beside it"])
def test_forged_entries_that_a_store_keeps_prove_nothing(playing: RealHouse, thief: Backend, is_off: bool) -> None:
    """Somebody with the table's login sends what follows from its last entry: the store has it, and no checkpoint."""
    house = playing
    house.play()
    last = house.table.last_line()
    seq = b'"seq":%d,' % last.public.seq
    raw = house.until(lambda: [each.raw for each in thief.received if each.topic == EVENT and seq in each.raw])[0]
    until(house, lambda: is_stored(house))
    if is_off:
        house.table.stop()
    start_of, head = raw.partition(b',"head":"')[0], last.chain
    for number in range(last.public.seq + 1, last.public.seq + 30):
        begin = start_of.replace(seq, b'"seq":%d,' % number)
        event, sealed = b'{"type":"Happened","n":1}', b"ab" * 32
        head = sha256(head.encode() + sealed + b'%b,"events":[%b]}' % (begin, event)).hexdigest()
        proof_of = b',"head":"%b","n":1,"of":1,"sealed":"%b"' % (head.encode(), sealed)
        thief.publish(EVENT, b'%b%b,"event":%b}' % (begin, proof_of, event))
    seq_text = f'\\"seq\\":{last.public.seq + 29}'.encode()
    house.until(lambda: any(seq_text in each.raw for each in thief.received if each.topic == STORED))
    if is_off:
        start(house)
    signs_on(house)
    again(house)
    signs_on(house)


def test_whenever_it_is_killed_nothing_was_sent_that_is_not_on_disk(playing: RealHouse) -> None:
    """The power goes between signing and publishing, or behind it: never a checkpoint beyond the journal."""
    house = playing
    for number in range(6):
        house.table.pull(ROUNDS[number])
        house.table.pause(0.02 * number)
        house.table.kill()
        house.table.board.reset()
        start(house)
        assert proof(house) == {}
    signs_on(house)
