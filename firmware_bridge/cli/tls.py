"""`shoe tls`: takes the authority of a small house's broker, known by its code."""

import argparse
import json
import re
import socket
import ssl
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli.daemon_socket import config_option
from firmware_bridge.config.whole_file import make_public, write_whole
from firmware_bridge.facts.decoding import Undecodable, text_in, toml
from firmware_bridge.mqtt.certificates import ASK_S, TlsError, code_of, shown_at
from firmware_bridge.mqtt.errors import BrokerErrors
from firmware_bridge.mqtt.settings import BrokerSettings, tls_context
from firmware_bridge.topics.texts.refusals import english

CA: Final = Path("/etc/firmware-bridge/tls/ca.pem")
"""Where the authority's certificate is kept."""

_HEADER: Final = re.compile(r"\s*\[")
_MQTT: Final = re.compile(r"\s*\[\s*mqtt\s*\]\s*(#.*)?$")


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe tls`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    text = "trust the broker whose authority has this code, and write it into the configuration"
    join = actions.add_parser("join", help=text, description=text)
    join.add_argument("host", metavar="HOST", help="name or address of the broker")
    join.add_argument("code", metavar="CODE", help="what shoe-floor tls new printed: 16 letters and digits")
    join.add_argument("--port", type=int, default=8883, metavar="N", help="(default: 8883)")
    join.add_argument("--ca", type=Path, default=CA, metavar="FILE", help=f"where to keep it (default: {CA})")
    config_option(join)


def run(arguments: argparse.Namespace) -> int:
    """Fetch, compare, try, and only then write. Raises TlsError."""
    host, port = arguments.host, arguments.port
    authority = _authority(host, port, _code(arguments.code))
    try:
        make_public(arguments.ca.parent)
        fresh = arguments.ca.with_name(f".{arguments.ca.name}.try")
        write_whole(fresh, authority)
        try:
            _try(host, port, fresh)
        finally:
            fresh.unlink(missing_ok=True)
        keys = {"host": host, "port": port, "ca": str(arguments.ca)}
        text = with_keys(text_in(arguments.config), keys)
        write_whole(arguments.ca, authority)
        arguments.ca.chmod(0o644)
        write_whole(arguments.config, text)
    except OSError as error:
        raise TlsError(f"{error.filename or arguments.ca}: {error.strerror}", "put sudo before the command") from None
    print(f"{host}:{port} is trusted: {arguments.ca}, and [mqtt] host, port, ca in {arguments.config}")
    print("between shoes: sudo systemctl restart firmware-bridge && sudo shoe check")
    return 0


def _code(given: str) -> str:
    """Return a code as `code_of` writes it. Raises TlsError."""
    code = re.sub(r"[\s-]", "", given).upper()
    if not re.fullmatch("[A-Z2-7]{16}", code):
        raise TlsError(f"{given!r} is no code", "it has 16 letters and digits; sudo shoe-floor tls new prints it")
    return "-".join(code[n : n + 4] for n in range(0, 16, 4))


def _authority(host: str, port: int, code: str) -> str:
    """Return the certificate with this code, of those that the server shows. Raises TlsError."""
    found = next((each for each in shown_at(host, port) if code_of(each) == code), None)
    if found is None:
        what = f"no certificate of {host}:{port} has the code {code}"
        raise TlsError(what, "compare it with sudo shoe-floor tls new; if it is right, somebody else answers there")
    return found


def _try(host: str, port: int, authority: Path) -> None:
    """Open a connection that is verified by this authority. Raises TlsError."""
    settings = BrokerSettings(client_id="", host=host, port=port, ca=str(authority))
    try:
        context = tls_context(str(authority), None, None)
        with socket.create_connection((host, port), ASK_S) as plain, context.wrap_socket(plain, server_hostname=host):
            pass
    except (OSError, ssl.SSLError) as error:
        raise TlsError(*english(BrokerErrors(settings).unreachable(error)).split(": ", 1)) from None


def with_keys(text: str, keys: dict[str, Any]) -> str:
    """Return a `bridge.toml` with these keys in `[mqtt]`; every other line stays. Raises TlsError."""
    lines, wanted = text.splitlines(), {key: f"{key} = {json.dumps(value)}" for key, value in keys.items()}
    begins = next((n for n, line in enumerate(lines) if _MQTT.match(line)), None)
    if begins is None:
        lines += [*([""] if lines else []), "[mqtt]"]
        begins = len(lines) - 1
    ends = next((n for n in range(begins + 1, len(lines)) if _HEADER.match(lines[n])), len(lines))
    for n in range(begins + 1, ends):
        key = lines[n].partition("=")[0].strip()
        if "=" in lines[n] and key in wanted:
            lines[n] = wanted.pop(key)
    lines[begins + 1 : begins + 1] = wanted.values()
    made = "\n".join(lines) + "\n"
    _verify(text, made, keys)
    return made


def _verify(before: str, after: str, keys: dict[str, Any]) -> None:
    """Raise TlsError unless nothing but these keys has changed."""
    try:
        was, found = toml(before), None
        found = toml(after)
    except Undecodable:
        found = None
    if found is None or found != was | {"mqtt": was.get("mqtt", {}) | keys}:
        rows = ", ".join(f"{key} = {json.dumps(value)}" for key, value in keys.items())
        raise TlsError("the configuration cannot be changed by a program", f"write into [mqtt]: {rows}")
