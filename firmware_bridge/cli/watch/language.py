"""The language of what dealer and pit read from the shoe: `--lang`, `[table] language`, or the terminal's."""

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from firmware_bridge.config.streams import legible
from firmware_bridge.config.toml_text import document
from firmware_bridge.errors import BridgeError
from firmware_bridge.topics.texts import LANGUAGES, Language, chosen, known, text

if TYPE_CHECKING:
    from firmware_bridge.facts.house import Row

TERMINAL: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Variables with the language of a terminal: the first that is set counts."""


def language_option(parser: argparse.ArgumentParser) -> None:
    """Add `--lang`."""
    parser.add_argument(
        "--lang", choices=LANGUAGES, help="the language (default: [table] language, else that of the terminal)"
    )


def language(asked: str | None, config: Path) -> Language:
    """Return the language asked for, else that of the config, else the terminal's; English if it cannot be shown."""
    for each in (asked, _configured(config)):
        if each in LANGUAGES:
            return legible(chosen(each, ""))
    locale = next((value for name in TERMINAL if (value := os.environ.get(name))), "")
    return legible(chosen("", locale.partition(".")[0].partition("@")[0].replace("_", "-")))


def _configured(config: Path) -> str:
    """Return `[table] language` of a config; "" where it cannot be read: the command says so itself."""
    try:
        section = document(config).get("table", {})
    except (OSError, BridgeError):
        return ""
    return str(section.get("language", "")) if isinstance(section, dict) else ""


def translated(status: dict[str, Any], lang: Language) -> dict[str, Any]:
    """Return a daemon's status with the reasons of the lamps in a language; the daemon's own are English.

    What has no text in this language stays English.
    """
    if lang == "en":
        return status
    import msgspec  # these load when a daemon has answered: without one the command is quick to say so

    from firmware_bridge.facts.wire_states import Lamps
    from firmware_bridge.topics.texts import names

    lamps = status["lamps"]
    return {**status, "lamps": {**lamps, "why": list(names.why(lang, msgspec.convert(lamps, Lamps)))}}


def alarm_help(topic: str, lang: Language) -> list[str]:
    """Return the help of an alarm in a language: what it is, what to do, what the pit may choose; [] if it is none."""
    from firmware_bridge.facts.book.alarms import POLICIES

    id = topic.strip().lower().replace("-", "_")
    if (name := known(lang, f"alarm.{id}")) is None:
        return []
    rows = {policy: row for policy, alarms in POLICIES.items() if (row := alarms.get(id))}
    choices = dict.fromkeys(choice for row in rows.values() for choice in row.choices)
    blocking = [policy for policy, row in rows.items() if row.blocks]
    return [
        f"{id}: {name}",
        *([text(lang, "page.blocks") + _only(lang, blocking, rows)] if blocking else []),
        f"{text(lang, 'page.todo')}:",
        *(f"  {_under(lang, policy)}{words}" for policy, words in _todo(lang, id, rows).items()),
        *([f"{text(lang, 'page.choices')}:"] if choices else []),
        *(
            f"  {known(lang, f'choice.{choice}') or choice}"
            f"{_only(lang, [policy for policy, row in rows.items() if choice in row.choices], rows)}"
            for choice in choices
        ),
        *([text(lang, "page.decide", id=id)] if choices else [text(lang, "page.no_choices")]),
    ]


def _todo(lang: Language, id: str, rows: "Mapping[str, Row]") -> dict[str, str]:
    """Return policy -> what to do; "" for that of every policy without one of its own."""
    todo = {"": known(lang, f"todo.{id}")} | {policy: known(lang, f"todo.{id}_{policy}") for policy in rows}
    return {policy: words for policy, words in todo.items() if words}


def _only(lang: Language, some: Sequence[str], rows: "Mapping[str, Row]") -> str:
    """Return the names of some policies in brackets; "" if they are all that have the alarm."""
    if len(some) == len(rows):
        return ""

    named = text(lang, "between.names").join(known(lang, f"policy.{each}") or each for each in some)
    return f" ({named})" if lang == "en" else f"（{named}）"


def _under(lang: Language, policy: str) -> str:
    """Return the head of what a policy says, "" for that of every policy without one of its own."""
    return f"{known(lang, f'policy.{policy}') or policy}: " if policy else ""
