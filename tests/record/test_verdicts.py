"""What an auditor reads first: the exit code and the first line for each of 60 exports that somebody doctored.

Those of `test_doctored` and `test_unshown` are among them; here are more, and a table that is in play.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.record import verify as v
from tests.record import test_doctored as doctored
from tests.record import test_unshown as unshown
from tests.record.exports import (
    KEYS,
    ORIGIN,
    SECOND,
    SEED,
    SignedRecord,
    cosigned,
    device,
    note_of,
    policy_text,
    rewritten,
    sealed_line,
    verified,
)
from tests.record.test_doctored import FIRST_KEY, SECOND_KEY, THIEF, Given, command, run, written

honest = doctored.honest  # fixture

OTHER: Final = device("other.invalid/1/2")
OF_OTHER: Final = device("shoe.invalid/20000000c0ffee02/00000001", bytes(31) + b"\x21")


def played(folder: Path, *, is_open: bool) -> Given:
    """A table with two shoes: a round, then two; in play, or with its second shoe ended."""
    record = SignedRecord(folder / "journal")
    record.begin()
    record.play(1).open_shoe()
    record.play(2)
    if is_open:
        record.deal("9s8s")
    else:
        record.order(orders.CloseShoe())
    record.close()
    files = record.exports()
    return Given(files, policy_text(FIRST_KEY.key), {"w.note": cosigned(note_of(files[2]), ("w1", "w2"))})


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return played(tmp_path_factory.mktemp("ended"), is_open=False)


@pytest.fixture(scope="module")
def in_play(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return played(tmp_path_factory.mktemp("play"), is_open=True)


# ---------------------------------------------------------------------------------------------------------- the tail


def with_tail(given: Given, cards: Sequence[bytes] = (), **changes: Any) -> Given:
    """A card behind the last line, dealt in the round after the last one; anybody can write it.

    cards: lines to copy one from, other than those given. changes: to it.
    """
    lines = [v.parse_line(line) for line in cards or [line for file in given.files for line in file]]
    last = v.parse_line(given.files[-1][-1])
    card = next(line for line in lines if [event["type"] for _, event in line.events] == ["CardDealt"])
    event = {**card.events[0][1], "round": changes.pop("round", 3), "type": changes.pop("type", "CardDealt")}
    about = {"v": 1, "table": last.table, "shoe": last.shoe, "journal": last.journal, "seq": last.seq + 1}
    public = json.dumps(
        {**about, "at": last.at, "boot": last.boot, **changes, "events": [event]}, separators=(",", ":")
    )
    head = sha256((last.head + card.sealed + public).encode()).hexdigest()
    line = sealed_line(head.encode(), public.encode(), card.sealed.encode(), b"")
    return given._replace(files=[*given.files[:-1], [*given.files[-1], line]])


def tail(**changes: Any) -> Callable[[Given], Given]:
    return lambda given: with_tail(given, **changes)


def the_last_checkpoint_is_taken_off(given: Given) -> Given:
    *files, last = given.files
    bare = unshown.forged(last[-1], bytes)
    older = cosigned(note_of(last, 1), ("w1", "w2"))
    return given._replace(files=[*files, [*last[:-1], bare]], notes={"w.note": older})


# ------------------------------------------------------------------------------------------------- entries and files


def without(file: int, line: int) -> Callable[[Given], Given]:
    """An entry is left out, and all behind it made to fit."""

    def change(given: Given) -> Given:
        files = [list(each) for each in given.files]
        del files[file][line]
        return given._replace(files=rewritten(files, doctored.as_it_is))

    return change


def in_order(*numbers: int) -> Callable[[Given], Given]:
    """These files alone, in this order."""
    return lambda given: given._replace(files=[given.files[number] for number in numbers])


def cut_in_a_line(given: Given) -> Given:
    return given._replace(files=[*given.files[:-1], [*given.files[-1][:-1], given.files[-1][-1][:50]]])


def shorter(by: int, *, notes: bool) -> Callable[[Given], Given]:
    """The newest lines are held back."""

    def change(given: Given) -> Given:
        files = [*given.files[:-1], given.files[-1][:-by]]
        return given._replace(files=files, notes=given.notes if notes else {})

    return change


def re_originated(_: int, public: bytes) -> bytes:
    return public.replace(FIRST_KEY.key.vkey.encode(), OF_OTHER.key.vkey.encode()).replace(
        ORIGIN.encode(), OF_OTHER.key.name.encode()
    )


def another_table(given: Given) -> list[list[bytes]]:
    """What another table of the house signed, by its own key."""
    return rewritten(given.files, re_originated, {OF_OTHER.key.name: [OF_OTHER]})


def another_tables_export(given: Given) -> Given:
    return given._replace(files=another_table(given))


def another_tables_export_and_key(given: Given) -> Given:
    return given._replace(files=another_table(given), policy=policy_text(FIRST_KEY.key, OF_OTHER.key))


def another_tables_shoe_between(given: Given) -> Given:
    return given._replace(files=[*given.files[:2], another_table(given)[2]])


# ---------------------------------------------------------------------------------------------- keys, notes, quorums


def page(policy: str) -> Callable[[Given], Given]:
    return lambda given: given._replace(policy=policy)


def notes(**texts: str) -> Callable[[Given], Given]:
    return lambda given: given._replace(notes=texts)


def notes_by(*names: str) -> Callable[[Given], Given]:
    return lambda given: given._replace(
        notes={name: cosigned(doctored.own_note(text), names) for name, text in given.notes.items()}
    )


def strange_witnesses(given: Given) -> Given:
    """The page has other witnesses than those who cosigned."""
    others = [v.key_of(KEYS[name].name, v.COSIGNATURE, bytes([n]) * 32) for n, name in enumerate(("w1", "w2", "w3"), 5)]
    policy = policy_text(FIRST_KEY.key)
    for name, key in zip(("w1", "w2", "w3"), others, strict=True):
        policy = policy.replace(KEYS[name].vkey, key.vkey)
    return given._replace(policy=policy)


def a_note_of_another_key(given: Given) -> Given:
    files = rewritten(given.files, doctored.re_keyed, {ORIGIN: [THIEF]})
    return given._replace(notes={"w.note": cosigned(note_of(files[2]), ("w1", "w2"))})


def an_early_note_and_another_end(given: Given) -> Given:
    """With the table's key: the second shoe is told anew, and the house hands out a note of the first one alone."""
    at = doctored.closing(given.files, 1)
    change = doctored.changed(rb'"round":1,"cards"', b'"round":9,"cards"', at)
    files = rewritten(given.files, change, {ORIGIN: [FIRST_KEY]})
    return given._replace(files=files, notes={"w.note": given.notes["w.note"], "house.note": note_of(files[2])})


