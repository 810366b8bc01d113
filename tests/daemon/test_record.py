"""A real table signs its record, and one file of Python verifies what it exports."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from nacl.signing import SigningKey

from firmware_bridge.record import verify as v
from firmware_bridge.record.signer import checkpoint_text, signed_note, signer
from tests.daemon import listened
from tests.daemon.listened import status_is
from tests.daemon.test_namesakes import CODE
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit import command
from tests.kit.backend import Backend
from tests.kit.daemon_table import BridgeTable
from tests.kit.patience import run
from tests.kit.peer import ACCEPTED_5, Peer

broker, brokers = real.broker, real.brokers  # fixtures
backend, table = listening.backend, listened.table  # fixtures

ROUND = "9s Td Ts Tc "
VERIFY = [sys.executable, "-I", "-S", str(Path(v.__file__))]


def exported(table: Any, folder: Path) -> list[Path]:
    """The journals of a table, as the command exports them."""
    files = []
    for path in sorted(table.journal_dir.glob("*.journal")):
        target = folder / f"{path.stem}.export"
        done = command.piped("", "journal", "export", "--dir", table.journal_dir, path, "-o", target)
        assert done.code == 0, done.err
        files.append(target)
    return files


def verified(policy: str, files: list[Path]) -> subprocess.CompletedProcess[str]:
    page = files[0].with_name("policy")
    page.write_text(policy)
    return run([*VERIFY, "--policy", page, "--no-witness", *files])


@pytest.fixture
def record(table: Any, backend: Backend, tmp_path: Path) -> tuple[str, list[Path]]:
    """The key of a table that played two shoes, restarted between them, and its exports."""
    bridge = table(table={"decks": 1})
    bridge.deal(ROUND + "2s 3h 4d 5c")
    assert bridge.ask(do="close_shoe", by="anna")["ok"]
    bridge.stop()
    bridge.start()
    bridge.deal(ROUND)
    backend.wait_until(lambda: len(backend.on("round")) >= 3)
    key = bridge.ask(do="status")["record"]["key"]
    folder = tmp_path / "exports"
    folder.mkdir()
    return key, exported(bridge, folder)


def test_an_export_verifies_with_one_file_and_one_key(record: tuple[str, list[Path]]) -> None:
    key, files = record
    done = verified(f"log {key}\nquorum none\n", files)
    assert done.returncode == 0, done.stdout
    assert "3 rounds signed" in done.stdout


def test_another_key_is_refused(record: tuple[str, list[Path]]) -> None:
    key, files = record
    other = v.key_of(v.parse_vkey(key).name, v.ED25519, bytes(31) + b"\7").vkey
    done = verified(f"log {other}\nquorum none\n", files)
    assert done.returncode == 1
    assert "not signed by a key that is known" in done.stdout


def test_rewritten_without_the_key_it_is_found(record: tuple[str, list[Path]]) -> None:
    """Chain and checksums of every line behind the change are right again."""
    key, files = record
    changed, before, shown = False, v.FIRST_HEAD, []
    for path in files:
        lines = []
        for data in path.read_bytes().splitlines(keepends=True):
            version, _, head, public, sealed, proof = data.split(b"\t")
            if not changed and b"RoundClosed" in public:
                public, changed = public.replace(b'"round":1,', b'"round":7,'), True
            head = sha256(before.encode() + sealed + public).hexdigest().encode()
            body = b"\t".join((head, public, sealed, proof))
            lines.append(b"%b\t%08x\t%b" % (version, crc32(body[:-1], crc32(version)), body))
            before = head.decode()
        path.write_bytes(b"".join(lines))
        shown.append(path)
    done = verified(f"log {key}\nquorum none\n", shown)
    assert done.returncode == 1
    assert "its checkpoint is of another tree" in done.stdout


def test_status_and_checkpoint_say_how_far_it_is_signed(table: Any, backend: Backend) -> None:
    bridge = table()
    bridge.deal(ROUND)
    closed = backend.wait_for(lambda each: each.topic.endswith("/round")).payload
    status_is(backend, "online")
    own = backend.on("status")[-1]["record"]
    assert own["signed"]
    assert own["origin"].startswith("shoe.invalid/")
    key = v.parse_vkey(own["key"])
    assert key.name == own["origin"]
    note = backend.wait_until(lambda: backend.on("checkpoint"))[-1]["note"]
    assert v.verified_checkpoint(v.parse_note(note), [key]).origin == own["origin"]
    payload = next(each.raw for each in backend.received if each.topic.endswith("/round"))
    assert json.loads(payload) == closed
    assert v.is_round_signed(key.public, key.name, payload)


def test_without_its_key_a_table_plays_on_and_the_next_signed_line_covers_all(
    table: Any, backend: Backend, tmp_path: Path
) -> None:
    bridge = table(table={"decks": 1})
    bridge.deal(ROUND)
    backend.wait_until(lambda: rounds(backend))
    vkey = bridge.ask(do="status")["record"]["key"]
    bridge.stop()
    secret = bridge.key_file.read_bytes()
    bridge.key_file.unlink()
    bridge.start()
    assert opens(backend, "record_unsigned")["severity"] == "note"
    bridge.deal("2s 3h 4d 5c")
    backend.wait_until(lambda: len(rounds(backend)) == 2)
    assert "sig" not in json.loads(rounds(backend)[1])
    assert not bridge.ask(do="status")["record"]["signed"]
    bridge.stop()
    bridge.key_file.write_bytes(secret)
    folder = tmp_path / "exports"
    folder.mkdir()
    without = verified(f"log {vkey}\nquorum none\n", exported(bridge, folder))
    assert (without.returncode, "has no checkpoint" in without.stdout) == (v.UNSIGNED, True)
    bridge.start()
    bridge.deal("Kd 9c 8h 8s")
    backend.wait_until(lambda: len(rounds(backend)) == 3)
    bridge.stop()
    done = verified(f"log {vkey}\nquorum none\n", exported(bridge, folder))
    assert "WRONG" not in done.stdout, done.stdout
    assert "has no checkpoint: taken off, or the table had no key" in done.stdout
    assert "2 rounds signed" in done.stdout
    assert "not signed" not in done.stdout


def alarm(backend: Backend, name: str) -> dict[str, Any] | None:
    """An alarm that is open, as the table says it."""
    return next((each for each in backend.on("alarm")[-1]["open"] if each["id"] == name), None)


def opens(backend: Backend, name: str) -> dict[str, Any]:
    """An alarm, once it is open."""
    found: dict[str, Any] = backend.wait_until(lambda: alarm(backend, name))
    return found


def rounds(backend: Backend) -> list[bytes]:
    """The `round` messages so far, as they came."""
    return [each.raw for each in backend.received if each.topic == "shoe/T07/round"]


@pytest.mark.parametrize("protocol", [5, 4])
def test_what_others_send_in_the_name_of_a_table_is_an_alarm(table: Any, backend: Backend, protocol: int) -> None:
    """By MQTT 3.1.1 (protocol 4) the table hears its own messages too, and those of an earlier run by both."""
    bridge = table()
    bridge.stop()
    bridge.code = CODE[protocol]
    bridge.start().deal(ROUND)
    own = backend.wait_until(lambda: rounds(backend))[0]
    bridge.stop()
    bridge.start().deal(ROUND)
    backend.wait_until(lambda: len(rounds(backend)) >= 2)
    backend.publish("shoe/T07/round", own)  # a repeat is no lie
    bridge.pause(0.5)
    assert alarm(backend, "record_foreign") is None
    backend.publish("shoe/T07/round", own.replace(b'"outcome":"', b'"outcome": "'))
    found = opens(backend, "record_foreign")
    assert found["severity"] == "critical"
    assert found["values"]["messages"] == 1
    backend.publish("shoe/T07/round", own.replace(b'"journal":"1-', b'"journal":"9-'))
    backend.wait_until(lambda: opens(backend, "record_foreign")["values"]["messages"] == 2)
    bridge.deal(ROUND)  # play goes on, signed
    assert v.is_round_signed(*key_of(bridge), backend.wait_until(lambda: rounds(backend)[5:])[0])


def key_of(table: Any) -> tuple[bytes, str]:
    """The public key and the origin of a table's record."""
    own = table.ask(do="status")["record"]
    return v.parse_vkey(own["key"]).public, own["origin"]


