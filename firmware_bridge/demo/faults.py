"""The faults of `shoe demo --fault`: preconditions and injection of each."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from firmware_bridge.demo.fixtures import Arrange, as_bought, as_shuffled, one_face_first
from firmware_bridge.demo.injection import FaultInjection
from firmware_bridge.facts.printable import nearest
from firmware_bridge.games.game import Game
from firmware_bridge.shoe.policy import Never, cannot_come
from hardware.readers import READERS
from hardware.sim.angel_eye import Rules, right_rules, wrong_rules
from hardware.sim.boards import BOARDS
from hardware.sim.dealer import Dealer

NOT_SHOWN: Final = {
    "relabelled_third": "it is never opened: the next card is simply the banker's third",
    "reader_fault": "it needs a reader that floods its port for 10 s",
    "reader_repeats": "it needs a reader module that repeats card after card",
    "disk_error": "it needs a memory card that fails; disk_full shows what the table does",
    "disk_low": "it needs a disk that journals fill which were never sent",
    "journal_damaged": "it comes at the start of the daemon, and the demo begins a fresh journal",
    "journal_unread": "it comes at the start of the daemon, and the demo begins a fresh journal",
    "journal_missing": "it comes at the start of the daemon, and the demo begins a fresh journal",
    "cursor_error": "it needs a memory card that fails; disk_full shows what the table does",
    "internal_error": "it is an error in the program itself",
    "reader_not_understood": "it needs a reader of another protocol or speed than the config's",
    "reader_unanswered": "it needs a reader that answers no command",
    "keypad_not_understood": "it needs something else at a keypad's port",
}
"""Alarm that the demo cannot show -> the reason."""

NEVER: Final[dict[Never, str]] = {
    "": "",
    "no_verdict": "no reader judges it",
    "no_third": "it has no third card",
    "next_is_third": "the next card is simply the banker's third",
    "no_marks": "its seats decide nothing",
    "pack_over": "after its round the pack is over",
    "one_face": "no two of its cards have one face: the same one is dropped",
    "no_burn": "nothing is burned",
    "new_pack_first": "a new pack comes before the last card",
}
"""Why an alarm cannot come in a game, in words."""

KEYPAD: Final = "keypad"
STORE: Final = "store"
"""What a table needs for a fault besides the usual: a keypad, a receiver of `[mqtt] stored`."""

STORE_SILENT_S: Final = 1.0
"""Seconds after which a silent receiver is an alarm in the demo; at a table a minute."""

STORE_AWAY_S: Final = 2.0
DISK_FULL_S: Final = 1.5
CLOCK_S: Final = 3600
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
Keys = Callable[[Game], dict[str, Any]]
"""Keys of `[table]` that a fault needs in a game."""


def none(_: Game) -> dict[str, Any]:
    """Return no keys."""
    return {}


def keys(**table: Any) -> Keys:
    """Return keys that are the same in every game."""
    return lambda _: table


def fewest_packs(**table: Any) -> Keys:
    """Return the keys of a shoe with as few packs as the game may have."""
    return lambda game: {"decks": min(game.packs), **table}


def _cut_missing(game: Game) -> dict[str, Any]:
    """Return the keys by which a cut card must have come early, so that its absence shows soon."""
    return {"decks": min(game.packs), "virtual_cut": 30 if 1 in game.packs else 200}


def _burns(game: Game) -> dict[str, Any]:
    """Return the keys of a house that burns cards."""
    return {} if any(map(game.play.burns, game.pack)) else {"burn": 3}


def _beyond_burn(game: Game) -> dict[str, Any]:
    """Return the keys of a house that burns cards, and then takes bets."""
    return {"betting": "required", "new_shoe": "command", **_burns(game)}


def _all(_: Game) -> None:
    """Return None: all cards are in the shoe."""


def _too_few(game: Game) -> int | None:
    """Return the number of cards in a shoe dealt from elsewhere, where a game ends its shoe long before the last."""
    return None if 1 in game.packs else 4


@dataclass(frozen=True, slots=True)
class Fault:
    """One `--fault`. text: what happens, and after a colon the remedy. act, after: as in `Mistake`.

    at: the moment, `INSIDE`, `LATE`, `next`, `burn`, `bets` or `marks`. needs: `KEYPAD`, `STORE`. arrange: the order of
    the cards in the first shoe. left: cards in the shoe, None for all. cut_from_end: position of the cut card, None for
    the game's own. forgets_cut: there is no cut card.
    """

    text: str
    act: Act | None = None
    at: str = INSIDE
    after: int = 1
    table: Keys = none
    needs: tuple[str, ...] = ()
    arrange: Arrange | None = None
    left: Callable[[Game], int | None] = _all
    readers: tuple[str, ...] = tuple(READERS)
    cut_from_end: tuple[int, int] | None = None
    forgets_cut: bool = False
    rules: Rules = right_rules

    @property
    def accident(self) -> str:
        """What happens, without the remedy."""
        return self.text.partition(": ")[0]


def _act(do: Callable[[Dealer, FaultInjection], Awaitable[None] | None], *lamps: str, is_instead: bool = True) -> Act:
    """Make a fault's `act`: `do`, then wait for one of `lamps`. is_instead: it replaces the card or key due."""

    async def act(dealer: Dealer, table: FaultInjection) -> bool:
        if (done := do(dealer, table)) is not None:
            await done
        if lamps:
            await dealer.see(*lamps)
        return is_instead

    return act


