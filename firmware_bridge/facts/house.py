"""The house's choices as data: settings of a table, and the policy for each irregularity."""

from typing import Final, Literal

from msgspec import UNSET, Raw, Struct, UnsetType, field

from firmware_bridge.facts.bounds import PersonText

Limit = int | str | dict[str, int | str]
"""A limit of the table for backends: money in whole units, or as a decimal text."""

Burn = Literal["first-card", "none"] | int


class House(Struct, frozen=True):
    """The settings of a table under which a shoe is dealt; frozen when the shoe is opened.

    terms: settings of the game, as JSON. burn: `first-card` (the first card exposed, as many more as its value burned
    unseen), `none`, or a number of cards burned unseen. close: rounds end by themselves (`auto`), by NEXT, or by the
    result of a reader that judges the game (NEXT ends them too). virtual_cut: cards from the end at which the cut card
    must have passed, None for no such limit. cut_earliest: cards left above which no cut card is believed,
    None for no such check. reveal_timeout: seconds until sealed cards are opened automatically.
    shoe_change_after: rounds before a guest may ask for another shoe, which is due within shoe_change_minutes.
    second_person: orders that need a second name, different from the first; left out where none does.
    pit: the name of the pit. shifts: name -> local time at which it begins, HH:MM; the first begins the gaming day.
    """

    game: str = "baccarat"
    terms: Raw = field(default_factory=lambda: Raw(b"{}"))
    decks: int = 8
    burn: Burn = "first-card"
    close: Literal["auto", "next", "result"] = "auto"
    betting: Literal["ignored", "required"] = "ignored"
    disclose: Literal["dealt", "sealed"] = "dealt"
    after_cut: Literal["finish", "one-more"] = "finish"
    new_shoe: Literal["command", "auto"] = "command"
    virtual_cut: int | None = None
    cut_earliest: int | None = None
    policy: str = "keep-order"
    mode: Literal["standard", "vip", "squeeze"] = "standard"
    reveal_timeout: int = 60
    fly_limit: int = 5
    shoe_change_after: int = 30
    shoe_change_minutes: int = 5
    confirm_shuffle: bool = False
    limits: dict[str, Limit] = {}
    pit: str = ""
    shifts: dict[str, str] = {}
    second_person: tuple[str, ...] | UnsetType = UNSET


Choice = Literal["burn", "keep", "remove", "void", "accept", "continue", "end-shoe"]
"""All decisions of a pit supervisor about an irregularity."""

Severity = Literal["note", "warning", "critical"]
Action = Literal["carry", "burn", "keep"]


class Row(Struct, frozen=True):
    """The policy of a house for one irregularity.

    blocks: cards are held and no slot lamp is lit until it is closed. confirm: the dealer's NEXT closes it.
    choices: decisions open to the pit.
    action: what happens to the card where houses differ: `carry` to the next round, `burn`, `keep` for later.
    todo: the next step in English, in journals of format 3.
    """

    blocks: bool = False
    confirm: bool = False
    choices: tuple[Choice, ...] = ()
    severity: Severity = "warning"
    action: Action = "keep"
    todo: str | UnsetType = UNSET


MOST_COUNTED: Final = 33
"""Most dealers with counts of their own in a shift, those that are added up included."""


class Acts(Struct, frozen=True, omit_defaults=True):
    """Acts of a shift that a house watches, while `dealer` dealt ("" where none was signed in).

    entered: cards that people entered. voided, corrected: rounds. cut_early: cut cards that came earlier than they can.
    taken_back: marks.
    """

    dealer: PersonText
    entered: int = 0
    voided: int = 0
    corrected: int = 0
    cut_early: int = 0
    taken_back: int = 0
