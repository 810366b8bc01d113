"""What is public before a card is opened says nothing of its face: sealed hashes, notes and tiles of the tree."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NamedTuple

import pytest

from firmware_bridge.facts.cards import FACES
from firmware_bridge.journal.line import Line, without_sealed
from firmware_bridge.journal.messages import messages
from tests.kit.journal_record import Record
from tests.kit.nightly import some
from tests.record.exports import ROUND, SignedRecord

_BASE64: Final = re.compile(rb"[A-Za-z0-9+/]{42,}={0,2}")


class Hidden(NamedTuple):
    """A card that lies sealed. place: journal, seq and event of its commitment. part: the sealed part of its line."""

    place: str
    face: str
    nonce: str
    salt: str
    commit: str
    part: str
    sealed: str

    def is_found(self, face: str, nonce: str, salt: str) -> bool:
        """Whether a guess gives the commitment, or the hash of the sealed part, whose form everybody knows."""
        if sha256(f"{self.place}:{face}:{nonce}".encode()).hexdigest() == self.commit:
            return True
        part = self.part.replace(self.nonce, nonce).replace(self.salt, salt).replace(f'"{self.face}"', f'"{face}"')
        return sha256(part.encode()).hexdigest() == self.sealed


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Some shoes, whose leaves fill a tile, and four cards behind them that lie sealed."""
    record = SignedRecord(tmp_path_factory.mktemp("leak") / "journal")
    record.begin_device()
    for _ in range(6):
        record.open_shoe()
        record.play(8).prepare()
    return record.open_shoe().deal(ROUND)


def hidden(line: Line) -> Hidden:
    part = line.data.split(b"\t")[4].decode()
    (commit,) = re.findall('"commit":"([0-9a-f]{64})"', f"{without_sealed(line)!r}")
    face, nonce, salt = (part.split(f'"{name}":"')[1].split('"')[0] for name in ("card", "nonce", "salt"))
    place = f"{line.public.journal}:{line.public.seq}:1"
    return Hidden(place, face, nonce, salt, commit, part, line.sealed_hash)


def shown(record: Record) -> bytes:
    """All that an outsider holds: exports with their notes, messages, and the tiles, as hex too."""
    parts = [without_sealed(line) for line in record.lines]
    parts += [message.payload for line in record.lines for message in messages(line)]
    tiles = [path.read_bytes() for path in sorted((record.journal.directory / "tree").rglob("*")) if path.is_file()]
    assert sum(map(len, tiles)) >= 8192
    texts = {text for part in parts for text in _BASE64.findall(part)}
    blobs = [base64.b64decode(text) for text in texts if len(text) % 4 == 0]
    return b"\n".join([*parts, *(each.hex().encode() for each in [*tiles, *blobs])])


def candidates(public: bytes) -> Iterator[str]:
    """Every 32 hex digits of it that may be a nonce or a salt: from each fourth byte of each run of digits on."""
    for run in set(re.findall(rb"[0-9a-f]{32,}", public)):
        for at in range(0, len(run) - 31, 8):
            yield run[at : at + 32].decode()


def test_no_face_is_found_with_all_that_is_public(table: Record) -> None:
    public = shown(table)
    tried = sorted(set(candidates(public)))
    assert len(tried) > 2_000
    for card in map(hidden, table.lines[-2:]):
        assert card.is_found(card.face, card.nonce, "")
        assert card._replace(commit="").is_found(card.face, card.nonce, card.salt)  # the test can find something
        for face in {card.face, *some([each.value for each in FACES], 30)}:  # its own is the one that could be found
            for guess in ["", "0" * 32, *tried]:
                assert not card.is_found(face, guess, guess), (card.place, face)


def test_no_secret_is_public_before_its_card_is(table: Record) -> None:
    public = shown(table)
    for card in map(hidden, table.lines[-4:]):
        assert card.nonce != card.salt
        for secret in (card.nonce, card.salt):
            assert secret.encode() not in public
            assert base64.b64encode(bytes.fromhex(secret)).rstrip(b"=") not in public


def test_a_card_looks_like_no_other_of_its_face(table: Record) -> None:
    sealed = [line for line in table.lines if b'"commit":' in without_sealed(line)]
    assert len(sealed) > len(FACES)
    assert len({line.sealed_hash for line in sealed}) == len({hidden(line).commit for line in sealed}) == len(sealed)
