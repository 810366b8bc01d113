"""The statements that make a store: the tables of `TABLES`, with their triggers and views."""

import re
from typing import Any, Final, Literal

from sqlalchemy import create_mock_engine
from sqlalchemy.engine.mock import MockConnection

from firmware_bridge.floor.store.tables import GAP, LACKS, TABLES

Engine = Literal["sqlite", "postgresql"]
"""An engine, as SQLAlchemy names its dialect."""

_FIXED: Final = ("block", "block_shoe", "closed", "leaf", "names", "proved", "witnessed", "evidence")
KEPT: Final = {
    **dict.fromkeys(_FIXED, ("update", "delete")),
    **dict.fromkeys(("record_key", "log", "incident", "cosignature"), ("delete",)),
}
"""Table -> what no statement may do to its rows: a trigger refuses it, to the owner too."""

COUNTING: Final = """message m left join proved p
  on p.tbl = m.tbl and p.journal = m.journal and p.seq = m.seq and p.n = m.n where m.topic = 'round' and (
    p.idx is not null or not exists (select 1 from record_key k where k.tbl = m.tbl and k.trust <> 'seen'))"""
_ROUNDS_THAT_COUNT: Final = f"""
  select 'round' as topic, m.tbl, m.journal, m.seq, m.n, m."of", coalesce(p.shoe, m.shoe) as shoe,
    coalesce(p.at, m.at) as at, coalesce(p.received_at, m.received_at) as received_at,
    coalesce(p.game, m.game) as game, coalesce(p.round, m.round) as round, coalesce(p.status, m.status) as status,
    coalesce(p.revision, m.revision) as revision,
    case when p.body is null then m.prev_journal else p.prev_journal end as prev_journal,
    case when p.body is null then m.prev_seq else p.prev_seq end as prev_seq,
    coalesce(p.body, m.body) as body, p.origin, p.idx
  from {COUNTING}"""
"""All rounds, but of a table with an enrolled key only what a checkpoint verified.

`proved` names each round that one did. It has the columns of `message` where other bytes had come first under its key:
then these are the ones that the table signed, for a message is never changed.
"""

_CONFLICT: Final = """
  c.topic, c.tbl, c.journal, c.seq, c.n, m.received_at, $text(m.body) as body,
    c.received_at as other_received_at, $text(c.body) as other_body, $hex(c.digest) as digest"""
_CONFLICTS: Final = "conflict c join message m using (topic, tbl, journal, seq, n)"
_OF_CONFLICT: Final = """
  o.kind = 'conflict' and o.digest = $hex(c.digest) and o.came_at = c.received_at
  and o.topic = c.topic and o.tbl = c.tbl and o.journal = c.journal and o.seq = c.seq and o.n = c.n"""
_QUARANTINED: Final = "q.topic, q.received_at, q.reason, q.body, $hex(q.digest) as digest"
_OF_QUARANTINE: Final = """
  o.kind = 'quarantine' and o.digest = $hex(q.digest) and o.came_at = q.received_at and o.topic = q.topic"""
_CLOSED: Final = "o.by_name, o.why, o.at as closed_at"

