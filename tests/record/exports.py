"""Exports of a journal that a device really signed, what witnesses cosign of it, and what a liar makes of both."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal
from zlib import crc32

from nacl.signing import SigningKey

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.events import RoundClosed
from firmware_bridge.facts.house import House
from firmware_bridge.facts.inputs import Follows, NewRecord
from firmware_bridge.facts.wire import LINES, VERSION, UnknownVersion, line_format
from firmware_bridge.journal.line import without_sealed
from firmware_bridge.record import verify as v
from firmware_bridge.record.signer import Signer, checkpoint_text, signed_note, signed_round, signer
from tests.kit.journal_record import AT, Record

ORIGIN: Final = "shoe.invalid/10000000c0ffee01/d683a89c"
SECOND: Final = "shoe.invalid/10000000c0ffee01/00000002"
SEED: Final = bytes(31) + b"\7"
WITNESSES: Final = {name: SigningKey(bytes(31) + bytes([n])) for n, name in enumerate(("w1", "w2", "w3"), 1)}
KEYS: Final = {
    name: v.key_of(f"witness.example/{name}", v.COSIGNATURE, bytes(key.verify_key)) for name, key in WITNESSES.items()
}
ROUND: Final = "9sTdTsTc"


class SignedRecord(Record):
    """A device with a key, as it starts for the first time with it. disclose: as in the house's rules."""

    def __init__(self, directory: Path, disclose: Literal["dealt", "sealed"] = "sealed") -> None:
        super().__init__(directory)
        self._disclose = disclose

    def begin_device(self, burn: str = "none") -> SignedRecord:
        return self.begin_log(ORIGIN, Follows(None, 0, self.journal.chain, 0))

    def begin_log(self, origin: str, follows: Follows, seed: bytes = SEED) -> SignedRecord:
        by = signer(origin, seed)
        self.journal.tree.coming = (by,)
        record = NewRecord(origin, by.key.vkey, follows)
        house = House(burn="none", disclose=self._disclose)
        self.take(inputs.Started(at=AT, version="0", house=house, nonce=self.nonce(), record=record))
        return self

    def play(self, rounds: int) -> SignedRecord:
        """Rounds whose cards lie sealed until they are opened."""
        for _ in range(rounds):
            self.deal(ROUND)
            for _ in range(2):
                self.order(orders.Reveal(()))
            assert any(isinstance(event, RoundClosed) for event in self.lines[-1].entry.events)
        return self

    def exports(self) -> list[list[bytes]]:
        """The lines of each journal as an outsider gets them."""
        files: dict[str, list[bytes]] = {}
        for line in self.lines:
            files.setdefault(line.public.journal, []).append(without_sealed(line))
        return list(files.values())


def five_rounds(folder: Path) -> list[list[bytes]]:
    """Two shoes: a round, then four."""
    record = SignedRecord(folder)
    record.begin()
    record.play(1).open_shoe()
    record.play(4).order(orders.CloseShoe())
    record.close()
    return record.exports()


def policy_text(*logs: v.Key, quorum: str = "two", group: str = "2 w1 w2 w3") -> str:
    lines = [f"log {key.vkey}" for key in logs or (device().key,)]
    lines += [f"witness {name} {key.vkey} https://{name}.example" for name, key in KEYS.items()]
    return "\n".join([*lines, f"group two {group}", f"quorum {quorum}", ""])


def device(origin: str = ORIGIN, seed: bytes = SEED) -> Signer:
    return signer(origin, seed)


def cosigned(note: str, names: Iterable[str], at: int = 1_800_000_000) -> str:
    """The note with the cosignatures of these witnesses."""
    text = v.parse_note(note).text
    for name in names:
        data = at.to_bytes(8, "big") + WITNESSES[name].sign(v.cosigned_bytes(at, text)).signature
        note += f"\u2014 {KEYS[name].name} {base64.b64encode(KEYS[name].id + data).decode()}\n"
    return note


