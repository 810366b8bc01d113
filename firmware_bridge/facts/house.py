"""The house's choices as data: table settings, and what is done about each irregularity."""

from typing import Literal

from msgspec import Raw, Struct, field

Limit = int | str | dict[str, int | str]
"""A limit of the table as backends read it: money in whole units, or as a decimal text."""

Burn = Literal["first-card", "none"] | int


class House(Struct, frozen=True):
    """The settings of a table that a shoe is dealt under; frozen when the shoe is opened.

    terms: the settings of the game, as JSON. burn: `first-card` (the first card exposed, its value more burned
    unseen), `none`, or a number of cards burned unseen. close: rounds end by themselves, by NEXT, or when a reader
    that judges the game tells its result (NEXT then ends them too). virtual_cut: cards from the end where a cut card
    must have been met, None for no such limit. reveal_timeout: seconds until sealed cards open by themselves.
    shoe_change_after: rounds a guest must have seen before asking for another shoe, which is due within
    shoe_change_minutes.
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
    policy: str = "keep-order"
    mode: Literal["standard", "vip", "squeeze"] = "standard"
    reveal_timeout: int = 60
    fly_limit: int = 5
    shoe_change_after: int = 30
    shoe_change_minutes: int = 5
    confirm_shuffle: bool = False
    limits: dict[str, Limit] = {}


Choice = Literal["burn", "keep", "remove", "void", "accept", "continue", "end-shoe"]
"""All a floor supervisor can decide about an irregularity."""

Severity = Literal["note", "warning", "critical"]
Action = Literal["carry", "burn", "keep"]


class Row(Struct, frozen=True):
    """What one irregularity means in one house.

    blocks: cards are held and nothing is guided until it is closed. confirm: the dealer's NEXT closes it.
    choices: what the floor may decide. todo: what the dealer or the floor does next, as the alarm says it.
    action: what becomes of the card where houses differ: `carry` to the next round, `burn`, `keep` for later.
    """

    todo: str
    blocks: bool = False
    confirm: bool = False
    choices: tuple[Choice, ...] = ()
    severity: Severity = "warning"
    action: Action = "keep"
