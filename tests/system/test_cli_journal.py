import fcntl
import re
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.facts import orders
from firmware_bridge.facts.printable import fault
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.files import journal_id
from firmware_bridge.journal.sectors import padded
from firmware_bridge.sim.replay import Replay
from firmware_bridge.sim.script import Say, parse
from tests.system import command
from tests.system.record import delivered, record

shoe = command.shoe  # fixture

TWO_SHOES = "shoe 9sTdTsTc 2s3h4dTcTh6d ?? !void misread shoe 5c 2d2d2d2d2d 9sTdTsTc 3s4h5d"
SEALED = "2d"
"""Burned in the second shoe and seen nowhere else: nobody may learn of it."""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """The files of a table that was commissioned and then had two shoes; the second begins with a burn."""
    (tmp_path / "j").mkdir()
    record(tmp_path / "j", TWO_SHOES.split(" shoe")[0], burn="none")
    return record(tmp_path / "j", "shoe" + TWO_SHOES.split(" shoe")[1])


@pytest.fixture
def journal(shoe: command.Run, tmp_path: Path) -> Callable[..., command.Ran]:
    return lambda action, *words: shoe("journal", action, "--dir", tmp_path / "j", *words)


def edit(path: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    """Change a line (from 1)."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = change(lines[number - 1])
    path.write_bytes(b"".join(lines))


def forged(line: bytes, old: bytes, new: bytes) -> bytes:
    """A change by somebody who knows how to make the checksum right."""
    version, _, body = line.rstrip(b" \n").split(b"\t", 2)
    body = body.replace(old, new)
    return padded(b"%b\t%08x\t%b" % (version, crc32(version + body), body))


def rechained(files: list[Path], number: int, old: bytes, new: bytes) -> None:
    """Change a line (from 1) of the first file, and make checksums and chains right to the end of the last."""
    chain = b""
    for path in files:
        lines = path.read_bytes().splitlines(keepends=True)
        for n, line in enumerate(lines, 1):
            if path == files[0] and n < number:
                chain = line.split(b"\t")[2]
                continue
            was, shown, hidden = line.rstrip(b" \n").split(b"\t")[2:]
            shown, hidden = (part.replace(old, new) if n == number else part for part in (shown, hidden))
            chain = sha256(chain + sha256(hidden).hexdigest().encode() + shown).hexdigest().encode()
            lines[n - 1] = forged(b"\t".join([*line.split(b"\t")[:3], shown, hidden]), was, chain)
        path.write_bytes(b"".join(lines))


def count(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def test_list_names_every_journal_and_the_head(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    delivered(files[0].parent, journal_id(files[1]), 3)
    ran = journal("list")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == [*map(journal_id, files), "head"]
    rows = journal("list", "--json").json
    assert [row["entries"] for row in rows] == [count(path) for path in files]
    assert [row["delivered"] for row in rows] == [count(files[0]), 3, 0]
    assert ran.out.splitlines()[-1] == f"head {rows[-1]['head']}"


def test_verify_proves_a_whole_record_while_the_daemon_holds_its_lock(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    with (files[0].parent / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = journal("verify", "--replay")
    assert ran.code == 0, ran.out
    assert re.fullmatch(r"(OK .* chain, commitments, judged again\n){3}head \d+:[0-9a-f]{64}\n", ran.out)


def test_show_and_export_keep_what_is_sealed(
    files: list[Path], journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    assert f'"{SEALED}"' in files[-1].read_text()
    assert journal("export", journal_id(files[-1]), "-o", tmp_path / "outside").code == 0
    outside = [journal("show").out, journal("show", "--json").out, (tmp_path / "outside").read_text()]
    assert not any(re.search(rf"\b{SEALED}\b", text) for text in outside)
    assert all(re.search(r"\b5c\b", text) and "CardBurned" in text for text in outside)


def test_show_takes_a_number_and_a_range(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    rows = journal("show", "1", "--seq", "2-3", "--json").json
    assert [(row["journal"], row["seq"]) for row in rows] == [(journal_id(files[1]), 2), (journal_id(files[1]), 3)]
    assert "CardDealt" in journal("show", "1", "--seq", "2-").out
    assert journal("show", "1", "--seq", "3").out.splitlines()[0].split()[0] == "3"
    assert "no journal 9" in journal("show", "9").err


def test_an_export_of_any_name_verifies_and_replays_its_rounds(
    files: list[Path], journal: Callable[..., command.Ran], shoe: command.Run, tmp_path: Path
) -> None:
    assert journal("export", "1", "-o", tmp_path / "for-the-auditor").code == 0
    ran = journal("verify", tmp_path / "for-the-auditor", "--replay")
    assert ran.code == 0
    assert "sealed parts are left out" in ran.out
    assert "what it follows is not here" in ran.out
    exported, whole = shoe("replay", tmp_path / "for-the-auditor"), shoe("replay", files[1])
    assert "only events and rounds" in exported.err
    assert exported.json == [each for each in whole.json if not each["retain"]]
    rounds = [each["payload"]["status"] for each in exported.json if each["topic"] == "round"]
    assert rounds == ["closed", "closed", "voided"]


def test_an_export_never_lands_among_the_journals(
    files: list[Path], journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    ran = journal("export", "1", "-o", tmp_path / "j" / "copy.journal")
    assert ran.code == 1
    assert "export to another directory" in ran.err
    assert list((tmp_path / "j").glob("*copy*")) == []


@pytest.mark.parametrize("number", [1, 2, 3, -1], ids=["first", "second", "third", "last"])
def test_one_flipped_bit_is_found_in_its_line(
    files: list[Path], journal: Callable[..., command.Ran], number: int
) -> None:
    number = number % (count(files[1]) + 1)
    edit(files[1], number, lambda line: line[:90] + bytes([line[90] ^ 1]) + line[91:])
    ran = journal("verify")
    assert ran.code == 1
    assert ran.out.splitlines()[-1].startswith(f"FAIL  {files[1].name}, line {number}: the checksum is wrong")


def test_programs_get_a_verdict_per_journal(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    verdicts = journal("verify", "--json").json
    assert [verdict["file"] for verdict in verdicts] == [path.name for path in files]
    assert verdicts[-1]["head"] == journal("list", "--json").json[-1]["head"]
    edit(files[1], 2, lambda line: b"x" + line)
    ran = journal("verify", "--json")
    assert ran.code == 1
    assert [verdict["fault"] is None for verdict in ran.json] == [True, False]
    edit(files[1], 1, lambda line: b"x" + line)
    assert "line format" in journal("list").out


@pytest.mark.parametrize("action", ["list", "show", "verify", "export 1"])
def test_without_sudo_every_action_asks_for_it(
    files: list[Path], journal: Callable[..., command.Ran], mocker: MockerFixture, action: str
) -> None:
    mocker.patch.object(Path, "iterdir", side_effect=PermissionError(13, "Permission denied"))
    mocker.patch("os.open", side_effect=PermissionError(13, "Permission denied"))
    ran = journal(*action.split())
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"shoe: {files[0].parent}: Permission denied; put sudo before the command\n"


def test_a_journal_that_is_not_there_is_told_in_one_line(journal: Callable[..., command.Ran], tmp_path: Path) -> None:
    (tmp_path / "j").mkdir()
    ran = journal("show", tmp_path / "none.journal")
    assert ran.err == f"shoe: {tmp_path}/none.journal: No such file or directory; name it with --dir or --config\n"


@pytest.fixture
def cet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose clock is two hours ahead of UTC."""
    monkeypatch.setenv("TZ", "XYZ-2")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("cet")
def test_show_says_a_round_in_one_short_line_and_times_by_the_clock_on_the_wall(
    journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    (tmp_path / "j").mkdir()
    record(tmp_path / "j", "shoe 9sTdTsTc 2s !void misdeal !correct 1 9sTdTs9c lid-open", burn="none")
    shown = journal("show").out
    heads = [line[:36] for line in shown.splitlines() if line[:5].strip()]
    assert [head for head in heads if not re.fullmatch(r" *\d+  20\d\d-\d\d-\d\d [\d:]{8}\.\d{3} \+0200", head)] == []
    assert re.findall(r"Round\w+ .*", shown) == [
        "RoundClosed        round 1  PLAYER 9:0  P 9s Ts  B Td Tc  natural, banker pair",
        "RoundVoided        round 2  VOID by anna: misdeal",
        "RoundCorrected     round 1  TIE 9:9  P 9s Ts  B Td 9c  corrected by anna (revision 1 of entry 5)  natural",
    ]
    assert re.search(r"Irregular .*since 20\d\d-\d\d-\d\d \S+ \+0200", shown)
    assert '"bets"' in journal("show", "--json").out
    assert re.search(r" 20\S+ \S+ \+0200 to 20\S+ \S+ \+0200 ", journal("list").out)


def test_old_journals_are_printed_without_what_a_terminal_obeys(
    journal: Callable[..., command.Ran], tmp_path: Path
) -> None:
    (tmp_path / "j").mkdir()
    evil = "Eve\nIN ORDER: all is well\x1b[2J\x9b31m\u202e"
    play = Replay(house_of(burn="none"), "T07", pytest.fail)
    lines = list(play.play([*parse("2s"), Say(orders.DealerIn(evil)), Say(orders.Void(evil))]))
    newest = lines[-1].public.journal
    path = tmp_path / "j" / "auditors-copy"
    path.write_bytes(b"".join(line.data for line in lines if line.public.journal == newest))
    shown = journal("show", path)
    assert shown.code == 0, shown.err
    assert r"dealer Eve\nIN ORDER: all is well\x1b[2J\x9b31m\u202e" in shown.out
    told = journal("show", "--json", path)
    assert [each["dealer"] for row in told.json for each in row["events"] if "dealer" in each] == [evil]
    for text in (shown.out, told.out):
        assert [line for line in text.splitlines() if fault(line, 100_000)] == []


def test_the_name_of_a_file_moves_no_cursor(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    ran = journal("verify", files[0].rename(files[0].with_name("copy\x1b[2J")))
    assert r"copy\x1b[2J: " in ran.out
    assert "\x1b" not in ran.out


def test_where_there_is_nothing_it_says_so(
    files: list[Path], journal: Callable[..., command.Ran], shoe: command.Run, tmp_path: Path
) -> None:
    ran = journal("show", "1", "--seq", "100000-")
    assert (ran.code, ran.err) == (
        1,
        f"shoe: {files[1].name} has no entry 100000 or later; it has 1 to {count(files[1])}\n",
    )
    assert "ends before it begins" in journal("show", "--seq", "5-3").err
    (tmp_path / "empty").mkdir()
    ran = shoe("journal", "list", "--dir", tmp_path / "empty")
    assert (ran.code, ran.out, ran.err) == (0, "", f"no journal in {tmp_path}/empty\n")


def test_a_forged_line_breaks_the_chain(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    edit(files[1], 2, lambda line: forged(line, b'"9s"', b'"8s"'))
    assert f"FAIL  {files[1].name}, line 2: it does not follow the line before it" in journal("verify").out


def test_a_removed_line_breaks_the_numbers(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    edit(files[1], 3, lambda line: b"")
    assert f"FAIL  {files[1].name}, line 3: it says it is entry 4" in journal("verify").out


def test_a_tail_removed_from_an_older_journal_breaks_the_chain_of_the_next(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    edit(files[1], count(files[1]), lambda line: b"")
    assert f"FAIL  {files[2].name}, line 1: it does not follow the journal before it" in journal("verify").out


def test_a_removed_journal_is_missed(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    files[1].unlink()
    assert f"FAIL  {files[2].name}, line 1: journal 2 does not follow 0-" in journal("verify").out
    assert journal("verify", "2").code == 0


def test_the_newest_journal_removed_is_missed_by_the_cursor(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    delivered(files[0].parent, journal_id(files[2]), 4)
    files[2].unlink()
    ran = journal("verify")
    assert ran.code == 1
    assert f"journal {journal_id(files[2])} is missing" in ran.out


def test_a_torn_tail_is_told_from_a_removed_one_by_the_cursor(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    last = count(files[2])
    delivered(files[0].parent, journal_id(files[2]), last - 1)
    edit(files[2], last, lambda line: line[:40])
    ran = journal("verify")
    assert ran.code == 0
    assert f"WARN  {files[2].name}, line {last}: unfinished (40 bytes): the power went" in ran.out
    delivered(files[0].parent, journal_id(files[2]), last)
    ran = journal("verify")
    assert ran.code == 1
    assert f"FAIL  {files[2].name}, line {last}: missing, but the broker has had line {last}" in ran.out


def test_a_cut_export_is_no_torn_tail(files: list[Path], journal: Callable[..., command.Ran], tmp_path: Path) -> None:
    journal("export", "2", "-o", tmp_path / "outside")
    (tmp_path / "outside").write_bytes((tmp_path / "outside").read_bytes()[:-3])
    assert f"FAIL  outside, line {count(files[2])}: unfinished" in journal("verify", tmp_path / "outside").out


def test_a_head_written_down_finds_a_record_cut_short(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    head = journal("list", "--json").json[-1]["head"]
    seq, chain = head.split(":")
    assert journal("verify", "--head", head).code == 0
    assert journal("verify", "--head", f"{seq}:{chain[::-1]}").code == 1
    edit(files[2], count(files[2]), lambda line: b"")
    ran = journal("verify", "--head", head)
    assert ran.code == 1
    assert f"FAIL  head {head} is in none of these journals, the last one has no such entry" in ran.out


def test_a_sealed_card_changed_later_is_not_the_one_committed_to(
    files: list[Path], journal: Callable[..., command.Ran]
) -> None:
    number = next(n for n, line in enumerate(files[2].read_bytes().splitlines(), 1) if b'"secrets"' in line)
    edit(files[2], number, lambda line: forged(line, b'{"card":"2d"', b'{"card":"3d"'))
    assert f"FAIL  {files[2].name}, line {number}: it does not follow the line before it" in journal("verify").out
    edit(files[2], number, lambda line: forged(line, b'{"card":"3d"', b'{"card":"2d"'))
    rechained(files[2:], number, b'{"card":"2d"', b'{"card":"3d"')
    ran = journal("verify")
    assert ran.code == 1
    assert f"FAIL  {files[2].name}, line {number}: a card is not the one that line {number} committed to" in ran.out


def test_an_input_changed_later_is_judged_differently(files: list[Path], journal: Callable[..., command.Ran]) -> None:
    number = next(n for n, line in enumerate(files[1].read_bytes().splitlines(), 1) if b'"CardRead"' in line)
    rechained(files[1:], number, b'{"type":"CardRead"', b'{"type":"CardUnread","reason":"x"')
    assert journal("verify").code == 0
    ran = journal("verify", "--replay")
    assert ran.code == 1
    assert f"FAIL  {files[1].name}, line {number}: judged again, CardUnread comes out differently" in ran.out


def test_another_software_version_is_a_warning(
    files: list[Path], journal: Callable[..., command.Ran], mocker: MockerFixture
) -> None:
    mocker.patch("firmware_bridge.journal.verify.rejudge.__version__", "99.0")
    number = next(n for n, line in enumerate(files[1].read_bytes().splitlines(), 1) if b'"CardRead"' in line)
    rechained(files[1:], number, b'{"type":"CardRead"', b'{"type":"CardUnread","reason":"x"')
    ran = journal("verify", "--replay")
    assert ran.code == 0
    assert f"WARN  {files[1].name}, line {number}: version 99.0 judges it differently" in ran.out


def test_what_is_not_there_is_said(journal: Callable[..., command.Ran], shoe: command.Run, tmp_path: Path) -> None:
    assert "No such file or directory; name it with --dir or --config" in journal("list").err
    (tmp_path / "j").mkdir()
    assert journal("list").out == ""
    assert f"no journal in {tmp_path}/j" in journal("verify").err


def test_replaying_a_journal_gives_the_states_too(files: list[Path], shoe: command.Run) -> None:
    ran = shoe("replay", files[1])
    assert {each["topic"] for each in ran.json} == {"event", "round", "table", "roads", "lamps", "alarm"}
    assert next(each["payload"]["outcome"] for each in ran.json if each["topic"] == "round") == "player"
