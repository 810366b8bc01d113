"""What an error of PostgreSQL means to whoever runs the ingest: what to do next."""

from typing import Final

NOT_KEPT: Final = (
    "the database cannot keep a name or a text in this batch, and nothing goes past it: report it with this line; "
    "if it is retained, clear its topic"
)

HINTS: Final = {
    "08": "see that the server runs and can be reached; what came meanwhile comes again",
    "22": NOT_KEPT,
    "25006": "this server is a standby: name the primary in [store] url, or all with ?target_session_attrs=read-write",
    "28": "look at the user and [store] password_file, and at pg_hba.conf of the server",
    "3D": "make it: createdb --owner USER --encoding UTF8 DATABASE (docs/floor.md)",
    "42704": "make the role first: create role NAME login (docs/floor.md)",
    "40": "two programs were in each other's way; it is tried again",
    "42P01": "the tables are not there yet: start the ingest, or run shoe-floor prepare (docs/floor.md)",
    "42501": "use a role that may (docs/floor.md); tables are made by their owner: shoe-floor prepare",
    "54": NOT_KEPT,
    "53": "make room on the server's disk, or raise its limits; what came meanwhile comes again",
    "55P03": "another program holds the table: ask pg_stat_activity which, and let it end",
    "57014": "somebody cancelled it, or statement_timeout of the server is too short for it",
    "57": "the server was stopped or is starting; what came meanwhile comes again",
}
"""The beginning of an SQLSTATE -> what to do."""

UNNAMED: Final = {
    'role "': "28",
    "does not exist": "3D",
    "authentication": "28",
    "no password": "28",
    "pg_hba.conf": "28",
    "starting up": "57",
    "NUL (0x00)": "22",
}
"""Words of an error without an SQLSTATE, of libpq or psycopg -> the SQLSTATE that it stands for."""


def hint(sqlstate: str | None, said: str) -> str:
    """What to do about an error of the server, or of the way to it."""
    known = sqlstate or next((code for words, code in UNNAMED.items() if words in said), "08")
    return next((todo for code, todo in HINTS.items() if known.startswith(code)), "run shoe-floor check")
