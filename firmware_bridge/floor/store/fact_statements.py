"""All statements about facts, once for every engine. `$names`: the place of a list of rows (`Statements.listed`)."""

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import Table, TextClause, select, text
from sqlalchemy.dialects.postgresql import insert

from firmware_bridge.floor.store import fact_tables as tables
from firmware_bridge.floor.store.schema import COUNTING
from firmware_bridge.floor.store.statements import COLUMNS, newest, once
from firmware_bridge.floor.store.tables import TABLES, forward

_ROUND: Final = ", ".join(
    f"cast({each.name} as text)" if each.name in ("bets", "faces") else each.name
    for each in tables.fact_round.c
    if each.name != "changed"
)

DAY_KEY: Final = ("tbl", "day", "shift", "dealt_by", "game")
"""What a shift of a dealer at a table is named by, in the order of `DayName`."""


def of_order(column: str, entry: str) -> str:
    """Return a value of the order that was answered in an entry, null without one. entry: a table with its place."""
    same = " and ".join(f"o.{each} = {entry}.{each}" for each in ("tbl", "journal", "seq"))
    return f"(select max(o.{column}) from fact_order o where {same})"


def _named(columns: str, of: str = "") -> str:
    """Return the rows with the names of a list. A join, since SQLite looks up no rows of `in (values ..)` in an index.

    of: the table with a point, where several have such columns.
    """
    same = (f"{of}{name} = names.column{at}" for at, name in enumerate(columns.split(), 1))
    return f"join $names as names on {' and '.join(same)}"


FACT_ROUND: Final = newest(tables.fact_round)
FACT_ROUNDS: Final = text(f"select {_ROUND} from fact_round {_named('tbl journal shoe round')}")
FACT_ROUNDS_IN: Final = text(f"select {_ROUND} from fact_round where tbl = :tbl and journal = :journal")
FACT_ROUNDS_OF: Final = text(f"select {_ROUND} from fact_round where tbl = :tbl and revision is not null")
FACT_STAKE: Final = once(tables.fact_stake)
FORGET_STAKES: Final = text(
    "delete from fact_stake where tbl = :tbl and journal = :journal and shoe = :shoe and round = :round"
)
FACT_DAY: Final = newest(tables.fact_day)
FACT_DAYS: Final = text(f"""
select fact_day.*, cast(fact_dealer_bet.bets as text)
from fact_day left join fact_dealer_bet using ({", ".join(DAY_KEY)}) {_named(" ".join(DAY_KEY), "fact_day.")}
""")
_ONE_DAY: Final = "tbl = :tbl and day = :day and shift = :shift and dealt_by = :dealt_by and game = :game"
FORGET_DAY: Final = text(f"delete from fact_day where {_ONE_DAY}")
FORGET_DAYS: Final = text("delete from fact_day where tbl = :tbl")
FACT_DEALER_BET: Final = newest(tables.fact_dealer_bet)
FORGET_DEALER_BET: Final = text(f"delete from fact_dealer_bet where {_ONE_DAY}")
FORGET_DEALER_BETS: Final = text("delete from fact_dealer_bet where tbl = :tbl")
FACT_BET: Final = newest(tables.fact_bet)
FACT_BETS: Final = text(f"select tbl, day, game, cast(bets as text) from fact_bet {_named('tbl day game')}")
FORGET_BET: Final = text("delete from fact_bet where tbl = :tbl and day = :day and game = :game")
FORGET_BETS: Final = text("delete from fact_bet where tbl = :tbl")
FACT_PACE: Final = newest(tables.fact_pace)
FACT_SLOTS: Final = text(f"select tbl, since, day, dealt_by, rounds, millis from fact_pace {_named('tbl since')}")
FORGET_PACE: Final = text(
    "delete from fact_pace where tbl = :tbl and since = :since and day = :day and dealt_by = :dealt_by"
)
FORGET_PACES: Final = text("delete from fact_pace where tbl = :tbl")
_hours, _came = tables.fact_hours.c, insert(tables.fact_hours).excluded
FACT_HOURS: Final = newest(tables.fact_hours, rounds=_hours.rounds + _came.rounds, millis=_hours.millis + _came.millis)
"""Adds to what is there."""

