"""The sections `[page]` and `[screen]` of `floor.toml`, and who may reach what they serve."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Annotated, Literal

from msgspec import Meta, Struct

from firmware_bridge.config.sections import TcpPort, Text
from firmware_bridge.config.toml_text import as_written
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.languages import Language

Streams = Annotated[int, Meta(ge=1, le=10_000)]

HeaderName = Annotated[
    str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9-]{0,63}\Z", description='the name of a header: "X-Remote-User"')
]


class PageSection(Struct, frozen=True, kw_only=True):
    """`[page]`: where `shoe-floor page` listens, and how people sign in.

    host: the address to listen at; 127.0.0.1 is for browsers of this machine and for a proxy on it.
    port: the port to listen at.
    socket: a Unix socket to listen at instead, for a proxy on this machine.
    names: host names that browsers may use, beside its addresses and `localhost`.
    sign_in: `off`: everybody on this machine sees all tables. Only with a host of this machine, and without names.
    users: the file of the people who may sign in (`shoe-floor user`).
    cert: the file of its certificate; setting it turns TLS on.
    key: the file of the key of that certificate.
    proxies: addresses of proxies; behind one, the last X-Forwarded-For is who asks.
    user_header: the header with the name of who signed in at the proxy; with socket or user_secret_file only.
    user_secret_file: the file with what the proxy sends in X-Page-Secret, so that no other program sets user_header.
    order_key_file: the file with the key that signs orders, named `page` in the tables' [[orders]]; else it gives none.
    pits: pit -> names of its tables, with `*` and `?`; a table of none of them is in the pit of its own [table] pit.
    streams: most browsers at a time.
    client_id: how its client ids begin; each run has its own, without a session.
    username, password_file: its own login at the broker; without it, that of `[mqtt]`.
    """

    host: Text = "127.0.0.1"
    port: TcpPort = 8080
    socket: Text | None = None
    names: tuple[Text, ...] = ()
    sign_in: Literal["on", "off"] = "on"
    users: Text = "/var/lib/shoe-floor/users.json"
    cert: Text | None = None
    key: Text | None = None
    proxies: tuple[Text, ...] = ()
    user_header: HeaderName | None = None
    user_secret_file: Text | None = None
    order_key_file: Text | None = None
    pits: dict[Text, tuple[Text, ...]] = {}
    streams: Streams = 200
    client_id: Text = "shoe-floor-page"
    username: Text | None = None
    password_file: Text | None = None


class ScreenSection(Struct, frozen=True, kw_only=True):
    """`[screen]`: what guest screens show, at `/screen/TABLE/SECRET` of the page.

    cards: guests see the cards of a round once it is over (`closed`), or as they lie after bets are closed (`live`).
    language: the language of a screen without `?lang=` in its address.
    streams: most screens at a time.
    of_one: most screens at a time of one address.
    secrets: the file with the secret of each table's screens (`shoe-floor screens`).
    address: what screens call the page by, for `shoe-floor screens`; without it, [page] names or where it listens.
    house: a folder with the logo and the colours of the house: `logo.svg` or `logo.png`, `colours.toml`.
    first_seat: the side of seat 1 as guests look at the table.
    """

    cards: Literal["closed", "live"] = "closed"
    language: Language = "en"
    streams: Streams = 200
    of_one: Streams = 4
    secrets: Text = "/var/lib/shoe-floor/screens.json"
    address: Text | None = None
    house: Text | None = None
    first_seat: Literal["left", "right"] = "left"


def of_the_page(page: PageSection) -> Iterator[str]:
    """Yield error messages for `[page]` as a whole."""
    if page.password_file and not page.username:
        yield "[page] password_file needs username: set both"
    if bool(page.cert) != bool(page.key):
        yield "[page] cert and key need each other: set both"
    local = page.socket is not None or is_loopback(page.host)
    if page.socket is not None and (page.cert or page.sign_in == "off" or not page.socket.startswith("/")):
        yield '[page] socket: write the full path, starting with /, without cert, and with sign_in = "on"'
    elif page.sign_in == "off" and (not local or page.names or page.proxies):
        yield '[page] sign_in = "off" is only for a host of this machine, without names and proxies: set "on"'
    if not local and not page.cert and not page.proxies:
        what = f"[page] host = {as_written(page.host)} is on a network, where passwords must not be read"
        yield f"{what}: set cert and key, or proxies with what has TLS before it (docs/page.md)"
    for each in page.proxies:
        if not _is_ip(each):
            yield f"[page] proxies: {as_written(each)} is no address: write one as 127.0.0.1"
    if page.user_header and not (page.socket or page.user_secret_file):
        yield "[page] user_header could be set by anybody: set socket or user_secret_file too"
    if page.user_secret_file and not page.user_header:
        yield "[page] user_secret_file needs user_header: set both"
    if page.order_key_file and page.sign_in == "off":
        yield '[page] order_key_file needs a sign-in, as each order has its person: set sign_in = "on"'
    if not page.users.startswith("/"):
        yield f"[page] users = {as_written(page.users)}: write the full path, starting with /"


def of_the_screens(screen: ScreenSection) -> Iterator[str]:
    """Yield error messages for `[screen]` as a whole."""
    if not screen.secrets.startswith("/"):
        yield f"[screen] secrets = {as_written(screen.secrets)}: write the full path, starting with /"
    if screen.house is not None and not screen.house.startswith("/"):
        yield f"[screen] house = {as_written(screen.house)}: write the full path, starting with /"
    if screen.address is not None and not re.fullmatch(r"https?://[^/?#\s]+", screen.address):
        yield f'[screen] address = {as_written(screen.address)}: write it as "http://screens.example"'


def base_of(page: PageSection, screen: ScreenSection) -> str:
    """Return what guests' screens call the page by, without slash at the end. Raises ConfigError if nothing says it."""
    if screen.address:
        return screen.address
    if page.socket and not page.names:
        hint = 'write it in [screen] address: "https://screens.example"'
        raise ConfigError("the page listens at [page] socket, and what screens call its proxy by is not known", hint)
    host = page.names[0] if page.names else page.host
    port = "" if page.names and not page.cert else f":{page.port}"
    return f"{'https' if page.cert else 'http'}://{f'[{host}]' if ':' in host else host}{port}"


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
