"""The queries that a house asks by name: each runs as docs/facts.md shows it, in both engines."""

from typing import Final, NamedTuple

from sqlalchemy import TextClause, text

from firmware_bridge.facts.book.endings import DEALT_OUT
from firmware_bridge.floor.store.fact_statements import ALARM, of_order
from firmware_bridge.floor.store.schema import COUNTING


class Query(NamedTuple):
    """A query with places for its days. titles: of its columns, in the words of reports; the first `names` are names.

    sql: `{since}` and `{until}` are gaming days, `{begin}` and `{end}` the times at which days in UTC begin and have
    ended, `{table}` a further condition. of: what stands before a column of the table that the condition is about.
    """

    sql: str
    titles: tuple[str, ...]
    names: int
    of: str = ""

    def on(self, since: str, until: str, begin: str, end: str, table: str = "") -> str:
        """Return the query as it is typed. table: '' for all."""
        days = {"since": since, "until": until, "begin": begin, "end": end}
        given = {name: f"'{value}'" for name, value in days.items()}
        return self.sql.format(**given, table=f" and {self.of}tbl = '{table}'" if table else "")

    def by_name(self) -> TextClause:
        """Return the query with named places for values; a table "" is all of them."""
        places = {name: f":{name}" for name in ("since", "until", "begin", "end")}
        return text(self.sql.format(**places, table=f" and (:tbl = '' or {self.of}tbl = :tbl)"))


QUERIES: Final = {
    "hold": Query(
        """\
select tbl, day, sum(rounds) as rounds, sum(staked) / 1000000.0 as staked, sum(house) / 1000000.0 as won,
  round(100.0 * sum(house) / nullif(sum(staked), 0), 2) as hold
from fact_day where day between {since} and {until}{table} group by tbl, day order by tbl, day
""",
        ("table", "day", "rounds", "staked", "house won", "hold %"),
        2,
    ),
    "ties": Query(
        """\
select tbl, day, cast(bets -> 'tie' ->> 0 as bigint) as ties,
  cast(bets -> 'tie' ->> 0 as bigint) + cast(bets -> 'tie' ->> 1 as bigint) as rounds
from fact_bet where game = 'baccarat' and day between {since} and {until}{table}
order by tbl, day
""",
        ("table", "day", "ties", "rounds"),
        2,
    ),
    "early": Query(
        f"""\
select coalesce(dealt_by, '') as dealer, count(*) as shoes,
  sum(case when code in {DEALT_OUT} then 0 else 1 end) as early
from fact_shoe where ended_at >= {{begin}} and ended_at < {{end}}{{table}}
group by 1 order by early desc, dealer
""",
        ("dealer", "shoes", "ended early"),
        1,
    ),
    "hands": Query(
        """\
select e.by_name, e.second, coalesce((
    select r.dealt_by from fact_round r
    where r.tbl = e.tbl and r.closed_at >= e.at order by r.closed_at limit 1), '') as dealer, count(*) as cards
from fact_entry e
where e.at >= {begin} and e.at < {end}{table}
group by 1, 2, 3 order by cards desc, 1, 2, 3
""",
        ("by", "second", "for the dealer", "cards"),
        3,
        of="e.",
    ),
    "chance": Query(
        """\
with seen as (
  select tbl, sum(cast(bets -> 'player' ->> 0 as bigint)) as player,
    sum(cast(bets -> 'banker' ->> 0 as bigint)) as banker, sum(cast(bets -> 'tie' ->> 0 as bigint)) as tie
  from fact_bet where game = 'baccarat' and day between {since} and {until}{table} group by tbl),
expected as (
  select *, player + banker + tie as rounds, 0.446247 * (player + banker + tie) as of_player,
    0.458597 * (player + banker + tie) as of_banker, 0.095156 * (player + banker + tie) as of_tie
  from seen where player + banker + tie > 0)
select tbl, rounds, player, round(of_player, 1) as expected_player, banker, round(of_banker, 1) as expected_banker,
  tie, round(of_tie, 1) as expected_tie,
  round(player * player / of_player + banker * banker / of_banker + tie * tie / of_tie - rounds, 2) as chi_square
from expected order by chi_square desc, tbl
""",
        (
            "table",
            "rounds",
            "player",
            "player expected",
            "banker",
            "banker expected",
            "tie",
            "tie expected",
            "chi-square",
        ),
        1,
    ),
}
"""Name, as `shoe-floor report` takes it -> the query."""

CHANGED: Final = text("""
select day, tbl, journal, shoe, round, status, dealt_by from fact_round
where status in ('corrected', 'voided') and day between :since and :until and (:tbl = '' or tbl = :tbl)
order by day, tbl, shoe, round, journal
""")
"""The rounds that were corrected or voided."""

CHANGES: Final = text(f"""
select r.tbl, r.journal, r.shoe, r.round, coalesce(p.body, m.body), coalesce({of_order("person", "m")}, '')
from fact_round r cross join {COUNTING}
  and m.tbl = r.tbl and m.journal = r.journal
  and coalesce(p.shoe, m.shoe) = r.shoe and coalesce(p.round, m.round) = r.round
  and r.status in ('corrected', 'voided') and r.day between :since and :until and (:tbl = '' or r.tbl = :tbl)
order by coalesce(p.revision, m.revision), m.seq, m.n
""")
"""All messages about these that count; `cross join` keeps SQLite from reading those of all other rounds."""

ALARMS: Final = text(f"""
{ALARM} where at >= :begin and (:tbl = '' or tbl = :tbl) order by tbl, id, at, seq, n
""")
"""Begin and end of all alarms from a time on, each id by itself."""
