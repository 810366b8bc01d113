"""Serves a witness over HTTP until a signal stops it."""

import asyncio
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from firmware_bridge.config.doors import BODY_S, WITNESS
from firmware_bridge.config.systemd import Systemd
from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.serving import Connection, CountedLog, Listener, Rate, block, listening, server
from firmware_bridge.floor.witness import keys
from firmware_bridge.floor.witness.config import WitnessConfig, WitnessSection, need_logs
from firmware_bridge.floor.witness.keeper import Keeper, KeeperError
from firmware_bridge.floor.witness.request import PATH
from firmware_bridge.floor.witness.witness import Answer, Witness

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class PortTaken(BridgeError, OSError):
    """The address of the witness cannot be listened at."""


class Asking(Connection):
    """A connection of who asks a witness."""

    door = WITNESS


class App:
    """The ASGI app of a witness. ready: called once it answers."""

    def __init__(self, witness: Witness, section: WitnessSection, ready: Callable[[], None] = lambda: None) -> None:
        self._witness, self._body, self._ready = witness, section.body, ready
        self._rate, self._refused = Rate(section.rate), CountedLog(log, "requests were refused")

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
        """Return the answer to a request; None where the other side went away."""
        peer = (scope.get("client") or ("",))[0]
        if not self._rate.takes(peer):
            self._refused.add(f"{block(peer)}: too many in a minute")
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
        """Return an answer from a thread: the disk is waited for there."""
        return await asyncio.get_running_loop().run_in_executor(None, ask, what)

    async def _live(self, receive: Receive, send: Send) -> None:
        while (await receive())["type"] == "lifespan.startup":
            self._ready()
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})


async def read(receive: Receive, most: int) -> bytes | Answer | None:
    """Return the body of a request; an answer where it is too long, None where the other side went away."""
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
    """Witness until SIGTERM or SIGINT; return 0. Raises ConfigError, KeeperError, PortTaken."""
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
    web = server(App(Witness(signs, config.log_keys, keeper), section, ready), WITNESS.of_all + 1, Asking, **more)
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
        return Listener(listening(host, port), WITNESS.of_one, WITNESS.of_all)
    except OSError as error:
        what = f"[witness] cannot listen at {section.listen} ({error.strerror or error})"
        raise PortTaken(what, "set another port, or an address of this machine, in witness.toml") from None