def test_a_store_that_has_another_entry_is_an_alarm(table: Any, backend: Backend) -> None:
    bridge = table(mqtt={"stored": "floor"})
    bridge.deal(ROUND)
    closed = backend.wait_for(lambda each: each.topic.endswith("/round")).payload
    stored = {"journal": closed["journal"], "seq": closed["seq"], "by": "floor"}
    for head in ({}, {"head": closed["head"]}):
        backend.publish("shoe/T07/stored", stored | head)
    bridge.pause(0.5)
    assert alarm(backend, "record_differs") is None
    backend.publish("shoe/T07/stored", stored | {"head": "0" * 64})
    found = opens(backend, "record_differs")
    assert found["severity"] == "critical"
    assert found["values"] == {"store": "floor", "entry": closed["seq"], "journal": closed["journal"]}


def test_a_store_that_has_another_entry_of_before_the_start_is_an_alarm(table: Any, backend: Backend) -> None:
    """Journal or store was changed while the daemon was stopped."""
    bridge = table(mqtt={"stored": "floor"})
    bridge.deal(ROUND)
    closed = backend.wait_for(lambda each: each.topic.endswith("/round")).payload
    bridge.stop()
    bridge.start()
    status_is(backend, "online")
    stored = {"journal": closed["journal"], "seq": closed["seq"], "by": "floor"}
    backend.publish("shoe/T07/stored", stored | {"head": closed["head"]})
    bridge.pause(0.5)
    assert alarm(backend, "record_differs") is None
    backend.publish("shoe/T07/stored", stored | {"head": "0" * 64})
    assert opens(backend, "record_differs")


