"""SQL of the facts, for both engines: `?` is a place for a value; `$time`, `$json`, `$text` and `$int` are types."""

from typing import Final

TABLES: Final = """
create table fact_round (
  tbl $text not null, journal $text not null, shoe $int not null, round $int not null,
  revision $int, seq $int, n $int, at $time, game $text, status $text not null, day $text, pit $text, shift $text,
  dealt_by $text, outcome $text, unit $text, last $bool, staked $int, house $int, by_hand $int,
  bets $json, faces $json, opened_at $time, closed_at $time, primary key (tbl, journal, shoe, round));
create index fact_round_day on fact_round (day, tbl);
create index fact_round_closed on fact_round (closed_at);
create table fact_stake (
  tbl $text not null, journal $text not null, shoe $int not null, round $int not null, bet $text not null,
  put $int not null, net $int not null, primary key (tbl, journal, shoe, round, bet));
create table fact_day (
  tbl $text not null, day $text not null, dealt_by $text not null, game $text not null,
  rounds $int not null, voided $int not null, corrected $int not null, by_hand $int not null,
  staked $int not null, house $int not null, bets $json not null, primary key (tbl, day, dealt_by, game));
create index fact_day_day on fact_day (day);
create table fact_alarm (
  tbl $text not null, journal $text not null, seq $int not null, n $int not null, at $time not null,
  id $text not null, is_open $bool not null, detail $text not null, choice $text not null, by_name $text not null,
  second $text not null, primary key (tbl, journal, seq, n));
create index fact_alarm_at on fact_alarm (at);
create table fact_dealer (
  tbl $text not null, journal $text not null, seq $int not null, n $int not null, at $time not null,
  dealer $text not null, primary key (tbl, journal, seq, n));
create index fact_dealer_at on fact_dealer (at);
create table fact_shoe (
  tbl $text not null, journal $text not null, shoe $int not null, opened_at $time, ended_at $time, game $text,
  decks $int, why $text, rounds $int, primary key (tbl, journal, shoe));
create index fact_shoe_opened on fact_shoe (opened_at);
create table fact_order (
  tbl $text not null, journal $text not null, seq $int not null, n $int not null, at $time not null,
  what $text not null, by_name $text not null, person $text not null, is_ok $bool not null, error $text not null,
  primary key (tbl, journal, seq, n));
create index fact_order_at on fact_order (at);
create table fact_acts (
  tbl $text not null, journal $text not null, seq $int not null, n $int not null, at $time not null,
  shift $text not null, day $text not null, dealer $text not null, entered $int not null, voided $int not null,
  corrected $int not null, cut_early $int not null, taken_back $int not null,
  primary key (tbl, journal, seq, n, dealer));
create index fact_acts_day on fact_acts (day);
create table fact_none (
  topic $text not null, tbl $text not null, journal $text not null, seq $int not null, n $int not null,
  at $time not null, why $text not null, primary key (topic, tbl, journal, seq, n));
"""

_COLUMNS: Final = (
    "tbl, journal, shoe, round, revision, seq, n, at, game, status, day, pit, shift, dealt_by, outcome, unit, last, "
    "staked, house, by_hand, bets, faces, opened_at, closed_at"
)
_READ: Final = _COLUMNS.replace("bets, faces", "cast(bets as text), cast(faces as text)")
_SUMS: Final = "rounds, voided, corrected, by_hand, staked, house"


def _upsert(table: str, key: str, columns: str) -> str:
    """Insert a row of these columns, or put it in the place of the one with its key."""
    places = ", ".join("?" * len(columns.split(",")))
    others = [name.strip() for name in columns.split(",") if name.strip() not in key.split(", ")]
    changes = ", ".join(f"{name} = excluded.{name}" for name in others)
    return f"insert into {table} ({columns}) values ({places}) on conflict ({key}) do update set {changes}"


def _once(table: str, columns: str) -> str:
    """Insert a row of these columns, unless it is there."""
    places = ", ".join("?" * len(columns.split(",")))
    return f"insert into {table} ({columns}) values ({places}) on conflict do nothing"


_PLACE: Final = "tbl, journal, seq, n, at"

ROUND: Final = _upsert("fact_round", "tbl, journal, shoe, round", _COLUMNS)
ROUNDS: Final = f"select {_READ} from fact_round where (tbl, journal, shoe, round) in $names"
ROUNDS_IN: Final = f"select {_READ} from fact_round where tbl = ? and journal = ?"
ROUNDS_OF: Final = f"select {_READ} from fact_round where tbl = ? and revision is not null"
STAKE: Final = _once("fact_stake", "tbl, journal, shoe, round, bet, put, net")
FORGET_STAKES: Final = "delete from fact_stake where tbl = ? and journal = ? and shoe = ? and round = ?"
DAY: Final = _upsert("fact_day", "tbl, day, dealt_by, game", f"tbl, day, dealt_by, game, {_SUMS}, bets")
DAYS: Final = f"""
select tbl, day, dealt_by, game, {_SUMS}, cast(bets as text) from fact_day where (tbl, day, dealt_by, game) in $names
"""
FORGET_DAY: Final = "delete from fact_day where tbl = ? and day = ? and dealt_by = ? and game = ?"
FORGET_DAYS: Final = "delete from fact_day where tbl = ?"
ALARM: Final = _once("fact_alarm", f"{_PLACE}, id, is_open, detail, choice, by_name, second")
DEALER: Final = _once("fact_dealer", f"{_PLACE}, dealer")
SHOE_BEGAN: Final = _upsert("fact_shoe", "tbl, journal, shoe", "tbl, journal, shoe, opened_at, game, decks")
SHOE_OVER: Final = _upsert("fact_shoe", "tbl, journal, shoe", "tbl, journal, shoe, ended_at, why, rounds")
ORDER: Final = _once("fact_order", f"{_PLACE}, what, by_name, person, is_ok, error")
ACTS: Final = _once("fact_acts", f"{_PLACE}, shift, day, dealer, entered, voided, corrected, cut_early, taken_back")
NONE: Final = _once("fact_none", "topic, tbl, journal, seq, n, at, why")

JOURNALS: Final = """
select tbl, journal from progress union select tbl, journal from fact_round order by tbl, journal
"""
FORGET: Final = tuple(
    f"delete from {table} where tbl = ? and journal = ?"
    for table in (
        "fact_round", "fact_stake", "fact_alarm", "fact_dealer", "fact_shoe", "fact_order", "fact_acts", "fact_none",
    )
)  # fmt: skip
"""Delete the facts of a journal."""

_MESSAGE: Final = """topic, tbl, journal, seq, n, "of", shoe, at, received_at, game, round, status, revision,
  prev_journal, prev_seq, body, digest"""
MESSAGES: Final = f"""
select {_MESSAGE} from message
where topic in ('event', 'round') and tbl = ? and journal = ? and (seq, n, topic) > (?, ?, ?)
order by seq, n, topic limit ?
"""
PROVED: Final = """
select 'round', tbl, journal, seq, n, n, shoe, at, received_at, game, round, status, revision, prev_journal, prev_seq,
  body, digest
from proved where tbl = ? and journal = ? and body is not null order by seq, n
"""
"""Verified rounds in whose place another message is stored."""