NO_HOURS: Final = text("""
delete from fact_hours where day = :day and tbl = :tbl and dealt_by = :dealt_by and rounds = 0 and millis = 0
""")
FORGET_HOURS: Final = text("delete from fact_hours where tbl = :tbl")
CHANGE: Final = text("""
insert into fact_change (one, changed) values (1, :count)
on conflict (one) do update set changed = fact_change.changed + excluded.changed returning changed
""")
LAST_CHANGE: Final = select(tables.fact_change.c.changed)
FACT_ALARM: Final = once(tables.fact_alarm)
FACT_DEALER: Final = once(tables.fact_dealer)
FACT_ENTRY: Final = once(tables.fact_entry)
FACT_SHOE_BEGAN: Final = newest(tables.fact_shoe, "opened_at game decks")
FACT_SHOE_OVER: Final = newest(tables.fact_shoe, "ended_at why rounds code alarm by_name")
SHOE_DEALER: Final = text("""
update fact_shoe set dealt_by = (
  select r.dealt_by from fact_round r where r.tbl = fact_shoe.tbl and r.journal = fact_shoe.journal
    and r.shoe = fact_shoe.shoe and r.round = fact_shoe.rounds)
where tbl = :tbl and journal = :journal and shoe = :shoe and ended_at is not null
""")
FACT_ORDER: Final = once(tables.fact_order)
LAST_ORDERS: Final = text("""
select what, by_name, person, is_ok, error, at from fact_order
where tbl = :tbl and journal = :journal order by seq desc, n desc limit :most
""")
FACT_ACTS: Final = once(tables.fact_acts)
FACT_NONE: Final = once(tables.fact_none)

FACT_JOURNALS: Final = text("""
select tbl, journal from progress union select tbl, journal from fact_round order by tbl, journal
""")
FACT_MESSAGES: Final = text(f"""
select {COLUMNS} from message
where topic in ('event', 'round') and tbl = :tbl and journal = :journal and (seq, n, topic) > (:seq, :n, :topic)
  and case
    when not exists (select 1 from record_key k where k.tbl = :tbl and k.trust <> 'seen') then true
    when topic = 'event' then exists (
      select 1 from leaves f where f.tbl = message.tbl and f.journal = message.journal and f.seq = message.seq)
    else exists (
      select 1 from proved p where p.tbl = message.tbl and p.journal = message.journal and p.seq = message.seq
        and p.n = message.n and p.body is null) end
order by seq, n, topic limit :most
""")
"""Messages that become facts, a page at a time: of a table with an enrolled key those that a checkpoint verified."""

FACT_PROVED: Final = text("""
select 'round', tbl, journal, seq, n, n, shoe, at, received_at, game, round, status, revision, prev_journal, prev_seq,
  body, digest
from proved where tbl = :tbl and journal = :journal and body is not null order by seq, n
""")
"""Verified rounds that another message is stored in place of."""

_OF_DAY: Final = {"since": "day >= :since", "until": "day <= :until"}
_STAKED: Final = """(tbl, journal, shoe, round) in (
  select tbl, journal, shoe, round from fact_round where {})"""


def bounds_of(table: Table) -> dict[str, str]:
    """Return bound of days -> the condition of rows of a table of facts; empty for one without days."""
    if "day" in table.c:
        return _OF_DAY
    if table is tables.fact_stake:
        return {name: _STAKED.format(each) for name, each in _OF_DAY.items()}
    time = next((each for each in ("at", "opened_at") if each in table.c), "")
    return {"since": f"{time} >= :since_at", "until": f"{time} < :until_at"} if time else {}