WITNESS = SigningKey(bytes([9]) * 32)
WITNESS_KEY = v.key_of("watcher.example", v.COSIGNATURE, bytes(WITNESS.verify_key))


def cosigned(note: str, by: SigningKey = WITNESS) -> str:
    """A note with the cosignature of a witness."""
    at = int(time.time())
    text = v.parse_note(note).text
    data = WITNESS_KEY.id + at.to_bytes(8, "big") + by.sign(v.cosigned_bytes(at, text)).signature
    return f"{note}\u2014 {WITNESS_KEY.name} {base64.b64encode(data).decode()}\n"


def test_what_witnesses_saw_is_said_in_the_status(table: Any, backend: Backend) -> None:
    bridge = table(record={"witnesses": [WITNESS_KEY.vkey]})
    bridge.deal(ROUND)
    backend.wait_for(lambda each: each.topic.endswith("/round"))
    size = bridge.ask(do="status")["record"]["size"]
    note = backend.wait_until(
        lambda: [each["note"] for each in backend.on("checkpoint") if f"\n{size}\n" in each["note"]]
    )
    for refused in (note[0], cosigned(note[0], SigningKey(bytes([8]) * 32))):
        backend.publish("shoe/T07/witnessed", refused, retain=True)
    bridge.pause(0.5)
    assert bridge.ask(do="status")["record"]["witnessed"] == 0
    backend.publish("shoe/T07/witnessed", cosigned(note[0]), retain=True)
    backend.wait_until(lambda: backend.on("status")[-1]["record"]["witnessed"] == size)
    assert alarm(backend, "record_rolled_back") is None
    bridge.stop()
    bridge.start()  # it is told again: the message is retained
    backend.wait_until(
        lambda: (said := backend.on("status")[-1])["state"] == "online" and said["record"]["witnessed"] == size
    )


def more(size: int, root: bytes) -> tuple[int, bytes]:
    return size + 100, root


def other(size: int, root: bytes) -> tuple[int, bytes]:
    return size, sha256(root).digest()


@pytest.mark.parametrize("seen", [more, other], ids=["more entries", "other ones"])
def test_after_a_rollback_nothing_is_signed(
    table: Any, backend: Backend, seen: Callable[[int, bytes], tuple[int, bytes]]
) -> None:
    """A witness cosigned what a copy of the card signed with the same key: this card was restored, or copied."""
    bridge = table(record={"witnesses": [WITNESS_KEY.vkey]})
    bridge.deal(ROUND)
    backend.wait_for(lambda each: each.topic.endswith("/round"))
    own = v.parse_checkpoint(v.parse_note(backend.wait_until(lambda: backend.on("checkpoint"))[-1]["note"]).text)
    key = signer(own.origin, bridge.key_file.read_bytes())
    note = signed_note(checkpoint_text(own.origin, *seen(own.size, own.root)), (key,))
    backend.publish("shoe/T07/witnessed", note, retain=True)  # without the cosignature it says nothing
    bridge.pause(0.5)
    assert alarm(backend, "record_rolled_back") is None
    backend.publish("shoe/T07/witnessed", cosigned(note), retain=True)
    assert opens(backend, "record_rolled_back")["severity"] == "critical"
    signed = len([line for line in bridge.lines() if line.proof.note])
    bridge.deal(ROUND)
    backend.wait_until(lambda: len(rounds(backend)) == 2)
    assert "sig" not in json.loads(rounds(backend)[1])
    backend.wait_until(lambda: not backend.on("status")[-1]["record"]["signed"])
    backend.wait_until(lambda: not backend.on("checkpoint")[-1]["note"])
    assert len([line for line in bridge.lines() if line.proof.note]) == signed


