"""Asks witnesses over HTTP, in threads: what to ask, and what an answer means, `Feeder` and `compare` say."""

import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from http.client import BadStatusLine, CannotSendRequest, HTTPConnection, HTTPException, HTTPSConnection
from threading import local
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from firmware_bridge.floor.verified.compare import Comparison, compare
from firmware_bridge.floor.verified.feeder import Feeder, Outcome, Post, Reply, Split
from firmware_bridge.floor.verified.proofs import Leaves
from firmware_bridge.floor.witness.request import PATH
from firmware_bridge.mqtt.settings import trusting
from firmware_bridge.record.verify import Key

ANSWER_S: Final = 10.0
"""Longest wait for an answer, or for each part of it."""

AT_ONCE: Final = 4
"""Requests to a witness at a time."""

LONGEST: Final = 65_536
"""Most bytes of an answer."""


class Fed(NamedTuple):
    """A witness that is asked. url: the prefix of /add-checkpoint, without a slash at its end."""

    key: Key
    url: str


class Client:
    """Asks witnesses, each in threads of its own, so that none waits for another; until `close`."""

    def __init__(self, witnesses: Sequence[Fed], answer_s: float = ANSWER_S) -> None:
        self._urls = {each.key.vkey: urlsplit(each.url.rstrip("/")) for each in witnesses}
        self._answer_s = answer_s
        self._pools = {vkey: ThreadPoolExecutor(AT_ONCE, "witness") for vkey in self._urls}
        self._context: ssl.SSLContext | None = None
        self._own = local()
        self._open = set[HTTPConnection]()
        self._is_closed = False

    def post(self, post: Post) -> Future[Reply]:
        """Send a request for a cosignature."""
        return self._pools[post.witness].submit(self._ask, post.witness, "POST", PATH, post.body)

    def newest(self, witness: Key, origin: str) -> Future[Reply]:
        """Ask a witness for its newest note of a log."""
        path = f"/{sha256(origin.encode()).hexdigest()}/checkpoint"
        return self._pools[witness.vkey].submit(self._ask, witness.vkey, "GET", path, None)

    def close(self) -> None:
        """Ask nothing more; what is asked now gets no answer."""
        self._is_closed = True
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        for connection in tuple(self._open):
            connection.close()

    def _ask(self, witness: str, method: str, path: str, body: bytes | None) -> Reply:
        """Return an answer; status 0 where none came. A connection is used again, and made again where closed."""
        try:
            if kept := getattr(self._own, "connection", None):
                try:
                    return self._over(kept, witness, method, path, body)
                except (ConnectionError, BadStatusLine, CannotSendRequest):  # closed between two requests
                    self._drop()
            self._own.connection = self._connection(witness)
            self._open.add(self._own.connection)
            return self._over(self._own.connection, witness, method, path, body)
        except (OSError, HTTPException, ValueError) as error:
            self._drop()
            return Reply(0, (str(error) or type(error).__name__).encode())
        finally:
            if self._is_closed:
                self._drop()

    def _drop(self) -> None:
        """Close this thread's connection."""
        if made := getattr(self._own, "connection", None):
            made.close()
            self._open.discard(made)
        self._own.connection = None

    def _connection(self, witness: str) -> HTTPConnection:
        url = self._urls[witness]
        if url.scheme == "http":
            return HTTPConnection(url.hostname or "", url.port, timeout=self._answer_s)
        if self._context is None:
            self._context = trusting(None)
        return HTTPSConnection(url.hostname or "", url.port, timeout=self._answer_s, context=self._context)

    def _over(self, connection: HTTPConnection, witness: str, method: str, path: str, body: bytes | None) -> Reply:
        headers = {"content-type": "text/plain; charset=utf-8"} if body else {}
        connection.request(method, self._urls[witness].path + path, body, headers)
        answer = connection.getresponse()
        found = answer.read(LONGEST + 1)
        if len(found) > LONGEST:
            connection.close()
            return Reply(0, b"its answer is too long")
        return Reply(answer.status, found)


class Feeding:
    """A feeder with its client: `turn` is called a few times a second by the thread that owns the store.

    keys: the keys of a log. Times are seconds of any one monotonic clock.
    """

    def __init__(
        self,
        feeder: Feeder,
        client: Client,
        witnesses: Sequence[Fed],
        leaves: Leaves,
        keys: Callable[[str], Iterable[Key]],
        compare_s: float = 600.0,
    ) -> None:
        self.feeder = feeder
        self.comparisons: dict[str, Comparison] = {}
        self._client, self._witnesses, self._leaves, self._keys = client, witnesses, leaves, keys
        self._compare_s = compare_s
        self._posted: list[tuple[Post, Future[Reply]]] = []
        self._asked: dict[str, dict[Key, Future[Reply]]] = {}
        self._compare_at: dict[str, float] = {}
        self._found: set[tuple[str, str]] = set()

    def turn(self, now: float) -> list[Outcome]:
        """Return what was answered since the last turn, without the requests, which are on their way."""
        made: list[Outcome] = []
        posted, self._posted = self._posted, []
        for post, future in posted:
            if future.done():  # asked once: it may be done a moment later
                made += self.feeder.answered(post, future.result(), now)
            else:
                self._posted.append((post, future))
        made += self.feeder.due(now)
        for each in made:
            if isinstance(each, Post):
                self._posted.append((each, self._client.post(each)))
            elif isinstance(each, Split):  # the witness's own note is evidence too
                self._compare_at[each.origin] = now
        return [*(each for each in made if not isinstance(each, Post)), *self._compare(now)]

    def close(self) -> None:
        """Stop; what is on its way is not waited for."""
        self._client.close()

    def _compare(self, now: float) -> list[Outcome]:
        """Return the splits that comparisons found, each once."""
        for origin in self.feeder.origins:
            if origin not in self._asked and now >= self._compare_at.setdefault(origin, now + self._compare_s):
                self._compare_at[origin] = now + self._compare_s
                self._asked[origin] = asked(self._client, self._witnesses, origin)
        fresh: list[Outcome] = []
        for origin, futures in list(self._asked.items()):
            if not all(each.done() for each in futures.values()):
                continue
            del self._asked[origin]
            found = self._judged(origin, {key: each.result() for key, each in futures.items()})
            fresh += [each for each in found.differs if (origin, each.text) not in self._found]
            self._found |= {(origin, each.text) for each in found.differs}
            self.comparisons[origin] = found
        return fresh

    def _judged(self, origin: str, replies: Mapping[Key, Reply]) -> Comparison:
        sizes = {view.witness: view.size for view in self.feeder.views(origin)}
        own = {each.key: sizes[each.key.vkey] for each in self._witnesses}
        return compare(origin, self._keys(origin), replies, own, self._leaves, self.feeder.proofs)


def asked(client: Client, witnesses: Iterable[Fed], origin: str) -> dict[Key, Future[Reply]]:
    """Return the newest note of a log, asked of every witness."""
    return {each.key: client.newest(each.key, origin) for each in witnesses}
