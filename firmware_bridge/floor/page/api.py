"""The addresses for programs, below `/api/`: tables and their rounds from the store, read only."""

import asyncio
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.facts.decoding import Undecodable, base64
from firmware_bridge.floor.page.api_shapes import (
    MOST,
    USUAL,
    ApiRecord,
    ApiRounds,
    ApiTable,
    ApiTables,
    api_round,
    document,
)
from firmware_bridge.floor.page.refusal import refusal
from firmware_bridge.floor.page.stream import endpoint
from firmware_bridge.floor.store import Reader
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.fact_queries import RoundAt
from firmware_bridge.floor.store.open import Asked

AT_ONCE: Final = 2
"""Requests that ask the store at a time: the pages' own threads never wait for them."""

BUSY: Final = {"retry-after": "10"}

_LIMIT: Final = re.compile(r"[1-9][0-9]{0,2}")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_CURSOR: Final = re.compile(rb"1\.([0-9]{1,18})\.([0-9a-f]{16})")

Named = tuple[str, str, int, int]
"""Table, journal, entry and number of a message."""


class Refusal(BridgeError, ValueError):
    """A request that cannot be answered, with the status of its problem."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def api(asked: Asked, cookie: str) -> list[Route]:
    """Return the routes. asked: the store. cookie: the name of the session's."""
    described, threads = msgspec.json.encode(document(cookie)), ThreadPoolExecutor(AT_ONCE, "api")

    def route(path: str, answer: Callable[[Request], bytes]) -> Route:
        async def answered(request: Request) -> Response:
            return await asyncio.get_running_loop().run_in_executor(threads, _answered, request, answer)

        return Route(path, answered)

    return [
        route("/api/tables", lambda _: _encoded(ApiTables(_of(asked, _tables)))),
        route("/api/tables/{name}", lambda request: _table(asked, request)),
        route("/api/tables/{name}/rounds", lambda request: _rounds(asked, request)),
        route("/api/openapi.json", lambda _: described),
        Route("/api/{rest:path}", endpoint(lambda each: refusal(each.url.path, "there is no such address", 404))),
    ]


def cursor(place: int, named: Named) -> str:
    """Return the cursor behind a place, the number of a change. named: the round with this number."""
    return urlsafe_b64encode(b"1.%d.%b" % (place, _digest(named))).rstrip(b"=").decode()


def _answered(request: Request, answer: Callable[[Request], bytes]) -> Response:
    """Return what a request gets: JSON, nothing new for an ETag that it has, or a problem."""
    path = request.url.path
    try:
        body = answer(request)
    except Refusal as error:
        return refusal(path, error.what, error.status)
    except (StoreError, ConfigError):  # its words name files and servers; the log of the page has them
        return refusal(path, "the store cannot be read now: see shoe-floor check", 503, BUSY)
    headers = {"etag": f'"{sha256(body).hexdigest()[:32]}"', "cache-control": "private, no-cache"}
    known = request.headers.get("if-none-match", "")
    if headers["etag"] in known or known.strip() == "*":
        return Response(b"", 304, headers)
    return Response(body, 200, headers, "application/json")


def _table(asked: Asked, request: Request) -> bytes:
    return _encoded(_known(_of(asked, _tables), request))


def _rounds(asked: Asked, request: Request) -> bytes:
    name, limit = request.path_params["name"], request.query_params.get("limit", str(USUAL))
    after = request.query_params.get("after", "")
    if not _LIMIT.fullmatch(limit) or int(limit) > MOST:
        raise Refusal(400, f"limit is 1 to {MOST}")
    most = int(limit)
    found = _of(asked, lambda reader: _read(reader, name, _place(reader, name, after), most))
    rounds, last = list(map(api_round, found[:most])), found[:most][-1:]
    if not last and not after:
        _known(_of(asked, _tables), request)
    following = cursor(last[0].place, _named(last[0])) if last else after or None
    return _encoded(ApiRounds(rounds, following, len(found) > most))


def _read(reader: Reader, table: str, place: int, most: int) -> list[RoundAt]:
    return reader.rounds_after(table, place, most + 1)


def _place(reader: Reader, table: str, after: str) -> int:
    """Return the place that a cursor stands for. Raises Refusal for one of another table, or of another store."""
    if not after:
        return 0
    try:
        found = _CURSOR.fullmatch(base64(after.translate(_URL_SAFE) + "=" * (-len(after) % 4)))
    except Undecodable:
        found = None
    if found is None:
        raise Refusal(400, "after is no cursor: pass `next` of an answer as it came")
    place = int(found[1])
    named = reader.named_at(place)
    if named and named[0] == table and _digest(named) == found[2]:
        return place
    if named is None and place <= reader.last_place():
        return place  # its round is expired, or was verified with other bytes since and stands further behind
    raise Refusal(410, "the cursor is of another table or another store: begin again without after")


def _tables(reader: Reader) -> list[ApiTable]:
    enrolled = {key.table for key in reader.record_keys() if key.was_enrolled}
    records = {each.table: ApiRecord(each.size, each.witnessed) for each in reader.records()}
    return [
        ApiTable(
            table=name,
            rounds=f"/api/tables/{quote(name, safe='')}/rounds",
            is_enrolled=name in enrolled,
            record=records.get(name),
            newest=api_round(newest) if newest else None,
        )
        for name, newest in reader.newest_rounds().items()
    ]


def _known(tables: list[ApiTable], request: Request) -> ApiTable:
    found = next((each for each in tables if each.table == request.path_params["name"]), None)
    if found is None:
        raise Refusal(404, "the store has no message of this table")
    return found


def _of(asked: Asked, question: Callable[[Reader], Any]) -> Any:
    """Return the answer of the store. Raises Refusal without one."""
    found = asked(question)
    if found is None:
        raise Refusal(503, "the page has no store: start shoe-floor ingest, and set [store] of floor.toml")
    return found


def _named(found: RoundAt) -> Named:
    return found.table, found.journal, found.seq, found.n


def _digest(named: Named) -> bytes:
    return sha256(repr(tuple(named)).encode()).hexdigest()[:16].encode()


_encoded: Final = msgspec.json.Encoder().encode
