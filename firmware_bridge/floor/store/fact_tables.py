"""The tables of facts: what a house reports from. Comments of columns are the data dictionary."""

from typing import Any, Final

from sqlalchemy import Boolean, Column, Index, Integer, PrimaryKeyConstraint, Table, Text, make_url
from sqlalchemy.dialects.postgresql import JSON, TIMESTAMP

from firmware_bridge.facts.book.endings import SHOES
from firmware_bridge.floor.store.tables import INT, TABLES, TEXT, part_index

TIME: Final = Text().with_variant(TIMESTAMP(timezone=True, precision=3), "postgresql")
_JSON: Final = Text().with_variant(JSON(), "postgresql")
_BOOL: Final = Integer().with_variant(Boolean(), "postgresql")

_POSTGRESQL: Final = make_url("postgresql://").get_dialect()()

_TEXTS: Final = {
    "tbl": "the table, as in its bridge.toml",
    "journal": "the journal at the table that it comes from",
    "game": "baccarat, blackjack, niuniu, erbagang or zhajinhua",
    "day": "the gaming day, YYYY-MM-DD; the day in UTC where the table has no shifts",
    "pit": "the pit, '' where the table names none",
    "shift": "the shift, '' where the table has none",
    "dealt_by": "the dealer who was signed in at its first card, '' for nobody",
    "dealer": "the dealer, '' for nobody",
    "by_name": "who did it, by the name that was typed at the table",
    "second": "the second person, '' for none",
}
_INTS: Final = {
    "shoe": "the number of the shoe at its table",
    "round": "the number of the round in its shoe",
    "seq": "the entry in its journal",
    "n": "the event in its entry",
    "staked": "millionths of money put in; null where stakes are not known",
    "house": "millionths of money that the house won, below 0 lost; null where stakes are not known",
    "by_hand": "cards that people entered",
    "rounds": "rounds with a result",
    "voided": "voided rounds",
    "corrected": "corrected rounds",
    "changed": "one more for each change of a round in this store: what comes later has a higher one",
}


def kind_of(column: Column[Any]) -> str:
    """Return a column's type in PostgreSQL, without length and the like: TEXT, BIGINT, TIMESTAMP, JSON or BOOLEAN."""
    return str(column.type.compile(dialect=_POSTGRESQL)).split()[0].partition("(")[0]


def _text(name: str, comment: str = "", **more: Any) -> Column[Any]:
    return Column(name, TEXT, comment=comment or _TEXTS[name], **{"nullable": False} | more)


def _int(name: str, comment: str = "", **more: Any) -> Column[Any]:
    return Column(name, INT, comment=comment or _INTS[name], **{"nullable": False} | more)


def _time(name: str, comment: str, **more: Any) -> Column[Any]:
    return Column(name, TIME, comment=comment, **{"nullable": False} | more)


def _bool(name: str, comment: str, **more: Any) -> Column[Any]:
    return Column(name, _BOOL, comment=comment, **{"nullable": False} | more)


def _json(name: str, comment: str, **more: Any) -> Column[Any]:
    return Column(name, _JSON, comment=comment, **{"nullable": False} | more)


def _event(name: str, *columns: Column[Any], **more: Any) -> Table:
    """Return a table with a row for each event of some types. more: `comment`, and `key`: last columns of its key."""
    place = _text("tbl"), _text("journal"), _int("seq"), _int("n")
    key = [each.name for each in place] + list(more.get("key", ()))
    kept = PrimaryKeyConstraint(*key), Index(f"{name}_at", "at")
    return Table(name, TABLES, *place, _time("at", "when"), *columns, *kept, comment=more["comment"])


_MAYBE: Final[dict[str, Any]] = {"nullable": True}

_REVISED: Final = "day tbl shoe round revision status at"
"""All that a report reads of the rounds that were changed later."""

