"""Leaves secrets out of text that goes to strangers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

LEFT_OUT: Final = "(left out)"
SHORTEST: Final = 4
"""Characters of a secret that is looked for everywhere; a shorter one would riddle every text."""

_SECRET_KEY: Final = re.compile(
    r"""(?ix) ( \w* (?:password|passwd|passphrase|secret|token|psk) \w* (?<!_file) ["']? \s* [=:] \s* )
    ( \"{3}.*?\"{3} | "[^"\n]*" | '[^'\n]*' | [^\s,}]+ )""",
    re.DOTALL,
)
_PEM: Final = re.compile(r"-----BEGIN [^-]*(?:KEY|SECRET)[^-]*-----.*?(?:-----END [^-]*-----|\Z)", re.DOTALL)
_LOGIN: Final = re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")


def scrubbed(text: str, secrets: Iterable[str] = ()) -> str:
    """A text without passwords, keys and logins, by their names, and without `secrets`, wherever they are."""
    for secret in secrets:
        text = text.replace(secret, LEFT_OUT)
    for pattern, instead in ((_SECRET_KEY, rf'\1"{LEFT_OUT}"'), (_PEM, LEFT_OUT), (_LOGIN, LEFT_OUT)):
        text = pattern.sub(instead, text)
    return text


def secrets_of(config: Path) -> list[str]:
    """What stands in the files of secrets that a config names, as far as this user may read them."""
    try:
        section = tomllib.loads(config.read_text("utf-8")).get("mqtt", {})
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