def exported(name: str, columns: Sequence[str], bounds: Collection[str]) -> TextClause:
    """Return some columns of a table of facts. bounds: those of `since until tbl journal after` that are given."""
    table = TABLES.tables[name]
    where = {**bounds_of(table), "tbl": "tbl = :tbl", "journal": "journal = :journal", "after": "changed > :after"}
    order = ["changed"] if "after" in bounds else [each.name for each in table.primary_key]
    chosen = (f"cast({each} as text)" if tables.kind_of(table.c[each]) == "JSON" else each for each in columns)
    return text(
        f"select {', '.join(chosen)} from {name} where {' and '.join(where[each] for each in bounds) or 'true'} "
        f"order by {', '.join(order)}"
    )


def sums(by: Collection[str]) -> TextClause:
    """Return the sums of gaming days, one for each value of some columns of its key; the others are ''.

    Money in two parts, millions and the rest: a sum of forged amounts is more than an integer of SQLite.
    """
    key = (name if name in by else "''" for name in DAY_KEY)
    money = (f"sum({each} / 1000000), sum({each} % 1000000)" for each in ("staked", "house"))
    counts = (f"sum({each})" for each in ("rounds", "voided", "corrected", "by_hand"))
    return text(
        f"select {', '.join((*key, *counts, *money))} from fact_day where {_BETWEEN} group by {', '.join(sorted(by))}"
    )


FORGOTTEN: Final = tuple(each.name for each in tables.FACTS if "journal" in each.c)
"""Tables with facts of a journal."""

_BETWEEN: Final = "day between :since and :until and (:tbl = '' or tbl = :tbl)"
BETS_BETWEEN: Final = text(f"select game, cast(bets as text) from fact_bet where {_BETWEEN}")
PACE_BETWEEN: Final = text(f"""
select dealt_by, sum(rounds), sum(millis) from fact_hours where {_BETWEEN} group by dealt_by order by dealt_by
""")
CHANGED_BETWEEN: Final = text(f"""
select tbl, shoe, round, day, status, at from fact_round where {_BETWEEN} and revision > 0
order by day, tbl, shoe, round
""")
LAST_CHANGED: Final = text("select at from fact_round where at is not null order by changed desc limit 1")
LAST_DAY: Final = text("select max(day) from fact_day")

FEED: Final = text("""
insert into feed (place, journal, seq, n, kind)
select fed.column1, id, fed.column4, fed.column5, fed.column6
from $names as fed join names on tbl = fed.column2 and name = fed.column3
where not exists (select 1 from feed_taken t where t.journal = id and t.seq >= fed.column4) on conflict do nothing
""")
FEED_END: Final = text("select place from feed_end")
FED: Final = text("""
insert into feed_end (one, place) values (1, :count)
on conflict (one) do update set place = feed_end.place + excluded.place returning place
""")
FORGET_FEED: Final = text("delete from feed where journal in (select id from names where tbl = :tbl)")
FORGET_TAKEN: Final = text("delete from feed_taken where journal in (select id from names where tbl = :tbl)")
_FEED_OF: Final = "delete from feed where journal = (select id from names where tbl = :tbl and name = :journal)"
FORGET_FED: Final = text(f"{_FEED_OF} and kind = 'round' and seq = :seq and n = :n")
EXPIRE_FEED: Final = text(_FEED_OF)
EXPIRE_TAKEN: Final = text(_FEED_OF.replace("feed", "feed_taken"))
EXPIRE_EVENT_FEED: Final = text(f"{_FEED_OF} and kind <> 'round'")
TAKEN: Final = text("""
insert into feed_taken (journal, seq)
select j.id, p.whole from names j join progress p on p.tbl = j.tbl and p.journal = j.name
where j.tbl = :tbl and j.name = :journal on conflict (journal) do update set seq = excluded.seq
""")
FEED_TAKEN: Final = text("""
select f.place from feed f join feed_taken t on t.journal = f.journal and t.seq >= f.seq
where f.place > :after and f.place <= (select coalesce(min(place), :end) from forward) order by f.place limit :most
""")
"""Messages of compacted journals that every receiver has taken."""

