"""The rounds that `shoe roads` draws: written by people, or of the running shoe."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from firmware_bridge.cli.daemon_socket import NotRunning, ask, journal_dir, socket_path
from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.facts.events import RoundClosed, RoundCorrected
from firmware_bridge.games.baccarat.roads import Bead, Outcome, RoadSettings
from firmware_bridge.games.baccarat.roads_topic import bead_of

EMPTY: Final = "."
"""How a shoe without rounds is written."""

FIELDS: Final = ("outcomes", "banker pairs", "player pairs")
ALLOWED: Final = {"outcomes": "BPT", "banker pairs": "01", "player pairs": "01"}
OUTCOMES: Final[dict[str, Outcome]] = {"B": "B", "P": "P", "T": "T"}


class NoShoe(BridgeError, ValueError):
    """Text that is no shoe; the message names line and column."""


def beads(text: str, where: str = "") -> list[Bead]:
    """The rounds of `OUTCOMES [BANKER_PAIRS PLAYER_PAIRS]`, "BPTB 0100 0001". Raises NoShoe.

    where: put before the column in errors, as "line 3, ".
    """
    words = _words(text, where)
    outcomes, *pairs = ("" if word == EMPTY else word for _, word in words)
    for field, (column, word) in zip(FIELDS[1:], words[1:], strict=False):
        if len("" if word == EMPTY else word) != len(outcomes):
            what = f"{where}column {column}: {len(word)} {field} for {len(outcomes)} outcomes"
            raise NoShoe(what, "write a 0 or a 1 for every outcome")
    banker, player = pairs or ["0" * len(outcomes)] * 2
    return [
        Bead(OUTCOMES[outcome], ours == "1", theirs == "1")
        for outcome, ours, theirs in zip(outcomes, banker, player, strict=True)
    ]


def _words(text: str, where: str) -> list[tuple[int, str]]:
    """The three words, or the one, each with the column it begins in."""
    words: list[tuple[int, str]] = []
    for word in text.split():
        words.append((text.index(word, words[-1][0] - 1 + len(words[-1][1]) if words else 0) + 1, word))
    if len(words) not in (1, 3):
        column = words[1][0] if words else 1
        what = f"{where}column {column}: {len(words)} words where a shoe has one or three"
        raise NoShoe(what, f"write OUTCOMES [BANKER_PAIRS PLAYER_PAIRS]; a shoe without rounds is {EMPTY}")
    for field, (column, word) in zip(FIELDS, words, strict=False):
        _check_letters(word, ALLOWED[field], f"{where}column ", column)
    return words


def _check_letters(word: str, allowed: str, where: str, column: int) -> None:
    for place, letter in enumerate(word if word != EMPTY else "", column):
        if letter not in allowed:
            raise NoShoe(f"{where}{place}: {letter!r} is none of {', '.join(allowed)}", "correct it and try again")


def running(config: Path) -> tuple[list[Bead], dict[str, Any]]:
    """The rounds of the table's present shoe and the terms of its game.

    The daemon is asked; where it does not run, or does not say, the newest journal is read. Raises ConfigError,
    NoDaemon, JournalError.
    """
    try:
        status = ask(socket_path(config), {"do": "status"})
    except NotRunning:
        return _recorded(config)
    if not (told := status.get("roads")):
        return _recorded(config)
    rounds = [Bead(outcome, *cell[3:5]) for outcome, cell in zip(told["outcomes"], told["bead"], strict=True)]
    return rounds, status["table"]["settings"]["terms"]


def _recorded(config: Path) -> tuple[list[Bead], dict[str, Any]]:
    """The rounds in the newest journal; a correction replaces a round, a void removes it."""
    from firmware_bridge.journal.verify.chosen import chosen
    from firmware_bridge.journal.walk import Walk

    path = chosen(journal_dir(config))[-1]
    rounds: dict[int, Bead] = {}
    terms: dict[str, Any] = {}
    with path.open("rb") as file:
        for raw in (raw for line in Walk(path.name).lines(file) for raw in line.public.events):
            event = msgspec.json.decode(raw)
            if event["type"] == "ShoeOpened":
                terms = event["house"]["terms"]
            elif event["type"] in ("RoundClosed", "RoundCorrected"):
                counts = msgspec.json.decode(raw, type=RoundClosed | RoundCorrected)
                rounds[counts.round] = bead_of(counts.outcome, counts.own)
            elif event["type"] == "RoundVoided":
                rounds.pop(event["round"], None)
    return [rounds[number] for number in sorted(rounds)], terms


def configured(config: Path) -> dict[str, Any]:
    """What a config says about roads. Raises ConfigError if it cannot be read."""
    try:
        told = tomllib.loads(config.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{config}: {error.strerror}", "name the file with --config") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{config}: not TOML: {error}", "`shoe check` lists every mistake") from None
    return {**told.get("game", {}), **told.get("roads", {})}


def settings(sources: Iterable[dict[str, Any]]) -> RoadSettings:
    """The road settings in these sources, later ones first. Raises ConfigError for a value that is none."""
    names: Sequence[str] = RoadSettings.__struct_fields__
    merged = {name: source[name] for source in sources for name in names if source.get(name) is not None}
    try:
        return msgspec.convert(merged, RoadSettings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"the settings of roads: {error}", "see [game] and [roads] in the config") from None
