"""The faults of `shoe demo --fault`: preconditions and injection of each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

from firmware_bridge.demo.fixtures import FaultInjection
from firmware_bridge.facts.printable import nearest
from firmware_bridge.games.game import Game
from hardware.readers import READERS
from hardware.sim.angel_eye import Rules, right_rules, wrong_rules
from hardware.sim.boards import BOARDS
from hardware.sim.dealer import Dealer


def comes(_: Game) -> str:
    """Returns "": every game can show the fault."""
    return ""


def burns_none(game: Game) -> str:
    """The reason why a fault of the burn cannot happen, or ""."""
    return "" if any(map(game.play.burns, game.pack)) else "nothing is burned"


def has_new_packs(game: Game) -> str:
    """The reason why a fault near the last card cannot happen, or ""."""
    return "a new pack comes before the last card" if game.play.one_round_packs else ""


def has_copies(game: Game) -> str:
    """The reason why a second card of a face is no fault, or ""."""
    return "" if max(game.pack.values()) == 1 else "its pack has several of each face"


UNPLUGGED_S: Final = 2.0
LID_OPEN_S: Final = 0.5
DIRTY_S: Final = 6.0
"""Longer than the 5 s after which the cut card's sensor counts as stuck."""

BROKER_AWAY_S: Final = 4.0
"""Longer than the 3 s after which a broker counts as lost."""


INSIDE: Final = "inside"
"""Moment: a card inside a round."""

LATE: Final = "late"
"""Moment: a card that reveals those face down, if the game has one; else inside."""

_INSIDE: Final = 2
"""Index of a slot, from 0, in the middle of a round."""

