"""`shoe-floor metrics`: reads all tables, and answers Prometheus, until a signal stops it."""

import logging
import os
import signal
from asyncio import CancelledError
from collections.abc import Callable, Collection
from threading import Event, Thread
from time import time
from typing import Any, Final

from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from firmware_bridge.config.doors import METRICS, SCRAPES
from firmware_bridge.config.systemd import Systemd
from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.config import FloorConfig, password
from firmware_bridge.floor.listed import Listed
from firmware_bridge.floor.metrics.exporter import Exporter, stored, wanted
from firmware_bridge.floor.metrics.tables import TOPICS, Tables
from firmware_bridge.floor.serving import (
    HERE,
    Connection,
    CountedLog,
    Listener,
    Rate,
    block,
    host_name,
    is_address,
    listening,
    server,
)
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.floor.verified.quorum import fed

log = logging.getLogger(__name__)

PATH: Final = "/metrics"

BATCH: Final = 500
"""Most messages between two beats of the watchdog."""

WAIT_S: Final = 0.5


def run(config: FloorConfig) -> int:
    """Export until SIGTERM or SIGINT; return 0. Raises PortTaken, ConfigError."""
    stop, systemd = Event(), Systemd()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    store = Asked(config)
    mqtt = replace(config.mqtt, client_id=f"shoe-floor-metrics-{os.urandom(4).hex()}")
    source = MqttSource(mqtt, password(mqtt), [f"{mqtt.root}/+/{name}" for name in TOPICS], BATCH, clean=True)
    witnesses = [each.key for each in fed(config)]
    receivers = [each.name for each in config.forward]
    listed = Listed(config.tables)
    exporter = Exporter(
        Tables(mqtt.root, listed=listed), lambda: store(lambda reader: stored(reader, witnesses, time(), receivers))
    )
    if config.tables:
        exporter.ask()
    server = Server(config.metrics.host, config.metrics.port, exporter.text, config.metrics.names)
    server.start()
    where = f"http://{config.metrics.host}:{server.port}{PATH}"
    log.info("metrics of all tables at %s", where)
    systemd.notify("READY=1", f"STATUS=metrics at {where}")
    try:
        while not stop.is_set():
            exporter.handle(source.receive(BATCH, WAIT_S))
            if listed.heard():
                source.drop()  # what is retained comes again
            exporter.connected = source.is_up
            systemd.notify("WATCHDOG=1")
    finally:
        systemd.notify("STOPPING=1")
        server.close()
        source.close()
    return 0


class PortTaken(BridgeError, OSError):
    """The address of the metrics cannot be listened at."""


class Scrape(Connection):
    """A connection for one request, closed after `most_s` so that it never blocks others for long."""

    door = METRICS
    most_s = 30.0
    """Longest time in all."""

    def connection_made(self, transport: Any) -> None:
        """Start the timer."""
        super().connection_made(transport)
        self._last = self.loop.call_later(self.most_s, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._last.cancel()
        super().connection_lost(exc)


class Server:
    """Answers GET /metrics at an address, from `start` to `close`. Raises PortTaken.

    page: makes the text for a content type. names: host names that may be asked for, beside addresses and `localhost`.
    """

    def __init__(self, host: str, port: int, page: Callable[[str], str], names: Collection[str] = ()) -> None:
        asking, rate, refused = 0, Rate(METRICS.a_minute / 60), CountedLog(log, "requests were refused")
        ours = {name.lower() for name in (host, *names)} | {"localhost"}

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal asking
            response = _refusal(scope, ours)
            peer = scope["client"][0] if scope.get("client") else ""
            if response is None and peer not in HERE and not rate.takes(peer):
                refused.add(f"{block(peer)}: too many in a minute")
                response = _response("too many requests in a minute\n", 429)
            if response is None and asking >= SCRAPES:
                refused.add(f"{block(peer)}: too many at a time")
                response = _response("too many requests at a time\n", 503)
            if response is not None:
                await response(scope, receive, send)
                return
            asking += 1
            try:
                try:
                    response = await run_in_threadpool(_answer, Request(scope), page)
                except CancelledError:  # the server stops before the store answered
                    response = _response("the exporter is stopping\n", 503)
                await response(scope, receive, send)
            finally:
                asking -= 1

        try:
            self._socket = Listener(listening(host, port), METRICS.of_one, METRICS.of_all)
        except OSError as error:
            what = f"[metrics] cannot listen at {host}:{port} ({error.strerror or error})"
            raise PortTaken(what, "set another port, or an address of this machine, in floor.toml") from None
        self._server = server(app, METRICS.of_all, Scrape, lifespan="off")
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    @property
    def port(self) -> int:
        """The port it listens at."""
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Start answering in a background thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop answering."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


def _refusal(scope: Scope, names: Collection[str]) -> Response | None:
    """Return the refusal of a request under another name than ours: another site's script must not read the metrics."""
    host = Headers(scope=scope).get("host", "")
    if host_name(host) in names or is_address(host_name(host)):
        return None
    return _response("unknown host name: add it to [metrics] names of floor.toml\n", 421)


def _answer(request: Request, page: Callable[[str], str]) -> Response:
    if request.method not in ("GET", "HEAD"):
        return _response("only GET\n", 405, allow="GET, HEAD")
    if request.url.path != PATH:
        return _response(f"the metrics are at {PATH}\n", 404)
    kind = wanted(",".join(request.headers.getlist("accept")))
    try:
        return _response(page(kind), 200, kind)
    except Exception:
        log.info("a request was not answered", exc_info=True)
        return _response("the metrics are not available now\n", 500)


def _response(body: str, status: int, kind: str = "text/plain; charset=utf-8", **more: str) -> Response:
    headers = {"content-type": kind, "connection": "close", "x-content-type-options": "nosniff"}
    return Response(body, status, headers | more)
