"""`shoe-floor page`: serves the page until a signal stops it."""

import logging
import os
import signal
import socket
from pathlib import Path
from typing import Any, Final

from firmware_bridge.config.read_section import read_password
from firmware_bridge.config.systemd import Systemd
from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.config import FloorConfig, secret
from firmware_bridge.floor.page.app import app
from firmware_bridge.floor.page.doors import connections
from firmware_bridge.floor.page.feed import feed
from firmware_bridge.floor.page.orders import page_orders
from firmware_bridge.floor.page.people import People
from firmware_bridge.floor.page_config import PageSection
from firmware_bridge.floor.serving import Listener, listening, server
from firmware_bridge.floor.store.open import Asked

log = logging.getLogger(__name__)


UNIX_HINT: Final = "check [page] socket of floor.toml, and that its folder is there and ours (docs/page.md)"


class PageError(BridgeError, OSError):
    """The page cannot be served."""


def run(config: FloorConfig) -> int:
    """Serve until SIGTERM or SIGINT; return 0, or 1 after the feed failed.

    Raises ConfigError, and PageError if the address cannot be listened at.
    """
    page, systemd = config.page, Systemd()

    def ready() -> None:
        print(f"the page is at {address}", flush=True)
        systemd.notify("READY=1", f"STATUS=serves {address}")

    if page.sign_in == "on" and not page.user_header and not People(Path(page.users)).all():
        log.warning("nobody may sign in yet: add the first one with shoe-floor user add NAME --role act")
    shown = user_secret(page)
    tls: dict[str, Any] = (
        {"ssl_certfile": page.cert, "ssl_keyfile": str(secret(page.key))} if page.cert and page.key else {}
    )
    read = feed(config)
    served = app(read, page, ready, config.screen, shown, page_orders(page, read, config.mqtt.root), Asked(config))
    served.state.server = web = server(served, None, **tls)
    of_one, most = connections(page, config.screen)
    # Behind all that a config can be refused for: who connects to a page that does not start is refused at once.
    listener = Listener(_listener(page), of_one, most, page.proxies)
    address = page.socket or _address("https" if page.cert else "http", *listener.getsockname()[:2])
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _again)
    try:
        web.run(sockets=[listener])
    finally:
        systemd.notify("STOPPING=1")
        listener.close()
        if page.socket:
            Path(page.socket).unlink(missing_ok=True)
    return 1 if served.state.feed.failed else 0


def _again(number: int, frame: object) -> None:
    """Ignore the signal that uvicorn raises again after it has stopped."""


def _listener(page: PageSection) -> socket.socket:
    if page.socket:
        return _unix_listener(Path(page.socket))
    try:
        return listening(page.host, page.port)
    except OSError as error:
        what = f"cannot listen at {page.host}, port {page.port}: {error.strerror}"
        raise PageError(
            what, "check [page] host and port of floor.toml, or stop the program that uses the port"
        ) from None


def _unix_listener(path: Path) -> socket.socket:
    """Return a Unix socket for its owner and the group of its folder. One without a listener is replaced."""
    listener = socket.socket(socket.AF_UNIX)
    try:
        if path.is_socket():
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(str(path)) == 0:
                    raise PageError(f"another program listens at {path}", "stop it, or check [page] socket")
            path.unlink()
        before = os.umask(0o117)
        try:
            listener.bind(str(path))
        finally:
            os.umask(before)
        listener.listen(256)
    except OSError as error:
        listener.close()
        if isinstance(error, PageError):
            raise
        raise PageError(f"cannot listen at {path}: {error.strerror or error}", UNIX_HINT) from None
    return listener


def user_secret(page: PageSection) -> bytes | None:
    """Return what a proxy shows to set `user_header`; None without it. Raises ConfigError."""
    return (
        read_password("page", page.user_secret_file, secret(page.user_secret_file)) if page.user_secret_file else None
    )


def _address(scheme: str, host: str, port: int) -> str:
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"
