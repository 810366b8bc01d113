"""What a request gets that is refused: a line of text, below `/api/` a problem (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import msgspec
from msgspec import Struct
from starlette.responses import PlainTextResponse, Response

API: Final = "/api/"
"""How the addresses for programs begin."""


class Problem(Struct, frozen=True):
    """Why a request was refused."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"


def refusal(path: str, words: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """Return the answer to a request that is refused. words: why, in a line."""
    if path.startswith(API):
        made = msgspec.json.encode(Problem(HTTPStatus(status).phrase, status, words))
        return Response(made, status, dict(headers or {}), "application/problem+json")
    return PlainTextResponse(f"{words}\n", status, dict(headers or {}))
