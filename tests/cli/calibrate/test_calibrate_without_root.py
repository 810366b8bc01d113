"""`shoe calibrate` by a technician who is not root: the daemon keeps the calibration in a file of its own."""

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from firmware_bridge.cli import main
from firmware_bridge.cli.calibrate import pins, reader  # loaded before a process gives up its rights
from firmware_bridge.config.calibration import FILE, Count, CountSection, load
from hardware.sim.board import NativeBoard
from hardware.sim.optics import Light, Optics
from tests.cli.calibrate.visit import Visit, puller
from tests.daemon.table import test_people
from tests.daemon.table.test_people import People
from tests.kit.people import GID, UID, Forked

folder = test_people.folder  # a fixture

DEVICES = 43_009
"""The group of the reader's port, as the udev rule gives it one."""

SEEN = msgspec.to_builtins(CountSection(at="1999-01-01T00:00:00Z", by="eve", measured=Count(tried=3, good=3)))


_LOADED = (pins, reader)

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as other users")


class VisitOf(Visit):
    """A visit of the technician who is not root; `groups`: those he is in."""

    def _begin(self, *command: object, **options: Any) -> Forked:
        words = [str(word) for word in command]
        return Forked(lambda: main(words), UID["tech"], options.get("groups", [GID["tech"], DEVICES]))


@pytest.fixture
def people(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., People]]:
    monkeypatch.setenv("LOGNAME", "tom")
    made: list[People] = []

    def make(**sections: Any) -> People:
        made.append(People(folder, **sections))
        made[-1].table.config_path.chmod(0o644)
        return made[-1]

    yield make
    for each in made:
        each.table.close()


def ask(people: People, **request: Any) -> dict[str, Any]:
    """The answer to the technician, at his group's socket if this process may act as him."""
    if os.geteuid() == 0:
        return people.ask("tech", **request)
    return people.own(json.dumps(request).encode() + b"\n")


@needs_root
def test_a_technician_calibrates_the_reader_and_takes_it_back(people: Callable[..., People]) -> None:
    table = people().table
    table.board = table.pty.board = NativeBoard(optics=Optics(Light(ink=0.4, noise=25.0)))
    port = (table.folder / "reader").resolve()
    os.chown(port, -1, DEVICES)
    port.chmod(0o660)
    table.journal_dir.chmod(0o711)
    table.until(lambda: table.bridge.table.shoe.device.reader is not None)
    for name in ("anna", "bo"):
        visit = VisitOf(table, "reader", "--yes", "--json", "--cards", 6, "--by", name)
        assert visit.work(puller(table)) == 0, visit.story()
        kept = load(table.journal_dir / FILE).reader
        assert kept
        assert (kept.by, kept.after) == (name, visit.json[-1]["after"])
    assert kept.previous
    assert kept.previous.by == "anna"
    found = (table.journal_dir / FILE).stat()
    assert (found.st_uid, stat.S_IMODE(found.st_mode) & 0o007) == (os.geteuid(), 0)
    undone = VisitOf(table, "reader", "--undo", "--json")
    assert undone.end() == 0, undone.story()
    assert load(table.journal_dir / FILE).reader == kept.previous


@needs_root
@pytest.mark.parametrize("runs", [True, False])
def test_who_is_in_no_group_keeps_nothing_and_is_shown_why(people: Callable[..., People], runs: bool) -> None:
    table = people(lamps={"P1": 5}).table
    table.journal_dir.chmod(0o711)
    if not runs:
        table.stop()
    visit = VisitOf(table, "lamps", "--yes", groups=[] if runs else [GID["tech"]])
    assert visit.end() != 0
    assert ("for the group shoe-tech" if runs else "start the daemon, or put sudo") in visit.story()
    assert not (table.journal_dir / FILE).exists()


def test_the_daemon_says_by_whom_when_and_what_was_before(people: Callable[..., People]) -> None:
    table = people()
    for by in ("anna", "bo", "cy"):
        section = SEEN | {"previous": SEEN}
        assert ask(table, do="keep_calibration", step="lamps", section=section, by=by)["ok"]
    kept = load(table.table.journal_dir / FILE).lamps
    assert kept
    assert kept.previous
    assert (kept.by, kept.previous.by, kept.previous.previous) == ("cy", "bo", None)
    assert kept.at > "2000"
    answer = ask(table, do="calibration")
    assert answer["calibration"]["lamps"]["by"] == "cy"
    assert ask(table, do="keep_calibration", step="lamps", section=None, by="di")["ok"]
    assert load(table.table.journal_dir / FILE).lamps == kept.previous


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"step": "lamps"}, "the section is missing"),
        ({"step": "lamps", "section": 7}, "the section is missing"),
        ({"step": "__class__", "section": None}, "there is no such step"),
        ({"section": None}, "there is no such step"),
        ({"step": ["lamps"], "section": SEEN}, "there is no such step"),
        ({"step": "reader", "section": SEEN}, "decode_rate"),
        ({"step": "lamps", "section": {"measured": {"tried": 1}}}, "good"),
        ({"step": "lamps", "section": SEEN | {"after": {"x = 1\n[reader]\ny": 2}}}, ""),
    ],
)
def test_what_is_no_section_is_refused_and_the_file_stays(
    people: Callable[..., People], given: dict[str, Any], why: str
) -> None:
    table = people()
    assert ask(table, do="keep_calibration", step="lamps", section=SEEN, by="anna")["ok"]
    before = (table.table.journal_dir / FILE).read_bytes()
    answer = ask(table, **{"do": "keep_calibration", "by": "anna"} | given)
    assert (answer["ok"], answer["error"].startswith("nothing was kept"), why in answer["error"]) == (False, True, True)
    assert (table.table.journal_dir / FILE).read_bytes() == before


def test_a_damaged_file_is_set_aside_by_the_daemon(people: Callable[..., People]) -> None:
    table = people()
    path = table.table.journal_dir / FILE
    path.write_text("reader = 7\n")
    assert "it was moved to" in ask(table, do="calibration")["moved"]
    assert path.with_name(f"{FILE}.damaged").read_text() == "reader = 7\n"
    path.write_text("lamps = [")
    assert "it was moved to" in ask(table, do="keep_calibration", step="lamps", section=SEEN, by="anna")["moved"]
    assert load(path).lamps
    assert ask(table, do="calibration")["moved"] == ""
