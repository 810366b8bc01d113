"""`witness.toml`: where a witness listens, its key, its name, and the logs that it watches."""

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from firmware_bridge.config.read_section import good_keys, good_rows, good_sections, read_document, refuse, unprintable
from firmware_bridge.config.sections import Text
from firmware_bridge.config.toml_text import as_written
from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.witness.witness import LogKey
from firmware_bridge.record.verify import ED25519, Refused, key_of, parse_vkey

Number = Annotated[int, Meta(ge=1, le=1_000_000)]
Size = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class WitnessSection(Struct, frozen=True, kw_only=True):
    """`[witness]`: a witness of logs.

    name: the name that its cosignatures carry, such as `witness.example/w1`: never the same for another key.
    listen: the address and port to listen at.
    key_file: the file with its key; a name without a path is a credential of the unit.
    path: the file of SQLite with what it has cosigned.
    body: most bytes of a request.
    rate: most requests a second of one address, on average; others get a 429.
    tls_cert, tls_key: files of its certificate and of that one's key; without them it speaks http, for a proxy.
    """

    name: Text
    listen: Text = "127.0.0.1:9110"
    key_file: Text = "witness-key"
    path: Text = "/var/lib/shoe-floor-witness/witness.db"
    body: Annotated[int, Meta(ge=4_096, le=1_000_000)] = 65_536
    rate: Number = 200
    tls_cert: Text | None = None
    tls_key: Text | None = None

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of `listen`."""
        host, _, port = self.listen.rpartition(":")
        return host.removeprefix("[").removesuffix("]"), int(port)


class LogSection(Struct, frozen=True, kw_only=True):
    """`[[log]]`: a log to cosign.

    vkey: its public key, `name+id+base64`; a log with two keys has two of these.
    until: the largest size that this key may sign, once it is revoked.
    """

    vkey: Text
    until: Size | None = None


class WitnessConfig(Struct, frozen=True, kw_only=True):
    """A whole `witness.toml`."""

    witness: WitnessSection
    log: tuple[LogSection, ...] = ()

    @property
    def log_keys(self) -> list[LogKey]:
        """The keys of its logs."""
        return [LogKey(parse_vkey(each.vkey), each.until) for each in self.log]


SECTIONS: Final[dict[str, Any]] = {"witness": WitnessSection, "log": LogSection}


def load(path: Path) -> WitnessConfig:
    """Return the configuration in a file. Raises ConfigError with every mistake, one a line."""
    return parse(read_document(path), str(path))


def parse(raw: dict[str, Any], name: str = "witness.toml") -> WitnessConfig:
    """Return the configuration in a TOML document. Raises ConfigError with every mistake, one a line."""
    mistakes: list[str] = []

    def read(section: str, keys: Any) -> Any:
        if section == "witness":
            return good_keys(WitnessSection, "[witness] ", keys, mistakes)
        return good_rows(LogSection, "log", keys, mistakes)

    sections = good_sections(raw, SECTIONS, read, mistakes, lists=("log",))
    mistakes += unprintable(raw)
    keys, logs = sections.get("witness", {}), sections.get("log", [])
    if "name" not in keys:
        mistakes.append('[witness] name is missing: write name = "witness.example/w1", a name that is yours alone')
    section = WitnessSection(**{"name": "-", **keys})
    mistakes += [*_of_the_witness(section), *_of_the_logs(logs)]
    refuse(name, mistakes)
    return WitnessConfig(witness=section, log=tuple(logs))


def _of_the_witness(section: WitnessSection) -> list[str]:
    mistakes = []
    host, _, port = section.listen.rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and int(port) < 65_536) or not _is_host(host):
        mistakes.append(f"[witness] listen = {as_written(section.listen)}: write ADDRESS:PORT, as 127.0.0.1:9110")
    if not section.path.startswith("/"):
        mistakes.append(f"[witness] path = {as_written(section.path)}: write the full path, starting with /")
    if (section.tls_cert is None) != (section.tls_key is None):
        mistakes.append("[witness] tls_cert and tls_key go together: set both")
    try:
        key_of(section.name, ED25519, bytes(32))
    except Refused:
        mistakes.append(f"[witness] name = {as_written(section.name)}: a name has no blanks and no +")
    return mistakes


def _is_host(host: str) -> bool:
    """Return whether a listener's host is a name, an IPv4 address, or an IPv6 address in brackets."""
    if host.startswith("["):
        try:
            return host.endswith("]") and ip_address(host[1:-1]).version == 6
        except ValueError:
            return False
    return ":" not in host


def _of_the_logs(logs: list[LogSection]) -> list[str]:
    mistakes, seen = [], set[bytes]()
    for number, each in enumerate(logs, 1):
        try:
            key = parse_vkey(each.vkey)
        except Refused as error:
            mistakes.append(f"[[log]] number {number}: vkey: {error}")
            continue
        if key.kind != ED25519:
            mistakes.append(f"[[log]] number {number}: vkey is the key of a witness, not of a log")
        elif key.public in seen:
            mistakes.append(f"[[log]] number {number}: this key stands there twice")
        seen.add(key.public)
    return mistakes


def need_logs(config: WitnessConfig) -> None:
    """Raise ConfigError where no log is named: such a witness would refuse everybody."""
    if not config.log:
        what = "no log is named, so nothing could be cosigned"
        raise ConfigError(what, 'add [[log]] with vkey = "..." for each table: shoe key show prints it')
