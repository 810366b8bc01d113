"""A release is taken whole, signed by a key that is known, and no older than what is here; else the file is named."""

from __future__ import annotations

import gzip
import io
import shutil
import subprocess
import tarfile
import tracemalloc
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from firmware_bridge.record.release import (
    NOTE,
    SUMS,
    Release,
    in_archive,
    in_folder,
    installed_release,
    parse_sums,
    pinned_keys,
    sums_text,
    verified_beside,
    verified_files,
)
from firmware_bridge.record.signer import Signer, signed_note, signer
from firmware_bridge.record.verify import Refused

ALICE, BOB = signer("alice", bytes([1] * 32)), signer("bob", bytes([2] * 32))
HELD = {"scripts/install": b"#!/bin/sh\necho it ran\n", "wheels/ours.whl": bytes(range(64)), "LICENSE": b"Apache\n"}
VERSION = "0.1.0+20261126153106.b96708d7cefa"


def release(folder: Path, *signers: Signer, version: str = VERSION) -> Path:
    """An unpacked bundle, signed."""
    for name, content in HELD.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    text = sums_text(Release("firmware-bridge", version, "arm64", {n: sha256(c).hexdigest() for n, c in HELD.items()}))
    (folder / SUMS).write_text(text)
    if signers:
        (folder / NOTE).write_text(signed_note(text, signers))
    return folder


def packed(folder: Path, to: Path) -> Path:
    """The bundle as scripts/package packs it."""
    with tarfile.open(fileobj=(plain := io.BytesIO()), mode="w", format=tarfile.GNU_FORMAT) as tar:
        tar.add(folder, "bundle")
    return zipped(plain.getvalue(), to)


def zipped(archive: bytes, to: Path) -> Path:
    """An archive as scripts/package compresses it."""
    done = subprocess.run(["gzip", "-1n"], input=archive, check=True, stdout=subprocess.PIPE)
    to.write_bytes(done.stdout)
    return to


def test_a_signed_bundle_is_taken_as_folder_and_as_archive(tmp_path: Path) -> None:
    folder = release(tmp_path / "it", ALICE)
    archive = packed(folder, tmp_path / "it.tar.gz")
    for files in (in_folder(folder), in_archive(archive)):
        found = verified_files(files, [ALICE.key, BOB.key], tmp_path / f"to{files.__qualname__[:9]}")
        assert (str(found), found.signers) == (f"firmware-bridge {VERSION} arm64", (ALICE.key,))
    assert (tmp_path / "toin_archiv/scripts/install").read_bytes() == HELD["scripts/install"]
    assert installed_release(tmp_path) is None


def test_any_one_byte_changed_in_any_file_is_refused_and_the_file_is_named(tmp_path: Path) -> None:
    folder = release(tmp_path / "it", ALICE)
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name, right = path.relative_to(folder).as_posix(), path.read_bytes()
        for place in range(len(right)):
            for changed in (right[place] ^ (0x80 if place % 2 else 1),):
                path.write_bytes(right[:place] + bytes([changed]) + right[place + 1 :])
                with pytest.raises(Refused, match=f"^{name}|^{SUMS} or {NOTE}"):
                    verified_files(in_folder(folder), [ALICE.key])
        path.write_bytes(right)
    verified_files(in_folder(folder), [ALICE.key])


def test_any_one_byte_of_an_archive_is_refused(tmp_path: Path) -> None:
    archive = packed(release(tmp_path / "it", ALICE), tmp_path / "it.tar.gz")
    right, rng, taken = archive.read_bytes(), Random(1), []
    for place in range(len(right)):
        archive.write_bytes(right[:place] + bytes([right[place] ^ rng.randrange(1, 256)]) + right[place + 1 :])
        try:
            verified_files(in_archive(archive), [ALICE.key])
        except Refused:
            continue
        taken.append(place)
        assert gzip.decompress(archive.read_bytes()) == gzip.decompress(right)  # the same, packed in another way
    release_of(tmp_path, archive, right)
    for place in (*taken, 0, len(right) - 1):  # the list beside the archive is of every byte
        archive.write_bytes(right[:place] + bytes([right[place] ^ 1]) + right[place + 1 :])
        with pytest.raises(Refused, match=r"^it\.tar.gz: its bytes"):
            verified_beside(archive, [ALICE.key])


def release_of(folder: Path, archive: Path, content: bytes) -> None:
    text = sums_text(Release("firmware-bridge", VERSION, "all", {archive.name: sha256(content).hexdigest()}))
    (folder / SUMS).write_text(text)
    (folder / NOTE).write_text(signed_note(text, [ALICE]))


def test_what_is_missing_or_too_much_is_refused(tmp_path: Path) -> None:
    folder = release(tmp_path / "it", ALICE)
    (folder / "more.sh").touch()
    with pytest.raises(Refused, match=r"^more\.sh: SHA256SUMS does not name it"):
        verified_files(in_folder(folder), [ALICE.key])
    (folder / "more.sh").unlink()
    (folder / "LICENSE").unlink()
    with pytest.raises(Refused, match=r"^LICENSE: it is missing"):
        verified_files(in_folder(folder), [ALICE.key])
    (folder / "LICENSE").symlink_to("/etc/hostname")
    with pytest.raises(Refused, match=r"^LICENSE: it is neither"):
        verified_files(in_folder(folder), [ALICE.key])


