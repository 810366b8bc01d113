"""All statements about the past of one table, once for every engine: each reads some shoes, and no others."""

from typing import Final

from sqlalchemy import text

from firmware_bridge.floor.store.fact_statements import named_in
from firmware_bridge.floor.store.tables import COUNTING

MOST_ALARMS: Final = 2_000
"""Most begins and ends of alarms that are read of some journals, the newest ones."""

SHOES_BACK: Final = text("""
select journal, shoe, game, decks, opened_at, ended_at, why from fact_shoe
where tbl = :tbl and shoe between :first and :last order by shoe desc, journal desc limit :most
""")
"""The shoes of a table from a number back."""

SHOE_DEALERS: Final = text(f"""
select journal, shoe, dealt_by, count(*), count(case when status = 'voided' then 1 end),
  count(case when status = 'corrected' then 1 end)
from fact_round {named_in("tbl journal shoe")} where revision is not null
group by journal, shoe, dealt_by order by min(round)
""")
"""Rounds, voided and corrected ones of each dealer of some shoes."""

ALARMS_IN: Final = text(f"""
select tbl, id, at, is_open, detail, choice, by_name, second from fact_alarm {named_in("tbl journal")}
order by at desc, seq desc, n desc limit {MOST_ALARMS}
""")
SHOE_ROUNDS: Final = text(f"""
select m.journal, m.seq, coalesce(p.body, m.body) from {COUNTING}
  and m.tbl = :tbl and m.journal = :journal and coalesce(p.shoe, m.shoe) = :shoe
  and coalesce(p.round, m.round) between :first and :last
order by coalesce(p.round, m.round), coalesce(p.revision, m.revision), m.seq, m.n limit :most
""")
"""All messages about some rounds of a shoe that count."""