def note_of(lines: Sequence[bytes], back: int = 0) -> str:
    """The newest checkpoint in exported lines, or the one so many before it."""
    notes = [proof["note"] for proof in map(proof_of, lines) if "note" in proof]
    return str(notes[-1 - back])


def proof_of(line: bytes) -> dict[str, Any]:
    return json.loads(line.split(b"\t")[5].strip() or b"{}")


def sealed_line(head: bytes, public: bytes, sealed: bytes, proof: bytes) -> bytes:
    """A line of an export with a checksum that is right; of today's format where its `v` is not known."""
    body = b"\t".join((head, public, sealed, proof))
    try:
        version = line_format(public)
    except UnknownVersion:
        version = LINES[VERSION]
    return b"%b\t%08x\t%b\n" % (version, crc32(body, crc32(version)), body)


Change = Callable[[int, bytes], bytes]
Signers = dict[str, Sequence[Signer]]


def rewritten(files: Sequence[Sequence[bytes]], change: Change, by: Signers | None = None) -> list[list[bytes]]:
    """The exports with each public part as `change` gives it, and chain, checksum and tree made right behind it.

    change: gets the number of the entry, from 0, and its public part. by: origin -> keys that sign anew, the first one
    rounds too; without them the old notes stay. A record begins anew where an entry says so.
    """
    before, edge, count, number, out = v.FIRST_HEAD, list[bytes](), 0, 0, list[list[bytes]]()
    signers: Sequence[Signer] = next(iter(by.values())) if by else ()
    for lines in files:
        out.append([])
        for line in lines:
            _, _, _, public, sealed, proof = line.rstrip(b"\n").split(b"\t")
            public = change(number, public)
            if begun := re.search(rb'"RecordBegun","origin":"([^"]*)"', public):
                edge, count = [], 0
                signers = by.get(begun[1].decode(), ()) if by else ()
                public = re.sub(rb'"head":"[0-9a-f]{64}"', b'"head":"%b"' % before.encode(), public)
            head = sha256(before.encode() + sealed + public).hexdigest()
            proved = json.loads(proof) if proof else {}
            if "edge" in proved:
                proved["edge"] = [base64.b64encode(each).decode() for each in edge]
            v.grow(edge, count, v.leaf_hash(bytes.fromhex(head)))
            count, number, before = count + 1, number + 1, head
            if signers and "note" in proved:
                proved["note"] = signed_note(checkpoint_text(signers[0].key.name, count, v.root_of(edge)), signers)
                shown = v.parse_line(sealed_line(head.encode(), public, sealed, b""))
                sigs = {str(n): signed_round(signers[0], payload) for n, payload in v.round_payloads(shown)}
                proved.update({"sigs": sigs} if sigs else {})
            proof = json.dumps(proved, separators=(",", ":"), ensure_ascii=False).encode() if proved else b""
            out[-1].append(sealed_line(head.encode(), public, sealed, proof))
    return out


def raw_line(journal: str, seq: int, events: Sequence[dict[str, Any]], is_signed: bool) -> bytes:
    """A line that `rewritten` makes right."""
    shown = {"v": 1, "table": "T07", "shoe": 2, "journal": journal, "seq": seq, "at": "2026-11-20T20:45:01.500Z"}
    public = json.dumps({**shown, "boot": "b007", "events": events}, separators=(",", ":")).encode()
    sealed = sha256(b"hidden %d" % seq).hexdigest().encode()
    return sealed_line(b"0" * 64, public, sealed, b'{"note":""}' if is_signed else b"")


def verified(files: Iterable[Iterable[bytes]], policy: str, notes: Sequence[tuple[str, str]] = ()) -> v.Report:
    """The report on exports, and on notes by name."""
    reader = v.Reader(v.parse_policy(policy), [(name, v.parse_note(text)) for name, text in notes])
    for number, lines in enumerate(files, 1):
        reader.read(f"{number}.export", lines)
    return reader.finish()
