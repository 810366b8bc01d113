"""Findings of `shoe check` and `shoe-floor check`, shown one by one; the failures once more at the end."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from rich.text import Text

from firmware_bridge.config.layout import GREEN, RED, YELLOW, show
from firmware_bridge.config.streams import print_json
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.facts.printable import escaped
from firmware_bridge.mqtt.settings import marks
from firmware_bridge.topics.texts.refusals import english

Level = Literal["OK", "WARN", "FAIL"]

COLOURS: Final = {"OK": GREEN, "WARN": YELLOW, "FAIL": RED}
"""Level -> its style."""

LABEL: Final = 17
"""Columns of level and name."""


class Finding(NamedTuple):
    """What was checked, and what was found; `remedy`: what to do, or ""."""

    level: Level
    name: str
    text: str
    remedy: str = ""


def judged(name: str, fine: bool, text: str, remedy: str) -> Finding:
    """Return OK where it is fine, else FAIL with its remedy."""
    return Finding("OK", name, text) if fine else Finding("FAIL", name, text, remedy)


def unseen(name: str, key: str, path: Path) -> Iterator[Finding]:
    """Warn of a secret's file with signs that are not seen in it; a line end of Windows is named, too."""
    try:
        found = marks(path.read_bytes().rstrip(b"\n"))
    except OSError:
        return  # reported by what needs it
    if found:
        named = ", ".join(english(phrase(each)) for each in found)
        what = f"{key} {path} has what nobody sees: {named}"
        yield Finding("WARN", name, what, "write the file again without it, unless it belongs to the secret")


def report(findings: Iterable[Finding], as_json: bool) -> list[str]:
    """Print each finding as it comes, or one JSON object; return what failed.

    At the end the failures once more, where what is in order stands between them.
    """
    found = []
    for finding in findings:
        found.append(finding)
        if not as_json:
            _show(finding)
    wrong = [finding for finding in found if finding.level == "FAIL"]
    failed = [finding.name for finding in wrong]
    if as_json:
        checks = [finding._asdict() for finding in found]
        print_json(json.dumps({"ok": not failed, "checks": checks}, ensure_ascii=False))
    elif failed:
        show(Text(), Text(f"{len(failed)} failed: {', '.join(dict.fromkeys(failed))}", RED))
        for finding in wrong if any(each.level == "OK" for each in found) else ():
            _show(finding)
    return failed


def text(finding: Finding) -> str:
    """Return a finding as text, its remedy on a line of its own."""
    return "\n".join([line.plain for line in _lines(finding)])


def _show(finding: Finding) -> None:
    show(*_lines(finding), label=LABEL)


def _lines(finding: Finding) -> Iterator[Text]:
    yield Text.assemble((f"{finding.level:<5}", COLOURS[finding.level]), f" {finding.name:<10} {escaped(finding.text)}")
    if finding.remedy:
        yield Text(f"{' ' * LABEL}-> {escaped(finding.remedy)}")
