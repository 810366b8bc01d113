"""`shoe config`: a table's configuration with defaults, and the reference of all keys."""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import msgspec

from firmware_bridge.cli.daemon_socket import config_option
from firmware_bridge.config.limits import BET, enforced_limit
from firmware_bridge.config.load import load
from firmware_bridge.config.reference import document, unnamed
from firmware_bridge.config.sections import Config
from firmware_bridge.config.streams import print_json, print_toml
from firmware_bridge.config.toml_text import in_toml, key_in_toml
from firmware_bridge.facts.decoding import text_in, toml

LEFT_OUT: Final = "(left out)"

SHORTEST: Final = 4
"""Minimum length of a secret that is searched for in all texts, in characters; a shorter one would match everywhere."""

_SECRET_KEY: Final = re.compile(
    r"""(?ix) ( \w* (?:password|passwd|passphrase|secret|token|psk) \w* (?<!_file) ["']? \s* [=:] \s* )
    ( \"{3}.*?\"{3} | "[^"\n]*" | '[^'\n]*' | [^\s,}]+ )""",
    re.DOTALL,
)

_PEM: Final = re.compile(r"-----BEGIN [^-]*(?:KEY|SECRET)[^-]*-----.*?(?:-----END [^-]*-----|\Z)", re.DOTALL)
_LOGIN: Final = re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")

_NOTES: Final = {"limits": "  # the shoe enforces bet; the others are shown to backends and guests, and not enforced"}
"""Section -> a remark behind its heading."""

Sections = dict[str, Any]
"""Section -> its keys, or a list of these for a section that may repeat."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe config`."""
    config_option(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--json", action="store_true", help="one JSON object, for programs")
    what.add_argument(
        "--unnamed", action="store_true", help="keys missing from the file, such as new ones after an update"
    )
    what.add_argument("--reference", action="store_true", help="all keys, as Markdown")


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for, without secrets; return 0. Raises ConfigError."""
    if arguments.reference:
        sys.stdout.write(document())
        return 0
    config = load(arguments.config)
    if arguments.unnamed:
        sys.stdout.writelines(f"{key}\n" for key in unnamed(text_in(arguments.config), config.rules))
        return 0
    sections = effective(config)
    text = json.dumps(sections, ensure_ascii=False, default=str) if arguments.json else "\n".join(_lines(sections))
    (print_json if arguments.json else print_toml)(scrubbed(text, secrets_of(arguments.config)))
    return 0


def scrubbed(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the text without passwords, keys and logins (found by their names), and without `secrets`."""
    for secret in secrets:
        text = text.replace(secret, LEFT_OUT)
    for pattern, instead in ((_SECRET_KEY, rf'\1"{LEFT_OUT}"'), (_PEM, LEFT_OUT), (_LOGIN, LEFT_OUT)):
        text = pattern.sub(instead, text)
    return text


def secrets_of(config: Path) -> list[str]:
    """Return the contents of the secret files that a config names, as far as this user may read them."""
    try:
        section = toml(text_in(config)).get("mqtt", {})
    except (OSError, ValueError):
        return []
    return sorted(_contents(section), key=len, reverse=True) if isinstance(section, dict) else []


def _contents(section: dict[str, object]) -> Iterator[str]:
    for key in ("password_file", "key"):
        if isinstance(name := section.get(key), str):
            try:
                text = Path(name).read_text("utf-8", "replace").strip()
            except OSError:
                continue
            yield from (part for part in (text, *text.splitlines()) if len(part) >= SHORTEST)


def effective(config: Config) -> Sections:
    """Return section -> key -> value, given or default; None if not set."""
    sections: Sections = msgspec.to_builtins(config)
    sections["game"] = msgspec.to_builtins(config.terms, builtin_types=(Decimal,))
    for key in ("good_roads", *(config.rules.money.bet_range or ())):
        sections["game"].pop(key, None)
    if limit := enforced_limit(config.rules, config.terms):
        sections["limits"] = {BET: limit} | sections["limits"]
    sections["table"]["close"] = config.house.close
    sections["table"]["virtual_cut"] = config.house.virtual_cut or "none"
    sections["table"]["cut_earliest"] = config.house.cut_earliest or "none"
    sections["pins"] |= sections["pins"].pop("keys")
    return sections


def _lines(sections: Sections) -> Iterator[str]:
    """Yield the sections as TOML; a key that is not set is commented out."""
    for section, held in sections.items():
        several = isinstance(held, list | tuple)
        for keys in held if several else (held,):
            yield f"[[{section}]]" if several else f"[{section}]{_NOTES.get(section, '') if keys else ''}"
            for key, value in keys.items():
                yield f"# {key} is not set" if value is None else f"{key_in_toml(key)} = {in_toml(value)}"
            yield ""
