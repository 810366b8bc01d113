"""Exports, notes and policies that are odd in their form: each gets a finding, never a traceback and never exit code 0.

What is signed here is signed by the table's own key: the liar has everything but the witnesses.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pytest

from firmware_bridge.record import verify as v
from firmware_bridge.record.signer import checkpoint_text, signed_note
from tests.record.exports import (
    KEYS,
    ORIGIN,
    cosigned,
    device,
    five_rounds,
    note_of,
    policy_text,
    proof_of,
    rewritten,
    sealed_line,
)

Files = list[list[bytes]]
OWN: Final = {ORIGIN: [device()]}
WITNESSED: Final = ("w1", "w2")
OTHER: Final = device("other.invalid/1/2")
POLICY: Final = policy_text()


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return five_rounds(tmp_path_factory.mktemp("odd") / "journal")


def said(
    files: Files, capsys: pytest.CaptureFixture[str], folder: Path, policy: str = POLICY, **notes: str | bytes
) -> tuple[int, str]:
    """Exit code and output of the command; each note under its name."""
    names = [str(folder / f"{number}.export") for number in range(len(files))]
    for name, lines in zip(names, files, strict=True):
        Path(name).write_bytes(b"".join(lines))
    (folder / "keys.txt").write_bytes(policy.encode("utf-8", "surrogatepass"))
    for name, text in notes.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    given = ["--notes", *(str(folder / name) for name in notes), "--"] if notes else []
    code = v.main(["--policy", str(folder / "keys.txt"), *given, *names])
    shown = capsys.readouterr()
    return code, shown.out + shown.err


def codes(finding: str) -> Iterable[int]:
    """The exit codes that a finding may have."""
    return {v.WRONG} if finding.startswith("WRONG") else v.CLASSES


def with_line(files: Files, place: int, change: Callable[[bytes, bytes, bytes, bytes], tuple[bytes, ...]]) -> Files:
    """The exports with a line (from 0, through all files) whose head, public part, sealed part or proof is changed."""
    number, out = 0, list[list[bytes]]()
    for file in files:
        out.append([])
        for line in file:
            _, _, head, public, sealed, proof = line.rstrip(b"\n").split(b"\t")
            out[-1].append(sealed_line(*change(head, public, sealed, proof)) if number == place else line)
            number += 1
    return out


def flat(files: Files) -> list[bytes]:
    return [line for file in files for line in file]


def a_round(files: Files) -> int:
    """The place of the line that closes the second round."""
    return [n for n, line in enumerate(flat(files)) if b'"RoundClosed"' in line][1]


def other_sigs(proof: dict[str, Any]) -> dict[str, Any]:
    signature = base64.b64encode(device().sign(b"another round")).decode()
    return {**proof, "sigs": dict.fromkeys(proof["sigs"], signature)}


PROOFS: Final[dict[str, tuple[Callable[[dict[str, Any]], Any], str]]] = {
    "stripped": (lambda _: {}, r"NOT CHECKED .*2\.export, line 7 \(entry 7 .*has no checkpoint"),
    "no note": (lambda p: {"sigs": p["sigs"]}, r"WRONG .*2\.export, line 7 \(entry 7 .*no checkpoint"),
    "null": (lambda p: {**p, "note": None}, r"WRONG .*line 7 .*no text"),
    "zero": (lambda p: {**p, "note": 0}, r"WRONG .*line 7 .*no text"),
    "empty note": (lambda p: {**p, "note": ""}, r"WRONG .*line 7 .*without its blank line"),
    "list": (lambda p: [p], r"WRONG .*line 7: its proof is not a JSON object"),
    "no sigs": (lambda p: {"note": p["note"]}, r"WRONG .*line 7 .*its round is not signed"),
    "sig of another message": (other_sigs, r"WRONG .*line 7 .*its round is not signed"),
    "one sig too many": (lambda p: {**p, "sigs": {**p["sigs"], "9": "AA=="}}, r"WRONG .*line 7 .*a round that is not"),
    "sigs of no shape": (lambda p: {**p, "sigs": list(p["sigs"])}, r"WRONG .*line 7 .*signatures are no object"),
    "one key more": (lambda p: {**p, "x": 1}, r"WRONG .*line 7: its proof says more"),
    "deep": (lambda p: {**p, "note": json.loads("[" * v.NESTED + "]" * v.NESTED)}, r"WRONG .*line 7: .* is not JSON"),
}


@pytest.mark.parametrize("name", PROOFS)
def test_the_proof_of_a_round(name: str, honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, finding = PROOFS[name]
    files = with_line(
        honest,
        a_round(honest),
        lambda head, public, sealed, proof: (head, public, sealed, written(change(json.loads(proof)))),
    )
    code, out = said(files, capsys, tmp_path, a=cosigned(note_of(honest[-1]), WITNESSED))
    assert code in codes(finding)
    assert re.search(finding, out), out


def written(proof: Any) -> bytes:
    return json.dumps(proof, separators=(",", ":"), ensure_ascii=False).encode() if proof else b""


def test_the_sig_of_another_round(honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = flat(honest)
    rounds = [line for line in lines if b'"RoundClosed"' in line]
    sigs = proof_of(rounds[2])["sigs"]
    files = with_line(honest, a_round(honest), lambda *p: (*p[:3], written({**json.loads(p[3]), "sigs": sigs})))
    code, out = said(files, capsys, tmp_path, a=cosigned(note_of(honest[-1]), WITNESSED))
    assert code == 1
    assert re.search(r"WRONG .*2\.export, line 7 \(entry 7 .*its round is not signed", out)


def test_sealed_columns_that_change_places(honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = [n for n, line in enumerate(flat(honest)) if b'"commit"' in line][:2]
    seals = [flat(honest)[n].split(b"\t")[4] for n in (two, one)]
    files = with_line(honest, one, lambda head, public, _, proof: (head, public, seals[0], proof))
    files = with_line(files, two, lambda head, public, _, proof: (head, public, seals[1], proof))
    code, out = said(files, capsys, tmp_path)
    assert code == 1
    assert re.search(r"WRONG .*1\.export, line 2 \(entry 2 .*does not follow the line before", out)


PUBLIC: Final[dict[str, tuple[bytes, bytes]]] = {
    "1.0": (rb'"seq":(\d+),', rb'"seq":\1.0,'),
    "1e3": (rb'"seq":(\d+),', rb'"seq":1e3,'),
    "-0": (rb'"seq":(\d+),', rb'"seq":-0,'),
    "2^63": (rb'"seq":(\d+),', rb'"seq":9223372036854775808,'),
    "text": (rb'"seq":(\d+),', rb'"seq":"\1",'),
    "true": (rb'"seq":(\d+),', rb'"seq":true,'),
    "twice": (rb'"seq":(\d+),', rb'"seq":9999,"seq":\1,'),
    "type twice": (rb'"type":"RoundClosed"', rb'"type":"RoundClosed","type":"Test"'),
    "type twice, the other way": (rb'"type":"RoundClosed"', rb'"type":"Test","type":"RoundClosed"'),
    "type no text": (rb'"type":"RoundClosed"', rb'"type":5'),
    "no type": (rb'"type":"RoundClosed",', rb""),
    "outcome twice": (rb'"outcome":"', rb'"outcome":"tie","outcome":"'),
    "events twice": (rb"\]\}$", rb'],"events":[]}'),
    "events first": (rb'^\{"v":2,', rb'{"v":2,"events":[],'),
    "blank before an event": (rb'"events":\[', rb'"events":[ '),
    "NaN": (rb'"own":\{', rb'"nan":NaN,"own":{'),
    "NUL": (rb'"own":\{', b'"s":"\0","own":{'),
    "UTF-8": (rb'"own":\{', b'"s":"\xff","own":{'),
    "deep": (rb'"own":\{', rb'"s":' + b"[" * 5000 + b"]" * 5000 + b',"own":{'),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_part_that_has_no_one_meaning(
    name: str, honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at, (old, new) = a_round(honest), PUBLIC[name]
    files = rewritten(honest, lambda number, public: re.sub(old, new, public, count=1) if number == at else public)
    assert files != honest
    code, out = said(files, capsys, tmp_path)
    assert code == 1
    assert re.search(r"WRONG .*2\.export, line 7: its public part is not that of an entry", out)


@pytest.mark.parametrize("beside", [b"[]", b"[" + b"{}," * 1000 + b"{}]", b'"[[[[{{{{"'])
def test_how_deep_a_line_is_read_is_the_same_on_every_python(beside: bytes) -> None:
    def line(levels: int) -> bytes:
        lists = b"[" * (levels - 1) + b"]" * (levels - 1)
        public = b'{"v":2,"journal":"0-ab","seq":1,"at":"","events":[{"type":"Test","a":%b,"b":%b}]}' % (beside, lists)
        return sealed_line(b"0" * 64, public, b"0" * 64, b"")

    assert v.parse_line(line(v.NESTED)).seq == 1
    with pytest.raises(v.Refused, match="its public part is not that of an entry"):
        v.parse_line(line(v.NESTED + 1))


def test_a_round_whose_type_stands_elsewhere_is_none(
    honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was no `round` message then, and its signature was not asked for."""
    at = a_round(honest)
    moved = (rb'\{"type":"RoundClosed",("dealt_by":"[^"]*")', rb'{\1,"type":"RoundClosed"')
    files = rewritten(honest, lambda number, public: re.sub(*moved, public) if number == at else public)
    line = flat(files)[at].rstrip(b"\n").split(b"\t")
    edge: list[bytes] = []
    for number, each in enumerate(flat(files)[: at + 1]):
        v.grow(edge, number, v.leaf_hash(bytes.fromhex(each.split(b"\t")[2].decode())))
    note = signed_note(checkpoint_text(ORIGIN, at + 1, v.root_of(edge)), [device()])
    files = with_line(files, at, lambda *_: (*line[2:5], written({"note": note})))
    code, out = said(files, capsys, tmp_path)
    assert code == 1
    assert re.search(r"WRONG .*2\.export, line 7 \(entry 7 .*type of its round is not its first key", out)


