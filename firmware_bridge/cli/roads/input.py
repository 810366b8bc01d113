"""The rounds that `shoe roads` draws: written by people, or of the running shoe."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from firmware_bridge.cli.daemon_socket import NotRunning, ask, journal_dir, socket_path
from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.facts.events import RoundClosed, RoundCorrected
from firmware_bridge.games.baccarat.drawn.sheet import Heading
from firmware_bridge.games.baccarat.roads import Bead, Outcome, RoadSettings
from firmware_bridge.games.baccarat.roads_topic import bead_of

if TYPE_CHECKING:
    from firmware_bridge.journal.line import Public

EMPTY: Final = "."
"""How a shoe without rounds is written."""

FIELDS: Final = ("outcomes", "banker pairs", "player pairs", "naturals")
ALLOWED: Final = {"outcomes": "BPTbpt", "banker pairs": "01", "player pairs": "01", "naturals": "01"}
OUTCOMES: Final[dict[str, Outcome]] = {"B": "B", "P": "P", "T": "T"}


class Told(NamedTuple):
    """The rounds of a shoe, the terms of its game, and whose they are."""

    rounds: list[Bead]
    terms: dict[str, Any]
    heading: Heading


class NoShoe(BridgeError, ValueError):
    """Text that is no shoe; the message names line and column."""


def beads(text: str, where: str = "") -> list[Bead]:
    """The rounds of `OUTCOMES [BANKER_PAIRS PLAYER_PAIRS [NATURALS]]`, "BPTB 0100 0001 0000". Raises NoShoe.

    where: put before the column in errors, as "line 3, ".
    """
    words = _words(text, where)
    outcomes, *more = ("" if word == EMPTY else word for _, word in words)
    for field, (column, word) in zip(FIELDS[1:], words[1:], strict=False):
        if len("" if word == EMPTY else word) != len(outcomes):
            what = f"{where}column {column}: {len(word)} {field} for {len(outcomes)} outcomes"
            raise NoShoe(what, "write a 0 or a 1 for every outcome")
    more += ["0" * len(outcomes)] * (len(FIELDS) - 1 - len(more))
    rows = zip(outcomes.upper(), *more, strict=True)
    return [Bead(OUTCOMES[outcome], *(each == "1" for each in said)) for outcome, *said in rows]


def _words(text: str, where: str) -> list[tuple[int, str]]:
    """The words, each with the column it begins in."""
    words: list[tuple[int, str]] = []
    for word in text.split():
        words.append((text.index(word, words[-1][0] - 1 + len(words[-1][1]) if words else 0) + 1, word))
    if len(words) not in (1, 3, 4):
        column = words[1][0] if words else 1
        what = f"{where}column {column}: {len(words)} words where a shoe has one, three or four"
        raise NoShoe(what, f"write OUTCOMES [BANKER_PAIRS PLAYER_PAIRS [NATURALS]]; a shoe without rounds is {EMPTY}")
    for field, (column, word) in zip(FIELDS, words, strict=False):
        _check_letters(word, ALLOWED[field], f"{where}column ", column)
    return words


def _check_letters(word: str, allowed: str, where: str, column: int) -> None:
    for place, letter in enumerate(word if word != EMPTY else "", column):
        if letter not in allowed:
            raise NoShoe(
                f"{where}{place}: {letter!r} is none of {', '.join(dict.fromkeys(allowed.upper()))}",
                "correct it and try again",
            )


def running(config: Path) -> Told:
    """The rounds of the table's present shoe.

    The daemon is asked; where it does not run, or does not say, the newest journal is read. Raises ConfigError,
    NoDaemon, JournalError.
    """
    try:
        status = ask(socket_path(config), {"do": "status"})
    except NotRunning:
        return _recorded(config)
    if not (told := status.get("roads")):
        return _recorded(config)
    naturals = told.get("naturals") or "0" * len(told["outcomes"])  # a daemon from before an update does not say
    cells = zip(told["outcomes"], told["bead"], naturals, strict=True)
    rounds = [Bead(outcome, cell[3], cell[4], natural == "1") for outcome, cell, natural in cells]
    counted = [each for each in status.get("rounds", ()) if each["outcome"]]
    table = status["table"]
    points = counted[-1]["points"] if counted else {}
    heading = Heading(status.get("table_id", ""), status.get("shoe", 0), "", limits(table.get("limits", {})), points)
    return Told(rounds, table["settings"]["terms"], heading)


def _recorded(config: Path) -> Told:
    """The rounds in the newest journal; a correction replaces a round, a void removes it."""
    from firmware_bridge.journal.files import chosen
    from firmware_bridge.journal.walk import Walk

    path = chosen(journal_dir(config))[-1]
    rounds: dict[int, Bead] = {}
    head: Public | None = None
    said: list[Any] = []
    terms: dict[str, Any] = {}
    with path.open("rb") as file:
        for public, raw in ((line.public, raw) for line in Walk(path.name).lines(file) for raw in line.public.events):
            event = msgspec.json.decode(raw)
            head = public
            said.append(event)
            if event["type"] == "ShoeOpened":
                terms = event["house"]["terms"]
            elif event["type"] in ("RoundClosed", "RoundCorrected"):
                counts = msgspec.json.decode(raw, type=RoundClosed | RoundCorrected)
                rounds[counts.round] = bead_of(counts.outcome, counts.own)
            elif event["type"] == "RoundVoided":
                rounds.pop(event["round"], None)
    return Told([rounds[number] for number in sorted(rounds)], terms, _heading(head, said))


def _heading(head: Public | None, said: list[Any]) -> Heading:
    """Whose the rounds of a journal are, from its last head and its events."""
    if head is None:
        return Heading()
    held: dict[str, Any] = next(
        (event["house"].get("limits", {}) for event in said if event["type"] == "ShoeOpened"), {}
    )
    ended = {event["round"]: event.get("hands", {}) for event in said if event["type"].startswith("Round")}
    counted = [hands for _, hands in sorted(ended.items()) if hands]
    points = {side: hand["points"] for side, hand in counted[-1].items()} if counted else {}
    return Heading(head.table, head.shoe, "", limits(held), points)


def limits(told: Mapping[str, Any]) -> dict[str, str]:
    """The limits of a table in words, as far as they are a most, or a least and a most."""
    pairs = {bet: limit if isinstance(limit, dict) else {"high": limit} for bet, limit in told.items()}
    return {
        bet: f"{limit['low']}–{limit['high']}" if "low" in limit else f"≤ {limit['high']}"
        for bet, limit in pairs.items()
        if "high" in limit
    }


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