Answered = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Answered:
    """The exit code and the lines of the command, run in this process in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def answered(*words: str) -> tuple[int, list[str]]:
        code, shown = v.main(words), capsys.readouterr()
        return code, (shown.out or shown.err).splitlines()

    return answered


Row = tuple[str, Callable[[Given], Given], int, str]
"""Which export it was, what was done to it, the exit code, and the first line as a pattern."""

FIVE: Final = r"T07: 5 rounds of shoes 1 and 2, 14 Nov 2023 22:13( to 20 Nov 2026 20:45)? UTC"
THREE: Final = r"T07: 3 rounds of shoes 1 and 2, 14 Nov 2023 22:13 UTC"
UNSIGNED: Final = r"NOT CHECKED  under no signature: "
NO_KEY: Final = r"NOT CHECKED  under a key that nobody gave: "
NOT_SHOWN: Final = r"NOT CHECKED  not everything is shown: "
NO_WITNESS: Final = r"NOT CHECKED  no witness to rely on: "
AFTER_ONE: Final = r"; the round that ended last before it is round 1 of shoe 1, 14 Nov 2023 22:13 UTC"
BEYOND: Final = (
    rf"{UNSIGNED}3\.export, lines 15 to 15: the last 1 of 24 entries of {ORIGIN} are not signed: anybody can"
)
OLD: Final = {**doctored.DOCTORED, **unshown.UNSHOWN}

ROWS: Final[dict[str, Row]] = {
    # what the table signed, and what is in play
    "nothing": ("ended", lambda given: given, 0, rf"{THREE}, are as the table signed them; 2 of 3 witnesses have seen"),
    "two births": ("honest", lambda given: given, 0, rf"{FIVE}, are as the table signed them; 2 of 3 witnesses have"),
    "in play": (
        "in_play",
        lambda given: given,
        7,
        r"T07: verified up to entry 22 of 24; the open round behind it is not",
    ),
    "a card more in play": (
        "in_play",
        tail(),
        7,
        r"T07: verified up to entry 22 of 25; the open round behind it is not",
    ),
    # tails
    "tail behind a shoe that ended": ("ended", tail(), 3, BEYOND),
    "tail that ends a round": (
        "in_play",
        tail(type="RoundClosed"),
        3,
        rf"{UNSIGNED}3\.export, line 16 .*no checkpoint",
    ),
    "tail that opens a shoe": ("in_play", tail(type="ShoeOpened"), 3, rf"{UNSIGNED}3\.export, line 16 .*no checkpoint"),
    "tail of an earlier round": (
        "in_play",
        tail(round=1),
        3,
        rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of 25",
    ),
    "tail of a later round": ("in_play", tail(round=4), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of 25"),
    "tail of no round": ("in_play", tail(round="3"), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of 25"),
    "tail of another shoe": ("in_play", tail(shoe=1), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of 25"),
    "tail of another table": ("in_play", tail(table="T08"), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of"),
    "tail of another start": ("in_play", tail(boot="b008"), 3, rf"{UNSIGNED}3\.export, lines 14 to 16: the last 3 of"),
    "tail of another journal": (
        "in_play",
        tail(journal="3-ab", seq=1),
        3,
        rf"{UNSIGNED}3\.export, lines 14 to 16: the",
    ),
    "last checkpoint taken off": (
        "ended",
        the_last_checkpoint_is_taken_off,
        3,
        rf"{UNSIGNED}3\.export, line 14 .*has no",
    ),
    "the unsigned end is changed": (
        "honest",
        OLD["the unsigned end is changed"][0],
        3,
        rf"{UNSIGNED}4\.export, line 4 ",
    ),
    "round before the first tree": (
        "honest",
        OLD["round"][0],
        3,
        rf"{UNSIGNED}before 2\.export, line 1 .*1 entries be",
    ),
    "proofs taken off": (
        "honest",
        OLD["proofs"][0],
        3,
        rf"{UNSIGNED}before 2\.export, line 1 .*entries belong to no r",
    ),
    # entries and files
    "entry omitted": (
        "ended",
        without(2, 3),
        1,
        r"WRONG  T07: 3\.export, line 4 .*behind entry 3 .*round 1 of shoe 1,",
    ),
    "last round omitted": ("ended", without(2, 12), 1, r"WRONG  T07: 3\.export, line 13 .*round 1 of shoe 2, 14 Nov"),
    "file omitted": (
        "ended",
        in_order(0, 2),
        1,
        r"WRONG  T07: 2\.export, line 1 .*not follow.*; no round ended before",
    ),
    "first file omitted": (
        "ended",
        in_order(1, 2),
        5,
        rf"{NOT_SHOWN}2?.*entries 1 to 1 are not shown|{NOT_SHOWN}1\.exp",
    ),
    "last file omitted": (
        "ended",
        in_order(0, 1),
        1,
        rf"WRONG  T07: w\.note: it was shown 14 more entries .*{AFTER_ONE}",
    ),
    "files swapped": ("ended", in_order(0, 2, 1), 1, r"WRONG  T07: 2\.export, line 1 .*it does not follow the line be"),
    "file repeated": ("ended", in_order(0, 1, 1, 2), 1, rf"WRONG  T07: 3\.export, line 1 .*not follow.*{AFTER_ONE}"),
    "cut in a line": (
        "ended",
        cut_in_a_line,
        1,
        r"WRONG  T07: 3\.export, line 14: it is not a whole line of six columns",
    ),
    "stale": ("ended", shorter(2, notes=True), 1, r"WRONG  T07: w\.note: it was shown 2 more entries .*of shoe 2, 14"),
    "stale, without notes": (
        "ended",
        shorter(1, notes=False),
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum .*; beside that: T",
    ),
    "result rewritten": (
        "honest",
        OLD["a result is rewritten"][0],
        1,
        r"WRONG  T07: 3\.export, line 7 .*round 1 of sh",
    ),
    "round removed": ("honest", OLD["a round is removed"][0], 1, rf"WRONG  T07: 3\.export, line 7 .*{AFTER_ONE}"),
    "line inserted": (
        "honest",
        OLD["a line is inserted"][0],
        1,
        r"WRONG  T07: 2\.export, line 4 .*no round ended before",
    ),
    "lines swapped": ("honest", OLD["two lines change places"][0], 1, rf"WRONG  T07: 3\.export, line 4 .*{AFTER_ONE}"),
    "stale birth": ("honest", OLD["stale export"][0], 1, r"WRONG  T07: second\.note: it was shown 2 more entries"),
    "birth omitted": (
        "honest",
        OLD["omitted birth"][0],
        5,
        rf"{NOT_SHOWN}1\.export, line 1 .*35 entries of {ORIGIN} no",
    ),
    "end of a birth omitted": (
        "honest",
        OLD["omitted end of a birth"][0],
        1,
        r"WRONG  T07: 4\.export, line 1 .*not foll",
    ),
    "birth denied": ("honest", OLD["denied birth"][0], 5, rf"{NOT_SHOWN}.*no export of"),
    "birth hidden": ("honest", OLD["birth"][0], 5, rf"{NOT_SHOWN}{SECOND}: entries 1 to 1 are not shown"),
    "newest birth not given": ("honest", OLD["newest record"][0], 5, rf"{NOT_SHOWN}{SECOND}: no export of this record"),
    "beginning left out": ("honest", OLD["beginning"][0], 5, rf"{NOT_SHOWN}{ORIGIN}: entries 1 to 9 are not shown"),
    "first line changed": ("honest", OLD["first line"][0], 5, rf"{NOT_SHOWN}{ORIGIN}: entries 1 to 9 are not shown"),
    "tree invented": ("honest", OLD["invented tree"][0], 1, r"WRONG  T07: 1\.export, line 1 .*another tree"),
    "kind that looks like another": ("honest", OLD["kind"][0], 1, r"WRONG  T07: 4\.export, line 5: its public part"),
    "sealed card exchanged": ("honest", OLD["a sealed card is exchanged"][0], 1, r"WRONG  T07: 2\.export, line 6 "),
    # another table's
    "another table": (
        "ended",
        another_tables_export,
        4,
        rf"{NO_KEY}.*none of {OF_OTHER.key.name} is given; beside that: n",
    ),
    "another table and its key": (
        "ended",
        another_tables_export_and_key,
        5,
        rf"{NOT_SHOWN}w\.note: no export of {ORIGIN}",
    ),
    "another table's shoe": (
        "ended",
        another_tables_shoe_between,
        1,
        r"WRONG  T07: 3\.export, line 1 .*it does not follow",
    ),
    # keys
    "key exchanged": (
        "ended",
        page(policy_text(THIEF.key)),
        1,
        r"WRONG  T07: w\.note: .*not signed by a key that is known",
    ),
    "key absent": (
        "ended",
        page(policy_text(OTHER.key)),
        4,
        rf"{NO_KEY}w\.note: .*none of {ORIGIN} is given; beside that",
    ),
    "page swapped": ("honest", OLD["swapped page of keys"][0], 1, r"WRONG  T07: first\.note: .*not signed by a key"),
    "rotation by one key": (
        "honest",
        OLD["rotation by one key"][0],
        1,
        r"WRONG  T07: 4\.export, line 1 .*did not sign",
    ),
    "rotation to a key that nobody gave": (
        "honest",
        lambda given: doctored.rotated(given, [FIRST_KEY, doctored.ROTATED])._replace(
            policy=policy_text(FIRST_KEY.key)
        ),
        4,
        rf"{NO_KEY}4\.export, line 1 .*takes over: it is not in the policy; beside that: {FIVE}",
    ),
    # notes
    "notes absent": (
        "ended",
        notes(),
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum .*; beside that: {THREE}, are as the table si",
    ),
    "notes of one witness": (
        "ended",
        notes_by("w3"),
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum of witnesses cosigned any of",
    ),
    "notes of one witness twice": (
        "ended",
        notes_by("w1", "w1"),
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum of witnesses cos",
    ),
    "notes of strangers": (
        "ended",
        strange_witnesses,
        6,
        rf"{NO_WITNESS}{ORIGIN}: no quorum of witnesses cosigned any",
    ),
    "note of another key": (
        "ended",
        a_note_of_another_key,
        1,
        r"WRONG  T07: w\.note: .*the signature of the log is wrong|W",
    ),
    "note of another end": ("ended", an_early_note_and_another_end, 1, r"WRONG  T07: .*signed two histories"),
    "two histories": ("honest", OLD["two histories"][0], 1, r"WRONG  T07: .*signed two histories"),
    "notes exchanged": (
        "honest",
        lambda given: given._replace(notes={"second.note": given.notes["first.note"]}),
        6,
        rf"{NO_WITNESS}{SECOND}: no quorum of witnesses",
    ),
    # quorums
    "quorum none": (
        "ended",
        page(policy_text(FIRST_KEY.key, quorum="none")),
        6,
        rf"{NO_WITNESS}the policy's quorum: it as",
    ),
    "quorum of any": (
        "honest",
        OLD["quorum 1, by its page"][0],
        6,
        rf"{NO_WITNESS}the policy's quorum: it lets a split",
    ),
    "quorum by its notes": (
        "honest",
        OLD["quorum 1, by its notes"][0],
        6,
        rf"{NO_WITNESS}{SECOND}: no quorum of witnes",
    ),
    "quorum of 1 of 2": (
        "ended",
        page(policy_text(FIRST_KEY.key, group="1 w1 w2")),
        6,
        rf"{NO_WITNESS}the policy's quoru",
    ),
    "no quorum on the page": (
        "ended",
        page(policy_text(FIRST_KEY.key).replace("quorum two\n", "")),
        2,
        r"verify: keys\.txt: policy: the line `quorum` is missing",
    ),
    "policy of a thief for all": ("ended", page("log x\n"), 2, r"verify: keys\.txt: policy, line 1: "),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_first_line_and_the_exit_code(name: str, request: pytest.FixtureRequest, here: Answered) -> None:
    of, doctor, code, first = ROWS[name]
    found, said = here(*written(doctor(request.getfixturevalue(of)), Path()))
    assert found == code, "\n".join(said)
    assert re.match(first, said[0]), said[0]
    assert (said[-1] == "all verified") is (code == 0)
    if code == v.OPEN_ROUND:
        assert re.fullmatch(r"verified up to entry 22 of \d+; the open round behind it is not signed yet", said[-1])


def test_at_least_forty_are_doctored_and_none_of_them_is_fine() -> None:
    fine = [name for name, row in ROWS.items() if row[2] == v.FINE]
    assert fine == ["nothing", "two births"]
    assert len(ROWS) >= 60


def test_who_wants_no_witness_says_so(ended: Given, here: Answered) -> None:
    written(ended, Path())
    Path("none.txt").write_text(policy_text(FIRST_KEY.key, quorum="none"))
    for policy in ("keys.txt", "none.txt"):
        code, said = here("--policy", policy, "--no-witness", "1.export", "2.export", "3.export")
        assert code == 0, said
        assert re.fullmatch(rf"{THREE}, are as the table signed them; no witness was asked", said[0])


def test_times_are_those_at_the_table_too(ended: Given, here: Answered) -> None:
    words = written(ended, Path())
    assert "22:13 UTC (15 Nov 2023 06:13 UTC+08:00, at the table), are" in here("--local", "+08:00", *words)[1][0]
    assert "22:13 UTC (14 Nov 2023 18:43 UTC-03:30, at the table), are" in here("--local", "-03:30", *words)[1][0]
    assert here("--local", "8", *words)[0] == v.USAGE_ERROR


def test_a_pipe_is_read_like_a_file(ended: Given, in_play: Given, tmp_path: Path) -> None:
    """Twice, where a signature is wrong."""
    for given, code in ((ended, 0), (in_play, 7), (ended._replace(files=given_wrong(ended)), 1)):
        done = run(given, tmp_path)
        data = b"".join(line for file in given.files for line in file).decode()
        piped = command(tmp_path, "--policy", "keys.txt", "--notes", "w.note", "-", given=data)
        assert (done.returncode, piped.returncode) == (code, code), piped.stdout
        names = re.compile(r"-, line|\d\.export, line")
        assert names.split(done.stdout.splitlines()[0])[0] == names.split(piped.stdout.splitlines()[0])[0]


def given_wrong(given: Given) -> list[list[bytes]]:
    """The signature of the last checkpoint is another one."""
    _, _, head, public, sealed, proof = given.files[-1][-1].rstrip(b"\n").split(b"\t")
    proved = json.loads(proof)
    text, _, line = proved["note"].rpartition(" ")
    data = bytearray(base64.b64decode(line))
    data[-1] ^= 1
    proved["note"] = f"{text} {base64.b64encode(data).decode()}\n"
    last = sealed_line(head, public, sealed, json.dumps(proved, ensure_ascii=False).encode())
    return [*given.files[:-1], [*given.files[-1][:-1], last]]


def test_a_proof_without_a_quorum_or_a_key_is_not_checked(honest: Given, here: Answered) -> None:
    both = (FIRST_KEY.key, SECOND_KEY.key)
    pages = {
        "good.txt": (policy_text(*both), 0, r"T07: 1 entry of shoe 2, 20 Nov 2026 20:45 UTC, is as the table signed"),
        "all.txt": (
            policy_text(*both, group="all w1 w2 w3"),
            6,
            rf"{NO_WITNESS}x\.tlog-proof: .*no quorum of witnesses",
        ),
        "any.txt": (policy_text(*both, group="any w1 w2 w3"), 6, rf"{NO_WITNESS}the policy's quorum: it lets a split"),
        "none.txt": (policy_text(*both, quorum="none"), 6, rf"{NO_WITNESS}the policy's quorum: it asks for no witness"),
        "other.txt": (policy_text(FIRST_KEY.key), 4, rf"{NO_KEY}x\.tlog-proof: .*none of {SECOND} is given"),
        "thief.txt": (policy_text(device(SECOND, SEED[:-1] + b"\x63").key), 1, r"WRONG  .*x\.tlog-proof: .*not signed"),
    }
    Path("x.tlog-proof").write_text(unshown.proof(honest, honest.notes["second.note"]))
    for name, (policy, code, first) in pages.items():
        Path(name).write_text(policy)
        found, said = here("--policy", name, "x.tlog-proof")
        assert found == code, (name, said)
        assert re.match(first, said[0]), (name, said)


def test_the_table_of_exit_codes_is_that_of_the_book() -> None:
    book = (Path(__file__).parents[2] / "docs" / "audit.md").read_text()
    rows = dict(re.findall(r"^\| (\d) \| ([^|]+) \|", book, re.MULTILINE))
    assert [int(code) for code in rows] == list(range(8))
    for code, words in v.CLASSES.items():
        assert words in rows[str(code)]


# ------------------------------------------------------------------------------------------------------- on one page


def worst(given: Given) -> tuple[v.Report, v.Options]:
    """More findings, files and words than a page has room for, and all of them as wide as can be."""
    report = verified(given.files, given.policy, list(given.notes.items()))
    for n in range(30):
        report.leave(v.UNSIGNED, f"{n} <script>alert(1)</script>\u202e " + "W" * 400)
    names = [f"{n}-" + "W" * 200 for n in range(40)]
    return report, v.Options("keys.txt", names, names, False, 480, "x.html")


def test_the_page_says_what_the_command_says(in_play: Given, here: Answered) -> None:
    words = written(in_play, Path())
    code, said = here("--html", "x.html", *words)
    page = Path("x.html").read_text("utf-8")
    assert code == v.OPEN_ROUND
    assert "<h1>Verified, but for the open round</h1>" in page
    assert f"<p class=verdict>{html.escape(said[0])}</p>" in page
    assert f"{sha256(Path('3.export').read_bytes()).hexdigest()}  3.export" in page
    assert page.count("is it the one that the table shows?") == 1
    assert here("--html", "no/such/folder", *words)[0] == v.USAGE_ERROR


def test_the_page_has_room_for_the_worst(ended: Given) -> None:
    report, asked = worst(ended)
    page = v.page(report, [v.verdict(report, v.parse_policy(ended.policy)), *["is it the one" + "W" * 400] * 40], asked)
    assert "<script>" not in page
    assert "\u202e" not in page
    assert len(re.findall("<li>", page)) <= v.FINDINGS_SHOWN + v.KEYS_SHOWN + v.FILES_SHOWN + 2
    assert max(map(len, re.findall(r"<li>([^<]*)", page))) < 280
    for code in (v.FINE, v.WRONG, *v.CLASSES, v.OPEN_ROUND):
        assert v.MEANS[code]