def renumbered(line: bytes, number: bytes) -> bytes:
    """A line as one of another format, with a checksum that is right."""
    body = line[:-1].split(b"\t", 2)[2]
    return b"%b\t%08x\t%b\n" % (number, crc32(body, crc32(number)), body)


LINES: Final[dict[str, tuple[Callable[[Files], Files], str]]] = {
    "BOM": (lambda f: [[b"\xef\xbb\xbf" + f[0][0], *f[0][1:]], *f[1:]], r"WRONG .*0\.export, line 1: line format"),
    "CRLF": (lambda f: [[e[:-1] + b"\r\n" for e in each] for each in f], r"WRONG .*0\.export, line 1: its checksum"),
    "CR": (lambda f: [[e[:-1] + b"\r" for e in each] for each in f], r"WRONG .*0\.export, line 1: it is not a whole"),
    "NUL": (lambda f: [[f[0][0].replace(b"boot", b"b\0ot")], *f[1:]], r"WRONG .*0\.export, line 1: its checksum"),
    "no LF": (lambda f: [*f[:-1], [*f[-1][:-1], f[-1][-1][:-1]]], r"WRONG .*2\.export, line 26: it is not a whole"),
    "blank line": (lambda f: [*f[:-1], [*f[-1], b"\n"]], r"WRONG .*2\.export, line 27: it is not a whole line"),
    "long": (lambda f: [[b"3\t" + b"x" * 5_000_000 + b"\n"], *f], r"WRONG .*0\.export, line 1: it has more than"),
    "format of before": (
        lambda f: [[renumbered(e, b"3") for e in each] for each in f],
        r"WRONG .*0\.export, line 1: its format",
    ),
    "format to come": (
        lambda f: [[renumbered(e, b"5") for e in each] for each in f],
        r"WRONG .*0\.export, line 1: line format",
    ),
    "line twice": (lambda f: [f[0], [*f[1][:2], *f[1][1:]], f[2]], r"WRONG .*1\.export, line 3 \(entry 2 .*behind"),
    "file twice": (lambda f: [f[0], *f], r"WRONG .*1\.export, line 1 \(entry 1 .*does not follow"),
    "all twice": (lambda f: [*f, *f], r"WRONG .*3\.export, line 1 \(entry 1 .*does not follow"),
    "file missing": (lambda f: [f[0], f[2]], r"WRONG .*1\.export, line 1 \(entry 1 .*does not follow"),
    "files in another order": (lambda f: [f[1], f[0], f[2]], r"WRONG .*1\.export, line 1 \(entry 1 .*does not follow"),
    "empty file": (lambda f: [*f, []], r"NOT CHECKED .*3\.export: no line is in it"),
    "nothing": (lambda _: [[]], r"NOT CHECKED .*no record is in these exports"),
}


