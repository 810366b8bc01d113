"""The most that each door takes: what listens, for whom, and how much of it at a time."""

from typing import Final, NamedTuple


class Door(NamedTuple):
    """What listens, and the most that it takes.

    of_one: connections of one login, at HTTP of one address. of_all: connections; at HTTP, for one more the oldest is
    ended of the address that has most. longest: bytes of a request that is not complete, without the body at HTTP.
    first_s: seconds until the first request is complete. unread_s: seconds that an answer waits to be read, once the
    buffers are full. a_minute: answers of a socket to what is no order; at HTTP requests of an address, 0 for any
    number.
    """

    of_one: int
    of_all: int
    longest: int
    first_s: float
    unread_s: float
    a_minute: int = 0


class Requests(NamedTuple):
    """Most requests at a time of those who ask for the same kind of page.

    streams: of one person, without a login of one address; 0 where the config says it. of_one: his others. of_all:
    others of all.
    """

    streams: int
    of_one: int
    of_all: int = 100


SOCKET: Final = Door(of_one=8, of_all=32, longest=8_192, first_s=30.0, unread_s=10.0, a_minute=3_000)
"""The control socket, and each role's."""

PAGE: Final = Door(of_one=64, of_all=200, longest=16_384, first_s=15.0, unread_s=40.0)
"""The page: beside the streams of its config. Its streams wait 30 s by themselves."""

WITNESS: Final = Door(of_one=32, of_all=100, longest=16_384, first_s=15.0, unread_s=10.0)
"""A witness; its config says how many requests an address has."""

METRICS: Final = Door(of_one=4, of_all=82, longest=16_384, first_s=5.0, unread_s=10.0, a_minute=120)
"""The metrics: a connection is for one request."""

UNASKED: Final = 50
"""Most connections without a request, beside fresh ones; the oldest are closed of the address that has most."""

GUESTS: Final = Requests(streams=0, of_one=12)
STRANGERS: Final = Requests(streams=0, of_one=12)
PEOPLE: Final = Requests(streams=12, of_one=24)
DEALERS: Final = Requests(streams=12, of_one=24)
"""Guests' screens; who has not signed in, a browser has six connections; who has; dealers' screens."""

KEPT: Final = 10
"""One place in so many is kept for people who may act."""

FORM, FORM_S = 8_192, 10.0
"""Most bytes of a form, and seconds for it to come."""

BODY_S: Final = 10.0
"""Seconds for the body of a request to a witness; its config says how many bytes."""

SCRAPES: Final = 8
"""Most requests for metrics that are answered at a time."""

ACTS: Final = 30
"""Most acts of a person at alarms in a minute."""

WAITING_ORDERS: Final = 10
"""Most orders of a person that wait for a second one."""

GARBAGE: Final = 256
"""Ended connections after which all garbage is collected: a transport of asyncio is a cycle; a flood leaves 30 MB."""

TRIES: Final = 5
"""Most tries to sign in, of a name and of an address, within a minute; of a known browser on its own."""

WAITING: Final = 8
"""Most passwords that wait to be tried, each a quarter of a second; those of known browsers on their own."""
