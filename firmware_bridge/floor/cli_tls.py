"""The command `shoe-floor tls`: an authority of the house's own, and a certificate for its broker, made by openssl."""

import argparse
import os
import shutil
import socket
import subprocess
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from firmware_bridge.config.arguments import Exit
from firmware_bridge.config.whole_file import make_public, write_whole
from firmware_bridge.facts.decoding import text_in
from firmware_bridge.mqtt.certificates import TlsError, code_of

FOLDER: Final = Path("/etc/firmware-bridge/tls")
"""Where the certificates and keys lie, by default."""

CA_DAYS: Final = 3650
BROKER_DAYS: Final = 730
"""Days for which the authority and the broker's certificate are valid; the same command renews the second."""

BROKER_USER: Final = "mosquitto"
"""The login of the broker, which reads its key."""


def add_tls(commands: Any, load: object, default: Path) -> None:
    """Add `tls` with its action."""
    text = "TLS for the broker of a small house"
    tls = commands.add_parser("tls", help=text, description=text)
    actions = tls.add_subparsers(dest="action", metavar="ACTION", required=True)
    text = "make an authority, once, and a certificate for the broker, each time; print the line for each table"
    new = actions.add_parser("new", help=text, description=text)
    help = "a further name or address of this machine, as tables write it; may be given again"
    new.add_argument("--name", action="append", default=[], metavar="NAME", help=help)
    new.add_argument("--dir", type=Path, default=FOLDER, metavar="DIR", help=f"(default: {FOLDER})")
    new.set_defaults(run=run_new, load=load, default=default, config=None)


def run_new(arguments: argparse.Namespace, config: None) -> int:
    """Make what is missing, and print the code. Raises TlsError."""
    names = _names(arguments.name)
    folder: Path = arguments.dir
    try:
        make_public(folder)
        is_new = not (folder / "ca.pem").exists()
        if is_new:
            _make_authority(folder)
        _make_broker(folder, names)
        code = code_of(text_in(folder / "ca.pem", "ascii"))
    except OSError as error:
        raise TlsError(f"{error.filename or folder}: {error.strerror}", "put sudo before the command") from None
    print(f"the broker's certificate is for {', '.join(names)}; it ends in {BROKER_DAYS} days")
    print(f"\nlistener 8883\ncertfile {folder}/broker.pem\nkeyfile {folder}/broker.key\n")
    print("these lines are for the broker; it reads a new certificate when it starts: sudo systemctl restart mosquitto")
    if is_new:
        print(f"at each table, with the address of this machine:\n\n  sudo shoe tls join {names[0]} {code}\n")
    else:
        print(f"the authority is the one of before: tables have nothing to do. Its code is {code}")
    return Exit.FINE


def _names(more: Iterable[str]) -> list[str]:
    """Return the names and addresses of this machine, addresses of its network first, each once. Raises TlsError."""
    own = socket.gethostname()
    found = [*more, *_addresses(), own, "localhost", "127.0.0.1"]
    for name in found:
        if not name or not all(part.isalnum() or part in ".:-_" for part in name) or not name.isascii():
            raise TlsError(f"{name!r} is no name or address", "write it as tables do: --name broker.example")
    return list(dict.fromkeys(found))


def _addresses() -> list[str]:
    """Return the addresses of this machine's networks, those of IPv4 first."""
    try:
        done = subprocess.run(["hostname", "-I"], capture_output=True, text=True, timeout=10, check=False)
    except OSError:
        return []
    found = [ip_address(each) for each in done.stdout.split()]
    return [str(each) for each in sorted(found, key=lambda each: each.version) if not each.is_link_local]


def _make_authority(folder: Path) -> None:
    """Make the authority; its certificate is there last, so that it has its key."""
    subject = f"/CN=shoe authority of {socket.gethostname()[:40]}"
    usage = [
        "-addext",
        "basicConstraints=critical,CA:TRUE,pathlen:0",
        "-addext",
        "keyUsage=critical,keyCertSign,cRLSign",
    ]
    _made(folder, "ca", ["-subj", subject, "-days", str(CA_DAYS), *usage])


def _make_broker(folder: Path, names: Iterable[str]) -> None:
    """Make a certificate for the broker, followed by that of the authority: mosquitto shows no other file."""
    shown = ",".join(f"{'IP' if _is_address(each) else 'DNS'}:{each}" for each in names)
    more = ["-subj", "/CN=broker", "-days", str(BROKER_DAYS), "-CA", "ca.pem", "-CAkey", "ca.key"]
    more += ["-addext", "basicConstraints=critical,CA:FALSE", "-addext", "keyUsage=critical,digitalSignature"]
    more += ["-addext", "extendedKeyUsage=serverAuth", "-addext", f"subjectAltName={shown}"]
    _made(folder, "broker", more, after=text_in(folder / "ca.pem", "ascii"))


def _made(folder: Path, name: str, more: list[str], after: str = "") -> None:
    """Make a certificate, for the key that is there or a new one. after: certificates behind it in the same file.

    Only the certificate of a pair is replaced, so that no power cut leaves two that do not fit.
    """
    key = folder / f"{name}.key"
    if not key.exists():
        _make_key(key)
    if name == "broker" and os.geteuid() == 0:
        _give_to_broker(key)
    made = _openssl(["req", "-x509", "-new", "-sha256", "-key", str(key), *more], folder)
    write_whole(folder / f"{name}.pem", made + after)
    (folder / f"{name}.pem").chmod(0o644)


def _make_key(path: Path) -> None:
    """Make a key that is there whole or not at all, for its owner alone."""
    text = _openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], path.parent)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _openssl(words: list[str], folder: Path) -> str:
    """Return what a command of openssl prints. Raises TlsError."""
    try:
        done = subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        raise TlsError("openssl is not installed", "sudo apt install openssl") from None
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise TlsError(f"openssl made no certificate: {why}", "see openssl version")
    return done.stdout


def _give_to_broker(key: Path) -> None:
    """Let the broker read its key; where it is not installed yet, root does so later."""
    try:
        shutil.chown(key, BROKER_USER)
    except LookupError:
        print(f"there is no user {BROKER_USER} yet; once there is: sudo chown {BROKER_USER} {key.parent}/broker.key")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
