"""What the addresses for programs answer, and the OpenAPI document of them."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Raw, Struct

from firmware_bridge.floor.page.refusal import Problem
from firmware_bridge.floor.store.fact_queries import RoundAt

MOST: Final = 500
"""Most rounds of an answer."""

USUAL: Final = 100
"""The same without `limit`."""

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"}, description="RFC 3339, UTC")]
Money = Annotated[
    str | None, Meta(extra_json_schema={"pattern": r"^-?\d+(\.\d{1,6})?$"}, description="exact; null where not known")
]
Nets = Annotated[
    Raw,
    Meta(
        extra_json_schema={"type": "object", "additionalProperties": {"type": ["number", "string"]}},
        description="bet -> its net in `unit`: as in the message",
    ),
]
Cards = Annotated[
    Raw,
    Meta(
        extra_json_schema={"type": "object", "additionalProperties": {"type": "integer"}},
        description="card -> how often it was dealt",
    ),
]


class ApiRound(Struct, frozen=True):
    """A round, as the message of the highest revision says. table, journal, shoe and round name it."""

    table: str
    journal: str
    shoe: int
    round: int
    revision: Annotated[int, Meta(description="0, and one more for each change")]
    status: Annotated[str, Meta(extra_json_schema={"enum": ["closed", "corrected", "voided"]})]
    at: Annotated[Time, Meta(description="when that message was made")]
    opened_at: Time | None
    closed_at: Time | None
    game: str
    gaming_day: Annotated[str, Meta(extra_json_schema={"format": "date"})]
    pit: str
    shift: str
    dealt_by: Annotated[str, Meta(description="the dealer who was signed in at its first card, '' for nobody")]
    outcome: Annotated[str, Meta(description="the result, in words of the game")]
    unit: Annotated[str, Meta(description="stake: nets are per unit staked; money")]
    bets: Nets
    staked: Money
    house: Annotated[Money, Meta(description="what the house won, below 0 lost; null where stakes are not known")]
    by_hand: Annotated[int, Meta(description="cards that people entered")]
    cards: Cards


class ApiRecord(Struct, frozen=True):
    """The signed record of a table: how many entries are verified, and how many a quorum of witnesses has cosigned."""

    size: int
    witnessed: int


class ApiTable(Struct, frozen=True):
    """A table that the store has messages of.

    rounds: the address of its rounds. is_enrolled: whether its key is enrolled, and only what it signed is here.
    newest: the round that a message came of last.
    """

    table: str
    rounds: str
    is_enrolled: bool
    record: ApiRecord | None
    newest: ApiRound | None


class ApiTables(Struct, frozen=True):
    """All tables that the store has messages of."""

    tables: list[ApiTable]


class ApiRounds(Struct, frozen=True):
    """Rounds that are new or changed since a cursor, in the order in which the store learned of it.

    next: the cursor for the next request, null before the first round. more: whether there are more already.
    """

    rounds: list[ApiRound]
    next: str | None
    more: bool


def api_round(found: RoundAt) -> ApiRound:
    """Return a round of the store as it is answered."""
    return ApiRound(
        table=found.table,
        journal=found.journal,
        shoe=found.shoe,
        round=found.round,
        revision=found.revision,
        status=found.status,
        at=found.at,
        opened_at=found.opened_at,
        closed_at=found.closed_at,
        game=found.game,
        gaming_day=found.day,
        pit=found.pit,
        shift=found.shift,
        dealt_by=found.dealt_by,
        outcome=found.outcome,
        unit=found.unit,
        bets=Raw(found.bets.encode()),
        staked=money(found.staked),
        house=money(found.house),
        by_hand=found.by_hand,
        cards=Raw(found.faces.encode()),
    )


def money(micros: int | None) -> str | None:
    """Return an amount in millionths as a decimal."""
    if micros is None:
        return None
    whole, part = divmod(abs(micros), 1_000_000)
    return f"{'-' if micros < 0 else ''}{whole}{f'.{part:06}'.rstrip('0') if part else ''}"


_SHAPES: Final = (ApiTables, ApiTable, ApiRounds, Problem)

_ETAG: Final = {"name": "If-None-Match", "in": "header", "required": False, "schema": {"type": "string"}}
_TABLE: Final = {"name": "table", "in": "path", "required": True, "schema": {"type": "string"}}
_AFTER: Final = {
    "name": "after",
    "in": "query",
    "required": False,
    "description": "`next` of the answer before; without it from the first round that is kept",
    "schema": {"type": "string"},
}
_LIMIT: Final = {
    "name": "limit",
    "in": "query",
    "required": False,
    "schema": {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL},
}
_WHY: Final = {
    "400": "after or limit is wrong",
    "401": "sign in first",
    "404": "no such table",
    "410": "the cursor is of another store: begin again without after",
    "503": "too many requests, or the store cannot be read now: again after Retry-After",
}


def document(cookie: str) -> dict[str, Any]:
    """Return the OpenAPI document. cookie: the name of the session's."""
    _, shapes = msgspec.json.schema_components(_SHAPES, ref_template="#/components/schemas/{name}")
    table, rounds = {"parameters": [_TABLE, _ETAG]}, {"parameters": [_TABLE, _AFTER, _LIMIT, _ETAG]}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Rounds of a floor",
            "version": "1",
            "description": "Read only. Of a table with an enrolled key only what it signed.",
        },
        "paths": {
            "/api/tables": {"get": _read("tables", "All tables", "ApiTables", "503") | {"parameters": [_ETAG]}},
            "/api/tables/{table}": {"get": _read("table", "A table", "ApiTable", "404", "503") | table},
            "/api/tables/{table}/rounds": {
                "get": _read("rounds", "Its rounds, new and changed ones", "ApiRounds", *_WHY) | rounds
            },
            "/api/openapi.json": {
                "get": {
                    "operationId": "openapi",
                    "summary": "This document",
                    "responses": {"200": _answer("This document", "application/json", {"type": "object"})},
                }
            },
        },
        "components": {
            "schemas": shapes,
            "securitySchemes": {"session": {"type": "apiKey", "in": "cookie", "name": cookie}},
        },
        "security": [{"session": []}],
    }


def _read(name: str, summary: str, shape: str, *refused: str) -> dict[str, Any]:
    """Return an address that is read. refused: what it may be refused with, beside 401."""
    etag = {"ETag": {"schema": {"type": "string"}}}
    answers = {
        "200": _answer(summary, "application/json", _ref(shape)) | {"headers": etag},
        "304": {"description": "as before"},
    }
    for status in sorted({"401", *refused}):
        answers[status] = _answer(_WHY[status], "application/problem+json", _ref("Problem"))
    return {"operationId": name, "summary": summary, "responses": answers}


def _answer(words: str, kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": words, "content": {kind: {"schema": schema}}}


def _ref(shape: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{shape}"}
