"""The code that runs here: digests of the software, its packages, the interpreter and the config."""

import base64
import platform
import re
import sys
import sysconfig
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from firmware_bridge.facts.decoding import Undecodable, text_in
from firmware_bridge.facts.inputs import Code
from firmware_bridge.facts.orders import LONGEST_NAME

PACKAGES: Final = ("firmware_bridge", "hardware")
"""Packages of this software: the files of a wheel's RECORD that count."""

INSTALLED_BY: Final = "installed-by"
"""File of the environment with the login of who installed it."""

_SITE: Final = Path(__file__).parents[2]
_PACKAGES: Final = Path(sysconfig.get_path("purelib"))
_INSTALLED: Final = re.compile(r"(.+)-([^-]+)\.dist-info")


def code_of(config: Mapping[str, str], site: Path = _SITE, packages: Path = _PACKAGES) -> Code:
    """Return the code in `site` that begins to run. packages: where the others are; config: digests of its sections.

    software: SHA-256 over the sorted lines of the wheel's RECORD for its packages, as hex, None in a clone. The files
    themselves are compared by `changed_files`.
    """
    stated = stated_files(site)
    lines = "\n".join(f"{path},{digest}" for path, digest in sorted(stated.items()))
    return Code(
        software=_hex(lines) if stated else None,
        packages=_hex("\n".join(_installed(packages))),
        python=f"{platform.python_implementation()} {platform.python_version()} {_hex(sys.version)[:16]}",
        config=_hex("\n".join(f"{name} {digest}" for name, digest in sorted(config.items()))),
    )


def installed_by() -> str:
    """Return the name that scripts/install wrote for who installed this software; "" if that is not known."""
    try:
        return text_in(Path(sys.prefix) / INSTALLED_BY).strip()[:LONGEST_NAME]
    except (OSError, Undecodable):
        return ""


def stated_files(site: Path = _SITE) -> dict[str, str]:
    """Return the files of this software and their digests, as its RECORD states them; none in a clone."""
    records = [each / "RECORD" for each in site.glob("firmware_bridge-*.dist-info")]
    if len(records) != 1:
        return {}
    try:
        rows = [line.split(",") for line in text_in(records[0]).splitlines()]
    except (OSError, Undecodable):
        return {}
    return {path: digest for path, digest, *_ in rows if digest and path.startswith(tuple(f"{p}/" for p in PACKAGES))}


def changed_files(site: Path = _SITE) -> list[str]:
    """Return the files that differ from RECORD, are missing, or that it does not name. Reads them all: some 0.1 s."""
    stated = stated_files(site)
    if not stated:
        return []
    found = {
        str(path.relative_to(site)): path
        for package in PACKAGES
        for path in (site / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return sorted(path for path in stated.keys() | found.keys() if _digest(found.get(path)) != stated.get(path))


def _installed(site: Path) -> list[str]:
    """Return the other packages and their versions, sorted."""
    names = (_INSTALLED.fullmatch(each.name) for each in site.glob("*.dist-info"))
    return sorted(f"{each[1].lower()} {each[2]}" for each in names if each and each[1] != "firmware_bridge")


def _digest(path: Path | None) -> str | None:
    """Return the digest of a file as RECORD writes it."""
    if path is None:
        return None
    try:
        digest = sha256(path.read_bytes()).digest()
    except OSError:
        return ""
    return "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _hex(text: str) -> str:
    return sha256(text.encode()).hexdigest()
