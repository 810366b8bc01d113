"""All statements about facts, once for every engine. `$names`: the place of a list of rows (`Statements.listed`)."""

from typing import Final

from sqlalchemy import text

from firmware_bridge.floor.store import fact_tables as tables
from firmware_bridge.floor.store.statements import COLUMNS, newest, once
from firmware_bridge.floor.store.tables import feed, feed_end, forward

_ROUND: Final = ", ".join(
    f"cast({each.name} as text)" if each.name in ("bets", "faces") else each.name for each in tables.fact_round.columns
)
_DAY: Final = ", ".join(
    f"cast({each.name} as text)" if each.name == "bets" else each.name for each in tables.fact_day.c
)

FACT_ROUND: Final = newest(tables.fact_round)
FACT_ROUNDS: Final = text(f"select {_ROUND} from fact_round where (tbl, journal, shoe, round) in $names")
FACT_ROUNDS_IN: Final = text(f"select {_ROUND} from fact_round where tbl = :tbl and journal = :journal")
FACT_ROUNDS_OF: Final = text(f"select {_ROUND} from fact_round where tbl = :tbl and revision is not null")
FACT_STAKE: Final = once(tables.fact_stake)
FORGET_STAKES: Final = text(
    "delete from fact_stake where tbl = :tbl and journal = :journal and shoe = :shoe and round = :round"
)
FACT_DAY: Final = newest(tables.fact_day)
FACT_DAYS: Final = text(f"select {_DAY} from fact_day where (tbl, day, dealt_by, game) in $names")
FORGET_DAY: Final = text(
    "delete from fact_day where tbl = :tbl and day = :day and dealt_by = :dealt_by and game = :game"
)
FORGET_DAYS: Final = text("delete from fact_day where tbl = :tbl")
FACT_ALARM: Final = once(tables.fact_alarm)
FACT_DEALER: Final = once(tables.fact_dealer)
FACT_SHOE_BEGAN: Final = newest(tables.fact_shoe, "opened_at game decks")
FACT_SHOE_OVER: Final = newest(tables.fact_shoe, "ended_at why rounds")
FACT_ORDER: Final = once(tables.fact_order)
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
      select 1 from leaf f where f.tbl = message.tbl and f.journal = message.journal and f.seq = message.seq)
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

FORGOTTEN: Final = tuple(each.name for each in tables.FACTS if "journal" in each.c)
"""Tables with facts of a journal."""

_BETWEEN: Final = "day between :since and :until and (:tbl = '' or tbl = :tbl)"
DAYS_BETWEEN: Final = text(f"select {_DAY} from fact_day where {_BETWEEN} order by day, tbl, dealt_by, game")
SHIFTS_BETWEEN: Final = text(f"""
select tbl, day, dealt_by, game, sum(case when status <> 'voided' then 1 else 0 end),
  sum(case when status = 'voided' then 1 else 0 end), sum(case when status = 'corrected' then 1 else 0 end),
  coalesce(sum(by_hand), 0), coalesce(sum(staked), 0), coalesce(sum(house), 0), shift
from fact_round where {_BETWEEN} group by tbl, day, dealt_by, game, shift
""")
CHANGED_BETWEEN: Final = text(f"""
select tbl, shoe, round, day, status, at from fact_round where {_BETWEEN} and revision > 0
order by day, tbl, shoe, round
""")
LAST_DAY: Final = text("select max(day) from fact_day")

FEED: Final = once(feed)
FEED_END: Final = text("select place from feed_end")
FED: Final = newest(feed_end)
FORGET_FEED: Final = text("delete from feed where tbl = :tbl")
FORGET_FED: Final = text(
    "delete from feed where kind = 'round' and tbl = :tbl and journal = :journal and seq = :seq and n = :n"
)
EXPIRE_FEED: Final = text("delete from feed where tbl = :tbl and journal = :journal")
FEED_PLACE: Final = text("select tbl, journal, seq, n from feed where place = :place")
_BODIES: Final = """
left join message m on m.topic = case f.kind when 'round' then 'round' else 'event' end
  and m.tbl = f.tbl and m.journal = f.journal and m.seq = f.seq and m.n = f.n
left join proved p on f.kind = 'round' and p.tbl = f.tbl and p.journal = f.journal and p.seq = f.seq and p.n = f.n
"""
FEED_AFTER: Final = text(f"""
select f.place, f.tbl, f.journal, f.seq, f.n, f.kind, coalesce(p.at, m.at), coalesce(p.body, m.body)
from feed f {_BODIES} where f.place > :after order by f.place limit :most
""")
"""Messages of the feed behind a place, each as the table signed it where other bytes had come first."""

_OF_FEED: Final = ", ".join(
    f"cast(r.{each.name} as text)" if each.name in ("bets", "faces") else f"r.{each.name}"
    for each in tables.fact_round.c
    if each.name not in ("changed", "last")
)
_THE_ROUND: Final = "r.tbl = f.tbl and r.journal = f.journal and r.shoe = f.shoe and r.round = f.round"
ROUNDS_AFTER: Final = text(f"""
select f.place, {_OF_FEED} from feed f join fact_round r on {_THE_ROUND} and r.seq = f.seq and r.n = f.n
where f.tbl = :tbl and f.kind = 'round' and f.place > :after order by f.place limit :most
""")
"""Rounds of a table, each in the place of the message that counts."""

FEED_TABLES: Final = text("""
with recursive named(tbl) as (
  select min(tbl) from feed union all
  select (select min(f.tbl) from feed f where f.tbl > named.tbl) from named where named.tbl is not null)
select tbl, (select max(f.place) from feed f where f.tbl = named.tbl and f.kind = 'round')
from named where tbl is not null order by tbl
""")
"""Each table with the place of its newest round; it reads no more rows of the index than there are tables."""

ROUNDS_AT: Final = text(
    f"select f.place, {_OF_FEED} from feed f join fact_round r on {_THE_ROUND} where f.place in $names"
)
FORWARDS: Final = text("select name, place, at, trouble, since from forward order by name")
FORWARD: Final = newest(forward, where=text("forward.place <= excluded.place"))
"""How far a receiver is never goes back."""

BEHIND_FEED: Final = text("select count(*) from (select 1 from feed where place > :after limit :most) behind")
