"""Types of plain values in messages: their bounds, and which ones name a person."""

from typing import Annotated, Final

from msgspec import Meta

MOST: Final = 2**53
"""The largest integer that every reader of JSON keeps exact."""

Number = Annotated[int, Meta(ge=0, le=MOST)]
Measured = Annotated[float, Meta(ge=-1e6, le=1e6)]
Line = Annotated[str, Meta(max_length=200)]
Lines = Annotated[tuple[Line, ...], Meta(max_length=100)]

PERSON: Final = "person"
PersonText = Annotated[str, Meta(extra={"of": PERSON}, extra_json_schema={"x-of": PERSON})]
"""The name of a person as it is on record: a store with pseudonyms replaces it in every struct."""
