"""What an auditor reads first: the exit code and the first line for each of 60 exports that somebody doctored."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from firmware_bridge.record import verify as v
from tests.record import test_doctored as doctored
from tests.record import test_unshown as unshown
from tests.record.doctored_exports import NO_KEY, NO_WITNESS, ROWS, THREE
from tests.record.doctoring import played
from tests.record.exports import SECOND, SEED, device, policy_text, sealed_line, verified
from tests.record.test_doctored import FIRST_KEY, SECOND_KEY, Given, command, run, written

honest = doctored.honest  # fixture


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return played(tmp_path_factory.mktemp("ended"), is_open=False)


@pytest.fixture(scope="module")
def in_play(tmp_path_factory: pytest.TempPathFactory) -> Given:
    return played(tmp_path_factory.mktemp("play"), is_open=True)


Answered = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Answered:
    """The exit code and the lines of the command, run in this process in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def answered(*words: str) -> tuple[int, list[str]]:
        code, shown = v.main(words), capsys.readouterr()
        return code, (shown.out or shown.err).splitlines()

    return answered


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