DROP_FED: Final = text("delete from feed where place = :place")
_BODIES: Final = """
left join message m on m.topic = case f.kind when 'round' then 'round' else 'event' end
  and m.tbl = j.tbl and m.journal = j.name and m.seq = f.seq and m.n = f.n
left join proved p on f.kind = 'round' and p.tbl = j.tbl and p.journal = j.name and p.seq = f.seq and p.n = f.n
"""
FEED_AFTER: Final = text(f"""
select f.place, j.tbl, j.name, f.seq, f.n, f.kind, coalesce(p.at, m.at), coalesce(p.body, m.body)
from feed f join names j on j.id = f.journal {_BODIES} where f.place > :after order by f.place limit :most
""")
"""Messages of the feed behind a place, each as the table signed it where other bytes had come first."""

_NEWEST_FACTS: Final = ", ".join(
    f"cast(r.{each.name} as text)" if each.name in ("bets", "faces") else f"r.{each.name}"
    for each in tables.fact_round.c
    if each.name not in ("changed", "last")
)
ROUNDS_AFTER: Final = text(f"""
select r.changed, {_NEWEST_FACTS} from fact_round r
where r.tbl = :tbl and r.changed > :after and r.revision is not null order by r.changed limit :most
""")
ROUND_TABLES: Final = text("""
with recursive named(tbl) as (
  select min(tbl) from fact_round union all
  select (select min(r.tbl) from fact_round r where r.tbl > named.tbl) from named where named.tbl is not null)
select tbl, (select max(r.changed) from fact_round r where r.tbl = named.tbl and r.revision is not null)
from named where tbl is not null order by tbl
""")
"""Each table with the number of its newest change; it reads no more rows of the index than there are tables."""

ROUNDS_AT: Final = text(f"select r.changed, {_NEWEST_FACTS} from fact_round r {_named('changed')}")
ROUND_AT: Final = text("select tbl, journal, seq, n from fact_round where changed = :changed")
FORWARDS: Final = text("select name, place, at, trouble, since from forward order by name")
FORWARD: Final = newest(forward, where=text("forward.place <= excluded.place"))
"""How far a receiver is never goes back."""

BEHIND_FEED: Final = text("select count(*) from (select 1 from feed where place > :after limit :most) behind")

MOST_ALARMS: Final = 2_000
"""Most begins and ends of alarms that are read of some journals, the newest ones."""

SHOES_BACK: Final = text("""
select journal, shoe, game, decks, opened_at, ended_at, code, alarm, by_name, why from fact_shoe
where tbl = :tbl and shoe between :first and :last order by shoe desc, journal desc limit :most
""")
"""The shoes of a table from a number back."""

SHOE_DEALERS: Final = text(f"""
select journal, shoe, dealt_by, count(*), count(case when status = 'voided' then 1 end),
  count(case when status = 'corrected' then 1 end)
from fact_round {_named("tbl journal shoe")} where revision is not null
group by journal, shoe, dealt_by order by min(round)
""")
"""Rounds, voided and corrected ones of each dealer of some shoes."""

ALARM: Final = f"""
select fact_alarm.tbl, id, at, is_open, detail, choice,
  coalesce(nullif(by_name, ''), case when not is_open then {of_order("by_name", "fact_alarm")} end, ''), second,
  coalesce({of_order("person", "fact_alarm")}, '')
from fact_alarm"""
"""Begin or end of an alarm; one that ended with something else, by the order of its entry."""

ALARMS_IN: Final = text(f"""
{ALARM} {_named("tbl journal")}
order by at desc, seq desc, n desc limit {MOST_ALARMS}
""")
SHOE_ROUNDS: Final = text(f"""
select m.journal, m.seq, coalesce(p.body, m.body), coalesce({of_order("person", "m")}, '') from {COUNTING}
  and m.tbl = :tbl and m.journal = :journal and coalesce(p.shoe, m.shoe) = :shoe
  and coalesce(p.round, m.round) between :first and :last
order by coalesce(p.round, m.round), coalesce(p.revision, m.revision), m.seq, m.n limit :most
""")
"""All messages about some rounds of a shoe that count."""
