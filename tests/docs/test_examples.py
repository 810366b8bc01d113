"""Each file of docs/examples does what it says."""

from __future__ import annotations

import json
import runpy
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware_bridge.cli import main
from firmware_bridge.client import Rounding, Wager, round_message, settle
from firmware_bridge.client.messages import Received
from firmware_bridge.client.testing import FakeGame, FakeTable, Fault, fake_table
from firmware_bridge.config.load import load
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import HANG_S, until
from tests.kit.process import python

brokers, broker = real.brokers, real.broker  # fixtures

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
settle_money = SimpleNamespace(**runpy.run_path(str(EXAMPLES / "settle_money.py")))
HOUSES = sorted((EXAMPLES / "houses").glob("*.toml"))
FAULTS: dict[int, Fault] = {2: "repeat", 3: "gap", 5: "reorder", 6: "restart", 7: "void", 8: "correct", 9: "repeat"}


@contextmanager
def running(name: str, *words: str, out: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    with (out or Path("/dev/null")).open("ab") as file:
        started = f"import runpy; runpy.run_path({str(EXAMPLES / name)!r}, run_name='__main__')"
        program = python("-c", started, *words, stdout=file, stderr=file)
    try:
        yield program
    finally:
        program.kill()
        program.wait()


def test_a_backend_of_twelve_lines_prints_each_round(broker: Broker, tmp_path: Path) -> None:
    lines = (EXAMPLES / "show_rounds.py").read_text().splitlines()
    assert sum(bool(line) for line in lines) <= 12
    out = tmp_path / "out"
    with running("show_rounds.py", str(broker.port), out=out):
        until(lambda: "Sending SUBACK to show-rounds" in broker.log)
        with fake_table("T07", port=broker.port) as table:
            table.play(3)
            until(lambda: out.read_text().count("\n") == 3)
    assert out.read_text().startswith("T07 1 1 closed banker\nT07 1 2 closed player\n")


def _accept(db: sqlite3.Connection, journal: str, number: int, *wagers: Wager, shoe: int = 1) -> None:
    """Write the wagers on a round, as a front end does."""
    for each in wagers:
        row = ("T07", journal, shoe, number, each.person, each.bet, str(each.stake))
        db.execute("insert into wager values (?, ?, ?, ?, ?, ?, ?)", row)


def _read(db: Path, query: str) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(db, timeout=HANG_S)) as opened:
        return opened.execute(query).fetchall()


def _messages(db: Path) -> int:
    try:
        return int(_read(db, "select count(*) from message")[0][0])
    except sqlite3.OperationalError:
        return -1


def test_money_is_settled_once_whatever_is_killed_or_comes_again(broker: Broker, tmp_path: Path) -> None:
    db = tmp_path / "money.db"
    accepted = {n: [Wager("ann", "banker", Decimal("100.50")), Wager("bo", "player", Decimal(n))] for n in range(1, 11)}
    with fake_table("T07", port=broker.port) as table:
        with closing(sqlite3.connect(db)) as opened, opened:
            opened.executescript(settle_money.TABLES)
            for number, wagers in accepted.items():
                _accept(opened, table.journal, number, *wagers)
        with running("settle_money.py", str(db), str(broker.port)) as first:
            until(lambda: _messages(db) == 0 and "Sending SUBACK to settle-money" in broker.log)
            table.play(10, FAULTS)
            until(lambda: _messages(db) >= 2, look_s=0.05)
            first.send_signal(signal.SIGKILL)
        with running("settle_money.py", str(db), str(broker.port)):
            table.status()
            made = {payload for topic, payload in table.sent if topic == "round"}
            until(lambda: _messages(db) == len(made), look_s=0.1)
    last: dict[int, bytes] = {}
    for payload in sorted(made, key=lambda each: json.loads(each)["revision"]):
        last[json.loads(payload)["round"]] = payload
    due: Counter[str] = Counter()
    for number, payload in last.items():
        due.update(settle(payload, accepted[number], Rounding(Decimal("0.01"))).by_person)
    paid: Counter[str] = Counter()
    for person, amount in _read(db, "select person, amount from payment"):
        paid[person] += Decimal(amount)  # type: ignore[assignment]
    assert paid == due
    assert len(last) == 10


def _booked(game: FakeGame, journal: str, *wagers: Wager) -> tuple[list[tuple[str, str]], list[str]]:
    """The payments and incidents of one round, of whose wagers the journal is given."""
    table = FakeTable(lambda *_: None, game=game)
    table.round()
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(settle_money.TABLES)
        _accept(db, journal, 1, *wagers)
        for raw in table.rounds:
            settle_money.book(db, Received("T07", "round", round_message(raw), raw))
        paid = db.execute("select person, amount from payment").fetchall()
        return paid, [what for (what,) in db.execute("select what from incident")]


@pytest.mark.parametrize(("journal", "paid"), [("1-fake", [("ann", "19.50")]), ("1-replaced", [])])
def test_the_wager_of_a_replaced_shoe_is_not_paid_by_the_first_round_of_the_new_one(
    journal: str, paid: list[tuple[str, str]]
) -> None:
    assert _booked("baccarat", journal, Wager("ann", "banker", Decimal(10))) == (paid, [])


def test_a_wager_is_paid_in_its_own_pack_of_a_journal_alone() -> None:
    """In games with a fresh pack each round, one journal has many packs, and each begins with round 1."""
    table = FakeTable(lambda *_: None)
    table.round()
    (first,) = table.rounds
    second = first.replace(b'"shoe":1,', b'"shoe":2,').replace(b'"seq":', b'"seq":9')
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(settle_money.TABLES)
        _accept(db, "1-fake", 1, Wager("ann", "banker", Decimal(10)), shoe=2)
        for raw in (first, second):
            settle_money.book(db, Received("T07", "round", round_message(raw), raw))
        assert db.execute("select shoe, person, amount from payment").fetchall() == [(2, "ann", "19.50")]


def test_two_wagers_on_a_seat_are_held_and_end_nothing() -> None:
    wagers = [Wager("ann", "S1", Decimal(100)), Wager("ann", "S1", Decimal(140)), Wager("bo", "S3", Decimal("12.5"))]
    paid, incidents = _booked("blackjack", "1-fake", *wagers)
    assert paid == [("bo", "31.25")]
    assert ["two wagers on S1" in what for what in incidents] == [True, True]


@pytest.mark.parametrize("stake", ["0", "-5", "ten"])
def test_a_stake_is_above_0(stake: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(settle_money.TABLES)
        with pytest.raises(sqlite3.IntegrityError):
            db.execute("insert into wager values ('T07', '1-fake', 1, 1, 'ann', 'banker', ?)", (stake,))


@pytest.mark.parametrize("file", HOUSES, ids=lambda path: path.stem)
def test_a_config_of_each_kind_of_house_deals_a_round(
    file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    house = load(file).house
    script = EXAMPLES / f"{house.game}.deal"
    words = script.read_text()
    assert main(["config", "--config", str(file)]) == 0
    if house.game == "baccarat":
        reserves = "2h 3s" if getattr(load(file).terms, "procedure", "") == "six-card" else ""
        (script := tmp_path / "a.deal").write_text(f"bets-closed 9d 4s Kh 8c {reserves} reveal +200s next next")
        words = script.read_text()
    else:
        (script := tmp_path / "a.deal").write_text(words + " next")
    capsys.readouterr()
    assert main(["replay", "--config", str(file), "--topic", "round", str(script)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["payload"]["status"] == "closed", words


def test_every_policy_has_an_example() -> None:
    assert {load(file).house.policy for file in HOUSES} >= {"macau", "us-burn", "studio"}