@pytest.mark.parametrize("name", LINES)
def test_files_of_another_form(name: str, honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, finding = LINES[name]
    code, out = said(change(honest), capsys, tmp_path)
    assert code in codes(finding)
    assert re.search(finding, out), out


def note(size: int, root: bytes = bytes(32), by: Any = None) -> str:
    """A note by the table's own key, cosigned by w3."""
    by = by or device()
    return cosigned(signed_note(checkpoint_text(by.key.name, size, root), [by]), ["w3"])


def malleable(text: str) -> str:
    """The note with S + L in place of S, which is the same number to a careless library."""
    line = v.parse_note(text).signatures[0].line
    data = base64.b64decode(line.split(" ")[2])
    other = data[:36] + (int.from_bytes(data[36:], "little") + v.ORDER).to_bytes(32, "little")
    return text.replace(line.split(" ")[2].strip(), base64.b64encode(other).decode())


def of_small_order(y: int) -> tuple[str, str]:
    """A policy with a key of small order, and a note that it verifies in a careless library."""
    key, text = v.key_of(ORIGIN, v.ED25519, y.to_bytes(32, "little")), checkpoint_text(ORIGIN, 5, bytes(32))
    signature = base64.b64encode(key.id + y.to_bytes(32, "little") + bytes(32)).decode()
    return policy_text(key), f"{text}\n\u2014 {ORIGIN} {signature}\n"


NOTES: Final[dict[str, tuple[Callable[[str], str | bytes], str]]] = {
    "blank line before": (lambda t: "\n" + t, r"WRONG .*a: a checkpoint has three lines"),
    "two blank lines": (lambda t: t.replace("\n\n", "\n\n\n"), r"WRONG .*a: a checkpoint has three lines"),
    "blank line behind": (lambda t: t + "\n", r"WRONG .*a: a note without its blank line"),
    "CRLF": (lambda t: t.replace("\n", "\r\n"), r"WRONG .*a: a note with control characters"),
    "NUL": (lambda t: t + "\0", r"WRONG .*a: a note with control characters"),
    "BOM": (lambda t: "\ufeff" + t, r"NOT CHECKED .*a: .*not signed by a key that is known"),
    "UTF-16": (lambda t: t.encode("utf-16"), r"WRONG .*a: it is not UTF-8"),
    "a witness twice": (lambda t: cosigned(bare(t), ["w1", "w1"]), r"NOT CHECKED .*no quorum of witnesses"),
    "twice, at two times": (
        lambda t: cosigned(cosigned(bare(t), ["w1"]), ["w1"], at=5),
        r"NOT CHECKED .*no quorum of witnesses",
    ),
    "no log": (lambda t: t.replace(v.parse_note(t).signatures[0].line, ""), r"WRONG .*a: .*not signed by a key"),
    "S beyond the order": (malleable, r"WRONG .*a: .*the signature of the log is wrong"),
    "size 035": (lambda t: t.replace("\n35\n", "\n035\n"), r"WRONG .*a: '035' is no size"),
    "size -1": (lambda _: note(-1), r"WRONG .*a: '-1' is no size"),
    "size 10^19": (lambda _: note(10**19), r"WRONG .*a: '10000000000000000000' is no size"),
    "size 2^63": (lambda _: note(2**63), r"WRONG .*a: it was shown 9223372036854775773 more entries"),
    "size 0": (lambda _: note(0), r"WRONG .*a: the root of a tree without entries"),
    "another root": (lambda _: note(35), r"WRONG .*a: up to .*2\.export, line 26 \(entry 26 .*another history"),
    "another origin": (lambda _: note(5, by=OTHER), r"NOT CHECKED .*a: it is not signed by a key that is"),
    "another key": (lambda _: note(5, by=device(seed=bytes(31) + b"c")), r"WRONG .*a: .*not signed by a key"),
    "not canonical": (lambda t: t.replace("=\n", "\n", 1), r"WRONG .*a: .*base64"),
}


def bare(text: str) -> str:
    """The note without its cosignatures."""
    found = v.parse_note(text)
    return f"{found.text}\n{found.signatures[0].line}"


@pytest.mark.parametrize("name", NOTES)
def test_notes(name: str, honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change, finding = NOTES[name]
    code, out = said(honest, capsys, tmp_path, a=change(cosigned(note_of(honest[-1]), WITNESSED)))
    assert code in codes(finding)
    assert re.search(finding, out), out


@pytest.mark.parametrize("y", sorted(v._SMALL_ORDER))
def test_a_log_key_of_small_order(y: int, honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, text = of_small_order(y)
    code, out = said(honest, capsys, tmp_path, policy, a=text)
    assert code == 1
    assert re.search(r"WRONG .*a: .*the signature of the log is wrong", out)


def test_a_note_of_another_record_that_the_policy_knows(
    honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = cosigned(note_of(honest[-1]), WITNESSED)
    code, out = said(honest, capsys, tmp_path, policy_text(device().key, OTHER.key), a=good, b=note(5, by=OTHER))
    assert code == v.NOT_SHOWN
    assert re.search(r"NOT CHECKED .*b: no export of other\.invalid/1/2 is given", out)


ALIAS: Final = v.key_of("somebody.example/else", v.COSIGNATURE, KEYS["w1"].public)
LOG_AS_WITNESS: Final = v.key_of("somebody.example/log", v.COSIGNATURE, device().key.public)


def grouped(*lines: str) -> str:
    """The policy with these lines in place of its group."""
    return POLICY.replace("group two 2 w1 w2 w3", "\n".join(lines))


POLICIES: Final[dict[str, tuple[str, int, str]]] = {
    "member twice": (grouped("group two 2 w1 w1 w2"), 2, r"keys\.txt: policy, line 5: w1 is a member already"),
    "key twice": (grouped(f"witness w9 {KEYS['w1'].vkey} u", "group two 2 w1 w9 w3"), 2, r"line 5: .*there twice"),
    "key by another name": (grouped(f"witness w9 {ALIAS.vkey} u", "group two 2 w1 w9"), 2, r"line 5: .*there twice"),
    "log as witness": (grouped(f"witness w9 {LOG_AS_WITNESS.vkey} u", "group two 2 w1 w9"), 2, r"line 5: .*twice"),
    "a member of two groups": (grouped("group in 1 w1 w2", "group two 2 in w1 w3"), 2, r"line 6: w1 is a member"),
    "nested, not met": (grouped("group in any w1 w2", "group two all in w3"), 6, r"NOT CHECKED .*no quorum"),
    "of itself": (grouped("group two 1 two"), 2, r"line 5: two is not defined above"),
    "0 of 3": (grouped("group two 0 w1 w2 w3"), 2, r"line 5: 0 of 3 members is no group"),
    "4 of 3": (grouped("group two 4 w1 w2 w3"), 2, r"line 5: 4 of 3 members is no group"),
    "02 of 3": (grouped("group two 02 w1 w2 w3"), 2, r"line 5: 02 of 3 members is no group"),
    "2.0 of 3": (grouped("group two 2.0 w1 w2 w3"), 2, r"line 5: 2\.0 of 3 members is no group"),
    "named as a witness": (grouped("group w1 2 w2 w3"), 2, r"line 5: the name w1 is taken"),
    "any of 3": (policy_text(group="any w1 w2 w3"), 6, r"NOT CHECKED .*lets a split view pass"),
    "no quorum": (POLICY.replace("quorum two", ""), 2, r"the line `quorum` is missing"),
    "two quorums": (POLICY + "quorum none\n", 2, r"line 7: 'quorum none' is not understood"),
    "BOM": ("\ufeff" + POLICY, 2, r"line 1: .*is not understood"),
    "NUL": (POLICY + "\0", 2, r"control characters"),
    "a line that an editor shows": (POLICY.replace("quorum two", "#\u2028quorum two\nquorum none"), 2, r"control"),
    "a line behind CR": (POLICY.replace("quorum two", "#\rquorum two\nquorum none"), 2, r"control characters"),
    "key not canonical": (POLICY.replace("log ", "log x"), 2, r"line 1: the key x.* has the id"),
    "no log": (POLICY.partition("\n")[2], 4, r"NOT CHECKED .*not signed by a key that is known"),
    "empty": ("", 2, r"the line `quorum` is missing"),
}


@pytest.mark.parametrize("name", POLICIES)
def test_policies(name: str, honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy, expected, finding = POLICIES[name]
    code, out = said(honest, capsys, tmp_path, policy, a=cosigned(note_of(honest[-1]), WITNESSED))
    assert code == expected
    assert re.search(finding, out), out
    assert "all verified" not in out.replace("NOT all verified", "")


def test_a_policy_with_crlf(honest: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = POLICY.replace("\n", "\r\n")
    assert said(honest, capsys, tmp_path, policy, a=cosigned(note_of(honest[-1]), WITNESSED))[0] == 0