Act = Callable[[Dealer, FaultInjection], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Fault:
    """One `--fault`. text: what happens, and after a colon the remedy. act, after: as in `Mistake`.

    table: keys of `[table]` that the fault needs. at: the moment, `INSIDE`, `LATE`, `next` or `burn`. cut_from_end:
    position of the cut card, None for the game's own. forgets_cut: there is no cut card. never: reason why a game
    cannot show the fault, or "".
    """

    text: str
    act: Act | None = None
    at: str = INSIDE
    after: int = 1
    table: dict[str, Any] = field(default_factory=dict)
    readers: tuple[str, ...] = tuple(READERS)
    cut_from_end: tuple[int, int] | None = None
    forgets_cut: bool = False
    rules: Rules = right_rules
    never: Callable[[Game], str] = comes

    @property
    def accident(self) -> str:
        """What happens, without the remedy."""
        return self.text.partition(": ")[0]


def _act(do: Callable[[Dealer, FaultInjection], Awaitable[None] | None], *lamps: str, is_instead: bool = True) -> Act:
    """Makes a fault's `act`: `do`, then wait for one of `lamps`. is_instead: it replaces the card or key due."""

    async def act(dealer: Dealer, table: FaultInjection) -> bool:
        if (done := do(dealer, table)) is not None:
            await done
        if lamps:
            await dealer.see(*lamps)
        return is_instead

    return act


def _card(how: str) -> Act:
    """Makes the act that draws the next card with the fault `how`."""
    return _act(lambda dealer, _: dealer.draw(how), "fault")


def _other_card(how: str) -> Act:
    """Makes the act that draws a card of another shoe."""
    return _act(lambda dealer, _: dealer.draw_other(how), "fault")


_TOO_SOON: Final = _act(lambda dealer, _: dealer.hands.press_next(), is_instead=False)
_UNPLUG: Final = _act(lambda _, table: table.unplug(UNPLUGGED_S))


def _mislay(dealer: Dealer, table: FaultInjection) -> None:
    table.mislay()
    dealer.draw()


async def _restart(dealer: Dealer, table: FaultInjection) -> None:
    await table.restart_daemon()
    await dealer.see("fault", "ready", *dealer.hands.slots)


_SEEING: Final = tuple(name for name, row in READERS.items() if row.has_signal)
_JUDGES: Final = tuple(name for name, row in READERS.items() if row.judges)
_NO_JUDGES: Final = tuple(name for name, row in READERS.items() if not row.judges)
_NO_TAGS: Final = tuple(name for name, row in READERS.items() if not row.has_tags)
"""Readers with the same code on every card of a face; a tag read twice is one card."""

_KEEPING: Final = tuple(name for name, row in READERS.items() if row.keeps_reports)
_FORGETFUL: Final = tuple(name for name, row in READERS.items() if not row.keeps_reports)
_MISREADING: Final = tuple(name for name, board in BOARDS.items() if board.misreads)

FAULTS: Final[dict[str, Fault]] = {
    "unreadable": Fault(
        "a card is not read: two people enter it",
        _act(lambda dealer, _: dealer.draw_unread("unreadable")),
        readers=_MISREADING,
    ),
    "duplicate": Fault(
        "a card comes twice (one pack): the pit boss removes it",
        _other_card(""),
        table={"decks": 1},
        readers=tuple(name for name in _NO_TAGS if name in _NO_JUDGES),
        cut_from_end=(13, 20),
        never=has_copies,
    ),
    "foreign": Fault("a card of another pack: the pit boss removes it", _other_card("foreign"), readers=_NO_JUDGES),
    "wrong_slot": Fault(
        "a card on the wrong side, and an Angel Eye reports it: the pit boss accepts",
        _act(_mislay, "fault"),
        readers=_JUDGES,
    ),
    "result_mismatch": Fault(
        "an Angel Eye applies wrong rules: the pit boss voids the round", readers=_JUDGES, rules=wrong_rules
    ),
    "face_up": Fault("a card comes out face up", _card("face_up"), readers=_SEEING),
    "double_feed": Fault("two cards may come out together", _card("double_feed"), readers=_SEEING),
    "backwards": Fault("a card is pushed back", _card("backwards"), readers=_SEEING),
    "jam": Fault("a card is stuck", _act(lambda _, table: table.jam(), "fault"), readers=_SEEING),
    "overdrawn": Fault(
        "the dealer draws one card too many: it starts the next round",
        _card(""),
        at="next",
        table={"close": "next"},
        readers=_NO_JUDGES,
    ),
    "missing_third": Fault("the dealer presses NEXT while a card is due", _TOO_SOON, at=LATE, after=0),
    "burn_short": Fault(
        "the dealer presses NEXT before the burn is done", _TOO_SOON, at="burn", after=0, never=burns_none
    ),
    "shoe_empty": Fault(
        "one pack, dealt to the last card",
        table={"decks": 1, "virtual_cut": "none"},
        forgets_cut=True,
        never=has_new_packs,
    ),
    "cut_card_mid_round": Fault(
        "the cut card comes during a round",
        _act(lambda dealer, _: dealer.hands.cut_card(), is_instead=False),
        table={"cut_earliest": "none"},
    ),
    "cut_card_early": Fault(
        "a magnet at the cut card's sensor, early in the shoe: the pit boss continues",
        _act(lambda dealer, _: dealer.hands.cut_card(), "fault"),
        table={"cut_earliest": 30},
    ),
    "cut_card_missing": Fault(
        "there is no cut card in the shoe (one pack)",
        table={"decks": 1, "virtual_cut": 30},
        forgets_cut=True,
        never=has_new_packs,
    ),
    "reader_lost": Fault("the reader's cable is unplugged for 2 s", _UNPLUG),
    "reader_back": Fault(
        "the cable of a reader without memory is unplugged: NEXT confirms", _UNPLUG, readers=_FORGETFUL
    ),
    "reader_gap": Fault(
        "the reader board restarts during a round",
        _act(lambda _, table: table.reset_board(), "fault"),
        readers=_KEEPING,
    ),
    "lid_opened": Fault(
        "the lid is open for 0.5 s during a round: the pit boss continues",
        _act(lambda _, table: table.open_lid(LID_OPEN_S), "fault"),
    ),
    "sensor_stuck": Fault(
        "dirt covers the cut-card sensor for 6 s: the last round, and an alarm",
        _act(lambda _, table: table.dirty_sensor(DIRTY_S), is_instead=False),
        table={"cut_earliest": "none"},
    ),
    "broker_lost": Fault(
        "the broker is off for 4 s: play continues",
        _act(lambda _, table: table.stop_broker(BROKER_AWAY_S), is_instead=False),
    ),
    "restarted_mid_round": Fault("the daemon restarts during a round", _act(_restart), readers=_NO_TAGS),
}


def places(at: str, game: Game) -> tuple[str, ...]:
    """The lamps of a fault's moment, or the moment itself if it has none."""
    inside = (game.slots[min(_INSIDE, len(game.slots) - 1)],)
    return {INSIDE: inside, LATE: game.play.secret or inside}.get(at, (at,))


def unknown(fault: str) -> str:
    """The error text for an unknown fault."""
    near = nearest(fault.replace("-", "_"), FAULTS)
    hint = f"did you mean {near}? " if near else ""
    return f"there is no fault {fault!r}: {hint}faults are: {', '.join(FAULTS)}"
