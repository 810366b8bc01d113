"""Who is signed in to the page, for how long, and how often somebody may try."""

import logging
import secrets
from collections.abc import Callable
from hashlib import sha256
from hmac import compare_digest
from hmac import new as hmac
from time import monotonic
from typing import Final, NamedTuple

from firmware_bridge.config.doors import TRIES
from firmware_bridge.floor.page.people import People, Person, Role

log = logging.getLogger(__name__)

LOOK_S: Final = 12 * 3600.0
"""How long a session may look, from signing in."""

ACT_S: Final = 15 * 60.0
"""How long without a request a session may act; then it may look, until its person signs in again."""

MOST: Final = 1_000
"""Most sessions; the oldest ends for a new one."""

OF_ONE: Final = 20
"""Most sessions of one person; his oldest ends for a new one."""

TRIES_S: Final = 60.0
"""Time in which each has `TRIES` to sign in."""

TRIED: Final = 10_000
"""Most names and addresses with tries in the last minute; beyond, all others wait."""


class Visitor(NamedTuple):
    """The sender of a request. name: "" if unknown. key: of his session, b"" without one."""

    name: str = ""
    role: Role | None = None
    key: bytes = b""

    @property
    def may_look(self) -> bool:
        """Whether he may see all tables."""
        return self.role is not None

    @property
    def may_act(self) -> bool:
        """Whether he may send orders now."""
        return self.role == "act"


STRANGER: Final = Visitor()


class _Session(NamedTuple):
    person: str
    began: float
    heard: float


class Sessions:
    """All sessions, in memory: after a start of the page everybody signs in again. clock: seconds, monotonic."""

    def __init__(self, people: People, clock: Callable[[], float] = monotonic) -> None:
        self._people, self._clock = people, clock
        self._sessions: dict[bytes, _Session] = {}

    def begin(self, person: str) -> str:
        """Begin a session of a person; return its token, which is kept nowhere here."""
        now = self._clock()
        self._forget(now)
        mine = [key for key, each in self._sessions.items() if each.person == person]
        for key in mine[: len(mine) - OF_ONE + 1] if len(mine) >= OF_ONE else ():
            del self._sessions[key]
        if len(self._sessions) >= MOST:
            del self._sessions[next(iter(self._sessions))]
        token = secrets.token_urlsafe(32)
        self._sessions[_key(token)] = _Session(person, now, now)
        return token

    def visitor(self, token: str, *, is_activity: bool) -> Visitor:
        """Return the person of a session, with his present role. is_activity: whether the request keeps his role."""
        key = _key(token)
        found = self._sessions.get(key)
        if found is None:
            return STRANGER
        now, person = self._clock(), self._people[found.person]
        if person is None or now - found.began >= LOOK_S:
            del self._sessions[key]
            return STRANGER
        acts = person.role == "act" and now - found.heard < ACT_S
        if is_activity and acts:
            self._sessions[key] = found._replace(heard=now)
        return Visitor(person.name, "act" if acts else "look", key)

    def now(self, visitor: Visitor) -> Visitor:
        """Return a visitor with the role that he has by now, where that does not count as a request of his."""
        found, person = self._sessions.get(visitor.key), self._people[visitor.name]
        if not visitor.key or found is None or person is None:
            return visitor
        acts = person.role == "act" and self._clock() - found.heard < ACT_S
        return visitor._replace(role="act" if acts else "look")

    def is_there(self, visitor: Visitor) -> bool:
        """Return whether the session of a visitor still goes on; always true for one without a session."""
        found = self._sessions.get(visitor.key)
        if not visitor.key:
            return True
        return found is not None and self._clock() - found.began < LOOK_S and self._people[found.person] is not None

    def end(self, visitor: Visitor) -> None:
        """End a session, at once."""
        self._sessions.pop(visitor.key, None)

    def _forget(self, now: float) -> None:
        for key in [key for key, each in self._sessions.items() if now - each.began >= LOOK_S]:
            del self._sessions[key]


class Tries:
    """Tries to sign in, by name and by address, whether they fail or not, for a minute. clock: seconds, monotonic."""

    def __init__(self, clock: Callable[[], float] = monotonic, most: int = TRIES) -> None:
        """most: tries of each owner within `TRIES_S`."""
        self._clock, self._most = clock, most
        self._tries: dict[str, tuple[float, ...]] = {}  # the one whose last try is the oldest first

    def allow(self, *owners: str) -> bool:
        """Count a try; return whether it is one of few. One that is refused is not counted."""
        now, known = self._clock(), [each[:200] for each in owners]
        while self._tries and now - self._tries[oldest := next(iter(self._tries))][-1] >= TRIES_S:
            del self._tries[oldest]
        recent = {each: [at for at in self._tries.get(each, ()) if now - at < TRIES_S] for each in known}
        is_full = len(self._tries) >= TRIED and not recent.keys() <= self._tries.keys()
        if is_full or any(len(each) >= self._most for each in recent.values()):
            return False
        for each, tries in recent.items():
            self._tries.pop(each, None)
            self._tries[each] = (*tries, now)
        return True

    def forget(self, *owners: str) -> None:
        """Forget the tries of one who has signed in."""
        for each in owners:
            self._tries.pop(each[:200], None)


class Browsers:
    """Knows the browsers in which a person has signed in, so that tries elsewhere do not count there.

    Each has a mark of its own, made with what is kept of the password: it outlives a start of the page, and ends with
    the password. Nothing is kept here.
    """

    def mark(self, person: Person) -> str:
        """Return a new mark of a browser."""
        made = secrets.token_urlsafe(16)
        return f"{made}.{self._proof(person, made)}"

    def is_known(self, person: Person | None, mark: str) -> bool:
        """Return whether it is a mark of this person's."""
        if person is None or not person.hashed:
            return False
        made, _, proof = mark.partition(".")
        return compare_digest(proof.encode(), self._proof(person, made).encode())

    def _proof(self, person: Person, made: str) -> str:
        return hmac(person.hashed, b"browser " + made.encode("utf-8", "surrogatepass"), sha256).hexdigest()


def _key(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