@pytest.mark.parametrize("protocol", [5, 4])
def test_a_card_that_was_taken_back_hears_its_own_checkpoint(table: Any, backend: Backend, protocol: int) -> None:
    """No witness, no store: the broker keeps what this key signed of more entries."""
    bridge = table(table={"decks": 1})
    assert bridge.ask(do="status")["record"]["signed"]
    bridge.stop()
    saved = shutil.copytree(bridge.journal_dir, bridge.folder / "saved", ignore=shutil.ignore_patterns("*.sock"))
    bridge.code = CODE[protocol]
    bridge.start().deal(ROUND)
    newest = bridge.last_line().proof.note
    backend.wait_until(lambda: [each["note"] for each in backend.on("checkpoint")][-1:] == [newest])
    bridge.stop()
    shutil.rmtree(bridge.journal_dir)
    saved.rename(bridge.journal_dir)
    bridge.board.reset()
    bridge.start()
    found = opens(backend, "record_rolled_back")
    assert (found["severity"], found["values"]["proof"]) == ("critical", "broker")
    assert "sudo shoe record begin" in found["text"]
    signed = len([line for line in bridge.lines() if line.proof.note])
    bridge.deal("2s 3h 4d 5c")
    backend.wait_until(lambda: len(rounds(backend)) == 2)
    assert "sig" not in json.loads(rounds(backend)[1])
    assert len([line for line in bridge.lines() if line.proof.note]) == signed


def test_a_checkpoint_waits_until_the_broker_has_said_what_it_keeps(tmp_path: Path) -> None:
    """Else a card that was taken back would overwrite what proves it, and a lost connection hide it."""
    with Peer({5: ACCEPTED_5}, acks=False, pongs=True) as peer:
        table = BridgeTable(tmp_path, peer.port)
        try:
            table.start()
            table.until(lambda: "shoe/T07/alarm" in peer.topics)
            table.pause(0.3)
            assert "shoe/T07/checkpoint" not in peer.topics
            peer.ack(peer.mids[0])
            table.until(lambda: "shoe/T07/checkpoint" in peer.topics)
        finally:
            table.close()


@pytest.mark.parametrize("is_other", [False, True], ids=["the same", "other ones"])
def test_what_witnesses_saw_of_an_earlier_shoe_is_compared_after_a_restart(
    table: Any, backend: Backend, is_other: bool
) -> None:
    """A restored card that played on without a broker: the tree of the newest journal begins behind what was seen."""
    bridge = table(table={"decks": 1}, record={"witnesses": [WITNESS_KEY.vkey]})
    bridge.deal(ROUND)
    backend.wait_for(lambda each: each.topic.endswith("/round"))
    own = v.parse_checkpoint(v.parse_note(backend.wait_until(lambda: backend.on("checkpoint"))[-1]["note"]).text)
    for _ in range(2):
        bridge.deal("2s 3h 4d 5c")
        assert bridge.ask(do="close_shoe", by="anna")["ok"]
        bridge.deal(ROUND)
    bridge.stop()
    bridge.start()
    key = signer(own.origin, bridge.key_file.read_bytes())
    seen = other(own.size, own.root) if is_other else (own.size, own.root)
    backend.publish(
        "shoe/T07/witnessed", cosigned(signed_note(checkpoint_text(own.origin, *seen), (key,))), retain=True
    )
    if is_other:
        assert opens(backend, "record_rolled_back")
    else:
        backend.wait_until(lambda: backend.on("status")[-1]["record"]["witnessed"] == own.size)
        assert alarm(backend, "record_rolled_back") is None