def header(name: str = "bundle/it", kind: bytes = tarfile.REGTYPE, size: int = 0) -> bytes:
    """The first block of something in an archive."""
    made = tarfile.TarInfo(name)
    made.type, made.size = kind, size
    return made.tobuf(tarfile.GNU_FORMAT)[-512:]


def said(archive: bytes, to: Path) -> str:
    """Why an archive is refused; at most 50 MB are taken for that."""
    path = zipped(archive, to / "it.tar.gz")
    tracemalloc.start()
    with pytest.raises(Refused) as refused:
        verified_files(in_archive(path), [ALICE.key], to / "to")
    assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    tracemalloc.stop()
    return str(refused.value)


@pytest.mark.parametrize(
    "name", ["../out", "bundle/../../out", "bundle/\x1b[2J", "bundle/\u202e", "bundle/\n", "x" * 500]
)
def test_an_archive_writes_nowhere_else(name: str, tmp_path: Path) -> None:
    with tarfile.open(fileobj=(plain := io.BytesIO()), mode="w", format=tarfile.GNU_FORMAT) as tar:
        tar.addfile(tarfile.TarInfo(name))
    assert said(plain.getvalue(), tmp_path) == "a name in it is none of a bundle"


KINDS = [b"1", b"2", b"3", b"4", b"6", b"7", b"x", b"g", b"X", b"K", b"S", b"D", b"V", b"?"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_header_is_judged_before_what_it_describes_is_read(kind: bytes, tmp_path: Path) -> None:
    zeros = bytes(60 * 2**20 if kind == tarfile.XHDTYPE else 2**20)
    assert said(header(kind=kind, size=len(zeros)) + zeros, tmp_path) == "bundle/it: it is neither a file nor a folder"


@pytest.mark.parametrize(
    ("kind", "size"),
    [(tarfile.GNUTYPE_LONGNAME, 2**20), (tarfile.REGTYPE, 2**31), (tarfile.REGTYPE, -512), (tarfile.DIRTYPE, 512)],
)
def test_a_size_is_that_of_a_bundle(kind: bytes, size: int, tmp_path: Path) -> None:
    assert said(header(kind=kind, size=size) + bytes(2**20), tmp_path) == "bundle/it: it is larger than it may be"


def test_nothing_is_behind_its_end(tmp_path: Path) -> None:
    folder = release(tmp_path / "it", ALICE)
    whole = gzip.decompress(packed(folder, tmp_path / "whole").read_bytes())
    assert said(whole + bytes(2**20), tmp_path) == "it.tar.gz: something is behind its end"


def test_a_long_name_is_read(tmp_path: Path) -> None:
    held = {**HELD, f"wheels/{'w' * 180}.whl": b"x"}
    folder = release(tmp_path / "it", ALICE)
    for name, content in held.items():
        (folder / name).write_bytes(content)
    hashes = {name: sha256(content).hexdigest() for name, content in held.items()}
    text = sums_text(Release("firmware-bridge", VERSION, "arm64", hashes))
    (folder / SUMS).write_text(text)
    (folder / NOTE).write_text(signed_note(text, [ALICE]))
    assert verified_files(in_archive(packed(folder, tmp_path / "it.tar.gz")), [ALICE.key]).files == hashes


def test_a_key_is_changed_by_a_release_that_both_signed(tmp_path: Path) -> None:
    both, new = release(tmp_path / "both", ALICE, BOB), release(tmp_path / "new", BOB)
    verified_files(in_folder(both), [ALICE.key])
    assert verified_files(in_folder(both), [ALICE.key, BOB.key]).signers == (ALICE.key, BOB.key)
    verified_files(in_folder(new), [ALICE.key, BOB.key])
    with pytest.raises(Refused, match=r"signed by no key that this version knows \(alice\); between two keys"):
        verified_files(in_folder(new), [ALICE.key])


def test_an_unsigned_one_is_whole_all_the_same(tmp_path: Path) -> None:
    folder = release(tmp_path / "it")
    with pytest.raises(Refused, match="this is not signed"):
        verified_files(in_folder(folder), [ALICE.key])
    verified_files(in_folder(folder), None)
    (folder / "LICENSE").write_bytes(b"another")
    with pytest.raises(Refused, match=r"^LICENSE"):
        verified_files(in_folder(folder), None)


def test_releases_have_an_order() -> None:
    versions = [
        "0.1.0+20261126153106.ff",
        "0.1.0+20261126153107.00",
        "0.2.0+20260101000000.aa",
        "0.10.0+20260101000000.a",
    ]
    orders = [Release("firmware-bridge", version, "arm64", {}).order for version in versions]
    assert orders == sorted(orders)
    assert len(set(orders)) == 4


@pytest.mark.parametrize(
    "text",
    ["", "# it 1 2", "# a 1 arm64\nzz  x\n", f"# a 1 arm64\n{'0' * 64}  ../x\n", f"# a 1 arm64\n{'0' * 64}  /x\n"],
)
def test_lines_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(Refused, match=f"^{SUMS}"):
        parse_sums(text)


def test_the_hashes_are_read_by_sha256sum_too(tmp_path: Path) -> None:
    folder = release(tmp_path / "it", ALICE)
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", SUMS], cwd=folder, check=True)


def test_no_key_is_pinned_until_a_maintainer_adds_his() -> None:
    assert pinned_keys() == ()