VIEWS: Final = {
    "leaves": """
  select r.name as origin, l.idx, j.tbl, j.name as journal, l.seq, $hex(l.head) as head
  from leaf l join names r on r.id = l.record join names j on j.id = l.journal""",
    "incidents": "select at, tbl, kind, place, what as text, closed_at from incident",
    "round_latest": f"""
  select * from (
    select r.*, row_number() over (
      partition by tbl, journal, shoe, round order by revision desc, seq desc, n desc) as place
    from ({_ROUNDS_THAT_COUNT}) r) ranked where place = 1""",
    "rounds": """
  select tbl, journal, shoe, round, game, status, revision, seq, n, at, received_at, case
    when r.idx is null then 'none'
    when r.idx < (select g.witnessed from log g where g.tbl = r.tbl and g.origin = r.origin) then 'witnessed'
    else 'signed' end as proof, $text(body) as body
  from round_latest r where status <> 'voided'""",
    "gaps": f"""
  select tbl, journal, case when whole < closed_to then closed_to else whole end + 1 as "from", known as "to", moved_at
  from progress where ({LACKS}) and {GAP}""",
    "round_gaps": """
  select tbl, prev_journal as journal, prev_seq as seq, journal as named_in, seq as named_by
  from message m where topic = 'round' and prev_seq is not null and not exists (
    select 1 from message p
    where p.topic = 'round' and p.tbl = m.tbl and p.journal = m.prev_journal and p.seq = m.prev_seq)
  and not exists (select 1 from expired e where e.tbl = m.tbl and e.journal = m.prev_journal)""",
    "messages": """
  select topic, tbl, journal, seq, n, at, received_at, $hex(digest) as came_as, $text(body) as body from message""",
    "conflicts": f"""
  select {_CONFLICT} from {_CONFLICTS} where not exists (select 1 from closed o where {_OF_CONFLICT})""",
    "closed_conflicts": f"""
  select {_CONFLICT}, {_CLOSED} from {_CONFLICTS} join closed o on {_OF_CONFLICT}""",
    "quarantined": f"""
  select {_QUARANTINED} from quarantine q where not exists (select 1 from closed o where {_OF_QUARANTINE})""",
    "closed_quarantine": f"""
  select distinct {_QUARANTINED}, {_CLOSED} from quarantine q join closed o on {_OF_QUARANTINE}""",
    "shoes": """
  select tbl, journal, shoe, min(first_at) as first_at, max(last_at) as last_at, max(last_seq) as last_seq,
    cast(sum(messages) as bigint) as messages, max(rounds) as rounds
  from (
    select tbl, journal, shoe, min(at) as first_at, max(at) as last_at, max(seq) as last_seq, count(*) as messages,
      count(distinct round) as rounds
    from message group by tbl, journal, shoe
    union all
    select tbl, journal, shoe, first_at, last_at, last_seq, messages, 0 from block_shoe) parts
  group by tbl, journal, shoe""",
}
"""View -> its query, in order. $text: bytes as a text, $hex: their digits."""

_WORDS: Final[dict[Engine, dict[str, str]]] = {
    "sqlite": {
        r"\$text\((.*?)\)": r"cast(\1 as text)",
        r"\$hex\((.*?)\)": r"case when \1 is not null then lower(hex(\1)) end",
    },
    "postgresql": {r"\$text\((.*?)\)": r"convert_from(\1, 'UTF8')", r"\$hex\((.*?)\)": r"encode(\1, 'hex')"},
}

_DONE: Final = {"update": "changed", "delete": "deleted"}

_FUNCTIONS: Final = (
    """
create function message_is_never_changed() returns trigger language plpgsql as $$
  begin raise exception 'messages are never changed'; end $$""",
    """
create function message_is_never_deleted() returns trigger language plpgsql as $$
  begin raise exception 'messages are never deleted'; end $$""",
    """
create function row_is_kept() returns trigger language plpgsql as $$
  begin raise exception '%: rows are never %', tg_table_name, tg_argv[0]; end $$""",
)
"""What the triggers of PostgreSQL call."""


def schema(engine: Engine) -> list[str]:
    """Return the statements that make all tables of `TABLES`, with their indexes, triggers and views."""
    made: list[str] = []

    def keep(statement: Any, *_: Any, **__: Any) -> None:
        made.append(str(statement.compile(dialect=mock.dialect)))

    mock: MockConnection = create_mock_engine(f"{engine}://", keep)
    TABLES.create_all(mock, checkfirst=False)
    triggers = [trigger(engine, "message", what) for what in _DONE]
    triggers += [trigger(engine, table, what) for table, whats in KEPT.items() for what in whats]
    views = [f"create view {name} as {_in_words(engine, query)}" for name, query in VIEWS.items()]
    return [*made, *(_FUNCTIONS if engine == "postgresql" else ()), *triggers, *views]


def trigger(engine: Engine, table: str, what: str) -> str:
    """Return the statement that makes the trigger by which no row is changed or deleted. what: `update` or `delete`."""
    name = f"{table}_is_never_{_DONE[what]}"
    if engine == "sqlite":
        words = f"messages are never {_DONE[what]}" if table == "message" else f"{table}: rows are never {_DONE[what]}"
        return f"create trigger {name} before {what} on {table} begin select raise(abort, '{words}'); end"
    function = f"{name}()" if table == "message" else f"row_is_kept('{_DONE[what]}')"
    which = "delete or truncate" if what == "delete" else what
    return f"create trigger {name} before {which} on {table} for each statement execute function {function}"


def _in_words(engine: Engine, query: str) -> str:
    for word, text_of_engine in _WORDS[engine].items():
        query = re.sub(word, text_of_engine, query)
    return query