fact_round: Final = Table(
    "fact_round",
    TABLES,
    *(_text("tbl"), _text("journal"), _int("shoe"), _int("round")),
    _int("revision", "0, and one more for each change; null until the round ended, as all up to faces", **_MAYBE),
    *(_int("seq", **_MAYBE), _int("n", **_MAYBE)),
    _time("at", "when the newest message about it was made", **_MAYBE),
    _text("game", **_MAYBE),
    _text("status", "open, closed, corrected or voided"),
    *(_text(each, **_MAYBE) for each in ("day", "pit", "shift", "dealt_by")),
    _text("outcome", "the result, in words of the game", **_MAYBE),
    _text("unit", "stake: bets are per unit staked; money", **_MAYBE),
    _bool("last", "whether it was the last round of its shoe", **_MAYBE),
    *(_int("staked", **_MAYBE), _int("house", **_MAYBE), _int("by_hand", **_MAYBE)),
    _json("bets", "bet -> its net, in the unit", **_MAYBE),
    _json("faces", "card -> how often it was dealt", **_MAYBE),
    _time("opened_at", "its first event", **_MAYBE),
    _time("closed_at", "its first result or void", **_MAYBE),
    _int("changed"),
    PrimaryKeyConstraint("tbl", "journal", "shoe", "round"),
    Index("fact_round_day", "day", "tbl"),
    Index("fact_round_closed", "tbl", "closed_at", "dealt_by"),
    Index("fact_round_changed", "changed", unique=True),
    Index("fact_round_change", "tbl", "changed"),
    part_index("fact_round_revised", *_REVISED.split(), where="revision > 0"),
    comment="a row for each round, by the newest message about it",
)
fact_stake: Final = Table(
    "fact_stake",
    TABLES,
    *(_text("tbl"), _text("journal"), _int("shoe"), _int("round")),
    _text("bet", "the bet or the seat"),
    _int("put", "millionths of money put in"),
    _int("net", "millionths of money won, below 0 lost"),
    PrimaryKeyConstraint("tbl", "journal", "shoe", "round", "bet"),
    sqlite_with_rowid=False,
    comment="a row for each stake that is known",
)
fact_day: Final = Table(
    "fact_day",
    TABLES,
    *(_text(each) for each in ("tbl", "day", "shift", "dealt_by", "game")),
    *(_int(each) for each in ("rounds", "voided", "corrected", "by_hand")),
    _int("staked", "millionths of money put in, of rounds with known stakes"),
    _int("house", "millionths of money that the house won of these"),
    PrimaryKeyConstraint("day", "tbl", "shift", "dealt_by", "game"),
    sqlite_with_rowid=False,
    comment="sums of a shift of a dealer at a table, each round once",
)
fact_bet: Final = Table(
    "fact_bet",
    TABLES,
    *(_text(each) for each in ("tbl", "day", "game")),
    _json("bets", "bet -> [rounds it won, lost, pushed, sum of its nets in millionths]"),
    PrimaryKeyConstraint("tbl", "day", "game"),
    Index("fact_bet_day", "day"),
    comment="sums of the bets of a gaming day at a table: what reports of bets read",
)
fact_dealer_bet: Final = Table(
    "fact_dealer_bet",
    TABLES,
    *(_text(each) for each in ("tbl", "day", "shift", "dealt_by", "game")),
    _json("bets", "as in fact_bet, of the dealer"),
    PrimaryKeyConstraint("tbl", "day", "shift", "dealt_by", "game"),
    comment="sums of the bets of a row of fact_day: apart from it, since they are ten times as long",
)
fact_pace: Final = Table(
    "fact_pace",
    TABLES,
    _text("tbl"),
    _int("since", "when ten minutes begin, in seconds since 1970"),
    *(_text("day"), _text("dealt_by")),
    _int("rounds", "rounds with a result that the dealer closed in them"),
    _int("millis", "the dealer's part of them in milliseconds, as are the dealer's rounds of all in them"),
    PrimaryKeyConstraint("tbl", "since", "day", "dealt_by"),
    sqlite_with_rowid=False,
    comment="time in which a dealer dealt: ten minutes without a result count for none",
)
fact_hours: Final = Table(
    "fact_hours",
    TABLES,
    *(_text(each) for each in ("day", "tbl", "dealt_by")),
    _int("rounds", "rounds with a result that the dealer closed"),
    _int("millis", "the time in which they were dealt, in milliseconds"),
    PrimaryKeyConstraint("day", "tbl", "dealt_by"),
    sqlite_with_rowid=False,
    comment="sums of fact_pace for a dealer's gaming day at a table: what reports of dealers read",
)
fact_alarm: Final = _event(
    "fact_alarm",
    _text("id", "which irregularity ([what each is](irregularities.md))"),
    _bool("is_open", "1: it began; 0: it ended"),
    _text("detail", "of one that began: its values as JSON; in words where a version before sent it"),
    _text("choice", "of one that ended: what was decided, or the code of how it ended by itself"),
    *(_text("by_name"), _text("second")),
    comment="a row for each irregularity that began, and one for its end: the next of the same id at the table",
)
fact_dealer: Final = _event(
    "fact_dealer", _text("dealer", "who deals from then on"), comment="a row for each dealer who signed in"
)
fact_entry: Final = _event(
    "fact_entry",
    _text("what", "entered: a card that was not read; looked at: one that lay face down"),
    *(_text("by_name"), _text("second")),
    comment="a row for each card that two people entered by hand",
)
fact_shoe: Final = Table(
    "fact_shoe",
    TABLES,
    *(_text("tbl"), _text("journal"), _int("shoe")),
    _time("opened_at", "when it was opened", **_MAYBE),
    _text("game", **_MAYBE),
    _int("decks", "decks of cards in it", **_MAYBE),
    _time("ended_at", "when it ended", **_MAYBE),
    _text("why", "what was typed with the order or the decision that ended it", **_MAYBE),
    _int("rounds", "rounds dealt from it", **_MAYBE),
    _text("dealt_by", "the dealer of its last round, once it ended; null where that is not known", **_MAYBE),
    _text("code", f"how it ended: {', '.join(SHOES)}", **_MAYBE),
    _text("alarm", "with pit: the alarm that was decided", **_MAYBE),
    _text("by_name", "with closed: who closed it, '' where that is not known", **_MAYBE),
    PrimaryKeyConstraint("tbl", "journal", "shoe"),
    Index("fact_shoe_number", "tbl", "shoe", "journal"),
    Index("fact_shoe_opened", "opened_at"),
    Index("fact_shoe_ended", "ended_at", "dealt_by", "code"),
    comment="a row for each shoe",
)
fact_order: Final = _event(
    "fact_order",
    _text("what", "the order ([which there are](messages.md#topic-command))"),
    _text("by_name"),
    _text("person", "the login, or the one for whom a key gave it; '' where not known"),
    _bool("is_ok", "whether it was obeyed"),
    _text("error", "why not"),
    comment="a row for each order that was answered, with who gave it",
)
fact_acts: Final = _event(
    "fact_acts",
    *(_text("shift"), _text("day"), _text("dealer")),
    _int("entered", "cards that people entered"),
    *(_int("voided"), _int("corrected")),
    _int("cut_early", "cut cards that came early"),
    _int("taken_back", "marks that were taken back"),
    key=("dealer",),
    comment="what people did by hand while a dealer dealt, a row for each dealer at the end of a shift",
)
fact_none: Final = Table(
    "fact_none",
    TABLES,
    _text("topic", "event or round"),
    *(_text("tbl"), _text("journal"), _int("seq"), _int("n")),
    _time("at", "when"),
    _text("why", "what is wrong with it"),
    PrimaryKeyConstraint("topic", "tbl", "journal", "seq", "n"),
    comment="messages that are kept and counted in no report",
)

fact_change: Final = Table(
    "fact_change",
    TABLES,
    _int("one", "1", autoincrement=False),
    _int("changed", "the highest `changed` that a round was ever given"),
    PrimaryKeyConstraint("one"),
    comment="one row, which counts changes of rounds",
)

FACTS: Final = (
    fact_round, fact_stake, fact_day, fact_bet, fact_dealer_bet, fact_pace, fact_hours, fact_alarm, fact_dealer,
    fact_entry, fact_shoe, fact_order, fact_acts, fact_none, fact_change,
)  # fmt: skip
