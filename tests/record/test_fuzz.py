"""Every decoder of the verifier answers or refuses, whatever the bytes: nothing else is raised, and it costs little."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.record import verify as v
from tests.kit.nightly import share
from tests.record.exports import cosigned, five_rounds, note_of, policy_text, sealed_line
from tests.record.test_vectors import VECTORS

NOTE: Final[str] = VECTORS["witnessed"]
POLICY: Final = v.parse_policy(VECTORS["policy"])
TEXTS: Final[dict[str, tuple[Callable[[str], Any], str]]] = {
    "vkey": (v.parse_vkey, VECTORS["keys"]["device"]["vkey"]),
    "note": (v.parse_note, NOTE),
    "checkpoint": (v.parse_checkpoint, v.parse_note(NOTE).text),
    "policy": (v.parse_policy, VECTORS["policy"]),
    "proof": (v.parse_proof, VECTORS["tlog_proof"]),
    "base64": (lambda text: v.decoded(text, "it"), "AAECAwQ="),
}

characters: Final = st.characters(codec=None)  # lone surrogates too: JSON can write them
pieces: Final = st.one_of(
    st.text(characters, max_size=8),
    st.sampled_from(
        ["\n", "\n\n", " ", "+", "\u2014 ", "=", "none", "quorum x\n", "group g any w1\n", "0", "9" * 30, "\0"]
    ),
)


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    """A text with some parts removed, repeated, or replaced."""
    for _ in range(draw(st.integers(1, 4))):
        begin, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        end = min(end, begin + draw(st.sampled_from([0, 1, 1, 8, 500])))
        text = (
            text[:begin] + draw(pieces) + text[begin : end + draw(st.sampled_from([0, 0, 0, end - begin]))] + text[end:]
        )
    return text


def answers_or_refuses(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except v.Refused:
        return None


@pytest.mark.parametrize("name", TEXTS)
@given(data=st.data())
def test_texts(name: str, data: st.DataObject) -> None:
    parse, good = TEXTS[name]
    found = answers_or_refuses(parse, data.draw(st.one_of(mutated(good), st.text(characters, max_size=300))))
    if isinstance(found, v.Policy):
        assert found.liars() >= 0
        found.is_met(found.witnesses.values())
    if isinstance(found, v.Note):
        for check in (
            lambda: v.verified_checkpoint(found, POLICY.logs),
            lambda: v.cosigned(found, POLICY.witnesses.values()),
        ):
            answers_or_refuses(lambda _, check=check: check(), "")  # type: ignore[misc]
    if isinstance(found, v.Proof):
        answers_or_refuses(lambda _: v.check_self_contained(found, POLICY), "")


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    return [line for file in five_rounds(tmp_path_factory.mktemp("fuzz") / "journal") for line in file]


WORDS: Final = ["", "RoundClosed", "CardRevealed", "RecordBegun", "KeyChanged", NOTE, VECTORS["origin"], "AAAA"]
NAMES: Final = ["a", "b", "type", "seq", "n", "own"]
json_values: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(characters, max_size=5)
    | st.just(10**400)
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=6,
)


@st.composite
def changed_json(draw: st.DrawFn, data: bytes) -> bytes:
    """A JSON object with the value at some place replaced, or with raw bytes changed."""
    if not data or draw(st.integers(0, 3)) == 0:
        text = draw(mutated(data.decode()))
        return text.encode("utf-8", "surrogatepass").replace(b"\t", b"").replace(b"\n", b"")
    root = json.loads(data)
    for _ in range(draw(st.integers(1, 3))):
        at: Any = {"": root}
        key: Any = ""
        while isinstance(at[key], (dict, list)) and at[key] and draw(st.integers(0, 4)):
            at = at[key]
            key = draw(st.sampled_from(list(at) if isinstance(at, dict) else range(len(at))))
        at[key] = draw(json_values)
        if key == "":
            root = at[key]
    return json.dumps(root, separators=(",", ":")).encode("utf-8")


@settings(max_examples=share(300, 6))
@given(data=st.data())
def test_export_lines(lines: list[bytes], data: st.DataObject) -> None:
    """Columns are changed one by one; checksum and chain are made right, so that what is behind them is reached."""
    at = data.draw(st.integers(0, len(lines) - 1))
    before = lines[at - 1].split(b"\t")[2] if at else v.FIRST_HEAD.encode()
    _, _, _, public, sealed, proof = lines[at].rstrip(b"\n").split(b"\t")
    which = data.draw(st.sampled_from(["public", "proof", "both", "raw"]))
    public = data.draw(changed_json(public)) if which in ("public", "both") else public
    proof = data.draw(changed_json(proof)) if which in ("proof", "both") else proof
    line = sealed_line(hashlib.sha256(before + sealed + public).hexdigest().encode(), public, sealed, proof)
    if which == "raw":
        text = data.draw(mutated(lines[at].decode()))
        line = text.encode("utf-8", "surrogatepass")
    notes = [("n", v.parse_note(cosigned(note_of(lines, back), ["w1", "w2"]))) for back in range(3)]
    reader = v.Reader(v.parse_policy(policy_text()), notes)
    reader.read("x.export", [*lines[:at], line, *lines[at + 1 :]])
    assert all(map(v.printable, [*reader.finish().wrong, *reader.report.unseen, *reader.report.remarks]))
    alone = v.Reader(v.parse_policy(policy_text()))
    alone.read("x.export", [line, *lines[at + 1 :]])
    alone.finish()


HOSTILE: Final = {
    "vkey": "a+00000000+" + "A" * 3_000_000,
    "name": "a" * 3_000_000 + "+00000000+AA==",
    "note of blank lines": "\n" * 900_000,
    "note of signatures": "x\n\n" + "\u2014 a AAAAAAAA\n" * 60_000,
    "note of text": "x\n" * 400_000 + "\n\u2014 a AAAAAAAA\n",
    "deep policy": "\n".join(
        [f"witness w {VECTORS['keys']['w1']['vkey']}", "group g0 any w"]
        + [f"group g{n + 1} any g{n}" for n in range(20_000)]
        + ["quorum g20000"]
    ),
    "wide policy": "\n".join(f"group g{n} 1 x" for n in range(50_000)),
    "proof of hashes": "c2sp.org/tlog-proof@v1\nindex 0\n" + ("A" * 43 + "=\n") * 20_000 + "\n" + NOTE,
    "proof of extra": "c2sp.org/tlog-proof@v1\nextra " + "A" * 4_000_000 + "\nindex 0\n\n" + NOTE,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_cost_little(name: str) -> None:
    for parse, _ in TEXTS.values():
        costs_little(lambda parse=parse: answers_or_refuses(parse, HOSTILE[name]))  # type: ignore[misc]
    found = answers_or_refuses(v.parse_policy, HOSTILE[name])
    if found:
        assert found.liars() == 1
        assert not found.is_met([])


LONG: Final = {
    "numbers": b'{"journal":"0-ab","seq":' + b"9" * 3_000_000 + b',"at":"","events":[{}]}',
    "deep": b'{"journal":"0-ab","seq":1,"at":"","events":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}",
    "tabs": b"\t" * 3_000_000,
    "own": b'{"journal":"0-ab","seq":1,"at":"","events":[{"type":"RoundClosed"' + b',"own":{}' * 300_000 + b"}]}",
    "infinite": b'{"journal":"0-ab","seq":1e999,"at":"","events":[{"type":"x"}]}',
    "constant": b'{"journal":"0-ab","seq":1,"at":"","events":[{"type":NaN}]}',
    "terminal": b'{"journal":"0-ab\\u001b[2J","seq":1,"at":"","events":[{"type":"x"}]}',
}


@pytest.mark.parametrize("name", LONG)
def test_hostile_lines_cost_little(name: str) -> None:
    head = b"0" * 64
    line = sealed_line(head, LONG[name], head, b"")
    costs_little(lambda: answers_or_refuses(lambda _: list(v.round_payloads(v.parse_line(line))), ""))


def test_a_line_without_end_is_read_in_part(tmp_path: Path) -> None:
    """A file of a GB that is one line: a sparse one, so that it takes no room here."""
    path = tmp_path / "endless"
    with path.open("wb") as file:
        file.write(b"3\t")
        file.truncate(1_000_000_000)
    with path.open("rb") as file:
        line = costs_little(lambda: next(v._lines(file)))
    assert len(line) == v.LINE_BYTES + 1
    with pytest.raises(v.Refused, match="has more than"):
        v.parse_line(line)
    with pytest.raises(v.Refused, match="too long"):
        v._text(str(path))


def costs_little(call: Callable[[], Any]) -> Any:
    """The result of a call that takes seconds at most, and 200 MB."""
    tracemalloc.start()
    began = time.process_time()
    try:
        return call()
    finally:
        used, peak = time.process_time() - began, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert used < 20
        assert peak < 200_000_000


def test_what_files_say_does_not_reach_a_terminal() -> None:
    assert v.printable("a\x1b[2J\u202eb\n\ud800") == "a\\x1b[2J\\u202eb\\n\\ud800"


def test_random_files_are_refused_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / "policy"
    policy.write_text(VECTORS["policy"])
    chance = random.Random(1)
    for n in range(50):
        for name in ("x.export", "x.tlog-proof", "x.note"):
            (tmp_path / name).write_bytes(chance.randbytes(chance.choice((0, 1, 100, 5000))))
        files = [str(tmp_path / "x.export"), str(tmp_path / "x.tlog-proof")]
        notes = ["--notes", str(tmp_path / "x.note"), "--"] if n % 2 else []
        assert v.main(["--policy", str(policy), *notes, *files]) in (1, 2)
    assert "all verified" not in [line for line in capsys.readouterr().out.split("\n") if "NOT" not in line]


def test_each_byte_of_base64_counts() -> None:
    """No two texts give the same bytes, so no note can be written in two ways."""
    text = base64.b64encode(bytes(33) + b"\1").decode()
    for other in (text[:-3] + "B==", text + "\n", text.rstrip("="), text.replace("A", "A ", 1)):
        with pytest.raises(v.Refused):
            v.decoded(other, "it")
