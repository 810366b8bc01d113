"""Serves a witness over HTTP until a signal stops it."""

import asyncio
import logging
import signal
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any, Final

from firmware_bridge.config.systemd import Systemd
from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.serving import Connection, listening, server
from firmware_bridge.floor.witness import keys
from firmware_bridge.floor.witness.config import WitnessConfig, WitnessSection, need_logs
from firmware_bridge.floor.witness.keeper import Keeper, KeeperError
from firmware_bridge.floor.witness.request import PATH
from firmware_bridge.floor.witness.witness import Answer, Witness

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

AT_ONCE: Final = 100
"""Most requests at a time; others get a 503."""

BODY_S: Final = 10.0
"""Longest time for the body of a request."""

ADDRESSES: Final = 10_000
"""Most addresses with counted requests; the one that asked longest ago is forgotten first."""

BURST_S: Final = 5
"""Seconds of the rate that may come at once: a floor sends all its tables in turn."""


class PortTaken(BridgeError, OSError):
    """The address of the witness cannot be listened at."""


class Rate:
    """Counts requests of each address. rate: a second, on average; `BURST_S` times as many at once."""

    def __init__(self, rate: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def takes(self, address: str) -> bool:
        """Whether one more request of an address is within the rate."""
        now, most = self._clock(), float(self._rate * BURST_S)
        left, at = self._left.pop(address, (most, now))
        left = min(most, left + (now - at) * self._rate)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


class App:
    """The ASGI app of a witness. ready: called once it answers."""

    def __init__(self, witness: Witness, section: WitnessSection, ready: Callable[[], None] = lambda: None) -> None:
        self._witness, self._body, self._ready = witness, section.body, ready
        self._rate = Rate(section.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        answer = await self._answer(scope, receive)
        if answer is None:
            return
        headers = [(b"content-type", answer.kind.encode()), (b"x-content-type-options", b"nosniff")]
        headers += [(b"cache-control", b"no-store"), (b"content-length", b"%d" % len(answer.body.encode()))]
        headers += [(b"retry-after", b"5")] if answer.status in (429, 503) else []
        headers += [(b"connection", b"close")] if answer.status in (408, 413) else []
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        body = b"" if scope["method"] == "HEAD" else answer.body.encode()
        await send({"type": "http.response.body", "body": body})

    async def _answer(self, scope: Scope, receive: Receive) -> Answer | None:
        """The answer to a request; None where the other side went away."""
        if not self._rate.takes((scope.get("client") or ("",))[0]):
            return Answer(429, "too many requests\n")
        path, method = scope["path"], scope["method"]
        try:
            if path == PATH:
                if method != "POST":
                    return Answer(405, f"POST to {PATH}\n")
                body = await asyncio.wait_for(read(receive, self._body), BODY_S)
                return body if not isinstance(body, bytes) else await self._run(self._witness.add_checkpoint, body)
            hashed, _, rest = path.removeprefix("/").partition("/")
            if rest == "checkpoint":
                if method not in ("GET", "HEAD"):
                    return Answer(405, "only GET\n")
                return await self._run(self._witness.newest, hashed)
        except TimeoutError:
            return Answer(408, "the request did not come in time\n")
        except KeeperError as error:
            log.error("%s", error)
            return Answer(503, "the witness cannot write its file now\n")
        return Answer(404, f"there is POST {PATH} and GET /SHA256-OF-ORIGIN/checkpoint\n")

    async def _run(self, ask: Callable[[Any], Answer], what: object) -> Answer:
        """An answer from a thread: the disk is waited for there."""
        return await asyncio.get_running_loop().run_in_executor(None, ask, what)

    async def _live(self, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "lifespan.startup":
            self._ready()
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})


async def read(receive: Receive, most: int) -> bytes | Answer | None:
    """The body of a request; an answer where it is too long, None where the other side went away."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > most:
            return Answer(413, f"a request has at most {most} bytes\n")
        if not message.get("more_body"):
            return bytes(body)


def run(config: WitnessConfig) -> int:
    """Witness until SIGTERM or SIGINT; returns 0. Raises ConfigError, KeeperError, PortTaken."""
    need_logs(config)
    section, systemd = config.witness, Systemd()
    signs = keys.load(section.name, keys.key_file(section.key_file))
    keeper = Keeper(Path(section.path))

    def ready() -> None:
        log.info("witness %s of %d logs at %s", signs.key.vkey, len(config.log), where)
        systemd.notify("READY=1", f"STATUS=witness {signs.key.name} of {len(config.log)} logs at {where}")

    if kept := keeper.evidence():
        log.critical("ALARM: %d refused checkpoints are kept as evidence: shoe-floor witness evidence", len(kept))
    more: dict[str, Any] = {"lifespan": "on"}
    if section.tls_cert:
        more |= {"ssl_certfile": section.tls_cert, "ssl_keyfile": section.tls_key}
    web = server(App(Witness(signs, config.log_keys, keeper), section, ready), AT_ONCE + 1, Connection, **more)
    listener = _listener(section)
    where = "{}:{}".format(*listener.getsockname()[:2])
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # uvicorn raises it again once it has stopped
    try:
        web.run(sockets=[listener])
    finally:
        systemd.notify("STOPPING=1")
        listener.close()
        keeper.close()
    return 0


def _listener(section: WitnessSection) -> socket.socket:
    host, port = section.address
    try:
        return listening(host, port)
    except OSError as error:
        what = f"[witness] cannot listen at {section.listen} ({error.strerror or error})"
        raise PortTaken(what, "set another port, or an address of this machine, in witness.toml") from None
