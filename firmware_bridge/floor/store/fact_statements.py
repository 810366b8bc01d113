"""All statements about facts, once for every engine. `$names`: the place of a list of rows (`Statements.listed`)."""

from typing import Final

from sqlalchemy import select, text

from firmware_bridge.floor.store import fact_tables as tables
from firmware_bridge.floor.store.statements import COLUMNS, newest, once

_ROUND: Final = ", ".join(
    f"cast({each.name} as text)" if each.name in ("bets", "faces") else each.name
    for each in tables.fact_round.c
    if each.name != "changed"
)
_SUMS: Final = ", ".join(each.name for each in tables.fact_day.c if each.name != "bets")
_DAY: Final = f"{_SUMS}, cast(bets as text)"

FACT_ROUND: Final = newest(tables.fact_round)
FACT_ROUNDS: Final = text(f"select {_ROUND} from fact_round where (tbl, journal, shoe, round) in $names")
FACT_ROUNDS_IN: Final = text(f"select {_ROUND} from fact_round where tbl = :tbl and journal = :journal")
FACT_ROUNDS_OF: Final = text(f"select {_ROUND} from fact_round where tbl = :tbl and revision is not null")
FACT_STAKE: Final = once(tables.fact_stake)
FORGET_STAKES: Final = text(
    "delete from fact_stake where tbl = :tbl and journal = :journal and shoe = :shoe and round = :round"
)
FACT_DAY: Final = newest(tables.fact_day)
FACT_DAYS: Final = text(f"select {_DAY} from fact_day where (tbl, day, shift, dealt_by, game) in $names")
FORGET_DAY: Final = text("""
delete from fact_day where tbl = :tbl and day = :day and shift = :shift and dealt_by = :dealt_by and game = :game
""")
FORGET_DAYS: Final = text("delete from fact_day where tbl = :tbl")
FACT_PACE: Final = newest(tables.fact_pace)
FACT_SLOTS: Final = text("select tbl, since, day, dealt_by, rounds from fact_pace where (tbl, since) in $names")
FORGET_PACE: Final = text(
    "delete from fact_pace where tbl = :tbl and since = :since and day = :day and dealt_by = :dealt_by"
)
FORGET_PACES: Final = text("delete from fact_pace where tbl = :tbl")
FACT_CHANGE: Final = newest(tables.fact_change)
LAST_CHANGE: Final = select(tables.fact_change.c.changed)
FACT_ALARM: Final = once(tables.fact_alarm)
FACT_DEALER: Final = once(tables.fact_dealer)
FACT_ENTRY: Final = once(tables.fact_entry)
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
DAYS_BETWEEN: Final = text(f"select {_SUMS} from fact_day where {_BETWEEN}")
BETS_BETWEEN: Final = text(f"select game, cast(bets as text) from fact_day where {_BETWEEN}")
PACE_BETWEEN: Final = text(f"""
select dealt_by, sum(rounds), sum(millis) from fact_pace where {_BETWEEN} group by dealt_by order by dealt_by
""")
CHANGED_BETWEEN: Final = text(f"""
select tbl, shoe, round, day, status, at from fact_round where {_BETWEEN} and revision > 0
order by day, tbl, shoe, round
""")
LAST_CLOSED: Final = text("select max(closed_at) from fact_round")
LAST_DAY: Final = text("select max(day) from fact_day")