def _card(how: str) -> Act:
    """Make the act that draws the next card with the fault `how`."""
    return _act(lambda dealer, _: dealer.draw(how), "fault")


def _other_card(how: str) -> Act:
    """Make the act that draws a card of another shoe."""
    return _act(lambda dealer, _: dealer.draw_other(how), "fault")


_TOO_EARLY: Final = _act(lambda dealer, _: dealer.draw_early(), is_instead=False)
_TOO_SOON: Final = _act(lambda dealer, _: dealer.hands.press_next(), is_instead=False)
_UNPLUG: Final = _act(lambda _, table: table.unplug(UNPLUGGED_S))


def _mislay(dealer: Dealer, table: FaultInjection) -> None:
    table.mislay()
    dealer.draw()


def _repeat(dealer: Dealer, table: FaultInjection) -> None:
    dealer.draw()
    table.read_again()


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
_REPEATING: Final = tuple(name for name, row in READERS.items() if row.repeats and not row.has_tags)
_MISREADING: Final = tuple(name for name, board in BOARDS.items() if board.misreads)

FAULTS: Final[dict[str, Fault]] = {
    "unreadable": Fault(
        "a card is not read: two people enter it",
        _act(lambda dealer, _: dealer.draw_unread("unreadable")),
        readers=_MISREADING,
    ),
    "duplicate": Fault(
        "a card comes once more than the packs hold it: the pit boss removes it",
        _act(lambda dealer, _: dealer.draw_first_again(), "fault"),
        table=fewest_packs(),
        readers=tuple(name for name in _NO_TAGS if name in _NO_JUDGES),
        arrange=one_face_first,
        cut_from_end=(13, 20),
    ),
    "foreign": Fault("a card of another pack: the pit boss removes it", _other_card("foreign"), readers=_NO_JUDGES),
    "wrong_slot": Fault(
        "a card on the wrong side, and an Angel Eye reports it: the pit boss accepts",
        _act(_mislay, "fault"),
        readers=_JUDGES,
    ),
    "result_mismatch": Fault(
        "an Angel Eye applies wrong rules: the pit boss voids the round",
        readers=_JUDGES,
        rules=wrong_rules,
    ),
    "face_up": Fault("a card comes out face up", _card("face_up"), readers=_SEEING),
    "double_feed": Fault("two cards may come out together", _card("double_feed"), readers=_SEEING),
    "backwards": Fault("a card is pushed back", _card("backwards"), readers=_SEEING),
    "jam": Fault("a card is stuck", _act(lambda _, table: table.jam(), "fault"), readers=_SEEING),
    "overdrawn": Fault(
        "the dealer draws one card too many: it starts the next round",
        _card(""),
        at="next",
        table=keys(close="next"),
        readers=_NO_JUDGES,
    ),
    "drawn_before_bets_closed": Fault(
        "a card is drawn while bets are open: it waits face down",
        _TOO_EARLY,
        at="bets",
        after=0,
        table=keys(betting="required", burn="none", new_shoe="command"),
    ),
    "drawn_before_mark": Fault(
        "a card is drawn while a seat decides: it waits face down",
        _TOO_EARLY,
        at="marks",
        after=0,
    ),
    "missing_third": Fault("the dealer presses NEXT while a card is due", _TOO_SOON, at=LATE, after=0),
    "burn_short": Fault("the dealer presses NEXT before the burn is done", _TOO_SOON, at="burn", after=0, table=_burns),
    "burn_over": Fault(
        "a card is drawn after the last burn card: the pit boss accepts",
        _TOO_EARLY,
        at="bets",
        after=0,
        table=_beyond_burn,
        readers=_NO_JUDGES,
    ),
    "shoe_empty": Fault(
        "the shoe is dealt to its last card",
        table=fewest_packs(virtual_cut="none"),
        arrange=as_shuffled,
        left=_too_few,
        forgets_cut=True,
    ),
    "cut_card_mid_round": Fault(
        "the cut card comes during a round",
        _act(lambda dealer, _: dealer.hands.cut_card(), is_instead=False),
        table=keys(cut_earliest="none"),
    ),
    "cut_card_early": Fault(
        "a magnet at the cut card's sensor, early in the shoe: the pit boss continues",
        _act(lambda dealer, _: dealer.hands.cut_card(), "fault"),
        table=keys(cut_earliest=30),
    ),
    "cut_card_missing": Fault(
        "there is no cut card in the shoe",
        table=_cut_missing,
        forgets_cut=True,
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
    "read_again": Fault(
        "a module reads a card again that lies before it: NEXT, as it is the same card",
        _act(_repeat, "fault"),
        readers=_REPEATING,
    ),
    "lid_opened": Fault(
        "the lid is open for 0.5 s during a round: the pit boss continues",
        _act(lambda _, table: table.open_lid(LID_OPEN_S), "fault"),
    ),
    "sensor_stuck": Fault(
        "dirt covers the cut-card sensor for 6 s: the last round, and an alarm",
        _act(lambda _, table: table.dirty_sensor(DIRTY_S), is_instead=False),
        table=keys(cut_earliest="none"),
    ),
    "broker_lost": Fault(
        "the broker is off for 4 s: play continues",
        _act(lambda _, table: table.stop_broker(BROKER_AWAY_S), is_instead=False),
    ),
    "restarted_mid_round": Fault("the daemon restarts during a round", _act(_restart), readers=_NO_TAGS),
    "keypad_lost": Fault(
        "a keypad is unplugged for 2 s: play continues",
        _act(lambda _, table: table.unplug_keypad(UNPLUGGED_S), is_instead=False),
        needs=(KEYPAD,),
    ),
    "store_silent": Fault(
        "the store acknowledges nothing for 2 s: play continues, then it gets what it lacks",
        _act(lambda _, table: table.silence_store(STORE_AWAY_S), is_instead=False),
        needs=(STORE,),
    ),
    "disk_full": Fault(
        "the journal's disk is full for 1.5 s: the table stops, and no card is lost",
        _act(lambda _, table: table.fill_disk(DISK_FULL_S), is_instead=False),
    ),
    "clock_jump": Fault(
        "the clock is set forwards by an hour: play continues",
        _act(lambda _, table: table.set_clock(CLOCK_S), is_instead=False),
    ),
    "unshuffled": Fault("new packs are dealt unshuffled: the pit boss continues", arrange=as_bought),
}


def places(at: str, game: Game, seats: int | None = None) -> tuple[str, ...]:
    """Return the lamps of a fault's moment, or the moment itself if it has none. seats: how many play, None for all."""
    inside = (game.slots[min(_INSIDE, (seats or len(game.slots)) - 1)],)
    return {INSIDE: inside, LATE: game.play.secret or inside}.get(at, (at,))


def impossible(fault: str, game: Game) -> str:
    """Return the reason why the demo cannot show a fault in a game, or ""."""
    if fault == "cut_card_missing" and game.play.one_round_packs:
        return "a new pack comes before its place; --fault sensor_stuck opens it"
    return NEVER[cannot_come(fault, game)]


def unknown(fault: str) -> str:
    """Return the error text for an unknown fault."""
    if why := NOT_SHOWN.get(fault.replace("-", "_")):
        return f"{fault} is an alarm that the demo cannot show: {why}"
    near = nearest(fault.replace("-", "_"), FAULTS)
    hint = f"did you mean {near}? " if near else ""
    return f"there is no fault {fault!r}: {hint}faults are: {', '.join(FAULTS)}"
