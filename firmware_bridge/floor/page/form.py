"""Reads the fields of a form that a browser sent."""

import asyncio
from contextlib import suppress
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request

LARGEST: Final = 8_192
"""Most bytes of a form."""

FORM_S: Final = 10.0
"""Longest time for a form to come."""


async def fields_of(request: Request) -> dict[str, str] | None:
    """The fields of a form; None for one that is too long, too slow or none."""
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return None
    body = b""
    with suppress(TimeoutError, ValueError):
        async with asyncio.timeout(FORM_S):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST:
                    return None
            return dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=10))
    return None
