"""The messages of a reader, the same for every protocol."""

from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import fields

Concern = Literal["card", "movement", "optics"]
"""What a report without a code is about: a card nobody read, a movement in the shoe, or the reader's own optics."""

CONCERNS: Final[dict[str, Concern]] = {
    "unreadable": "card",
    "double_feed": "card",
    "jam": "movement",
    "backwards": "movement",
    "lamp_weak": "optics",
    "saturated": "optics",
}
"""Every reason that boards give by its number, and its concern; a reason in plain words concerns a card."""

REASONS: Final = tuple(CONCERNS)
"""The reasons in the order of their numbers, from 1."""


class ReportNo(Struct, frozen=True, gc=False):
    """The number of a report: the board's boot session (u16), and `seq` in it (0..255, wraps)."""

    session: int
    seq: int


class Read(Struct, frozen=True, gc=False):
    """One card left the shoe; `code` is the reader's own and means nothing before the code book.

    `report` is None where the protocol numbers nothing. `quality` is 0..255; `agreed` of `taken` samples
    gave this code; `transit_ms` is the time the card took; `lost` counts reports the board had to
    overwrite since its boot; `stamp_ms` is the board's clock. `gap` says that reports before this one
    are gone for good. `slot` is where a reader that judges the game says the card goes: P1 .. B3, or
    `burn`. The code is secret until disclosed, so `repr` prints it as `??`.
    """

    code: int | str
    report: ReportNo | None = None
    quality: int | None = None
    agreed: int | None = None
    taken: int | None = None
    transit_ms: int | None = None
    face_up: bool = False
    double_feed: bool = False
    backwards: bool = False
    lost: int = 0
    stamp_ms: int | None = None
    gap: bool = False
    slot: str | None = None

    def __repr__(self) -> str:
        return masked(self)


class Unread(Struct, frozen=True, gc=False):
    """Something passed that is not a readable card; `reason`: of `REASONS`, or plain words; the rest as in `Read`."""

    reason: str
    report: ReportNo | None = None
    lost: int = 0
    stamp_ms: int | None = None
    gap: bool = False

    @property
    def concerns(self) -> Concern:
        return CONCERNS.get(self.reason, "card")


class Repeat(Struct, frozen=True, gc=False):
    """A report that was taken before: acknowledge it again, nothing else."""

    report: ReportNo


class CutCard(Struct, frozen=True, gc=False):
    """The reader itself knows the cut card, and saw it."""


Outcome = Literal["player", "banker", "tie", "forced"]


class Verdict(Struct, frozen=True, gc=False):
    """A reader that judges the game says its result; `forced`: the round was ended by its button."""

    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False


class Notice(Struct, frozen=True, gc=False):
    """Something else for the record: `what` in plain words, never a card. gap: cards may differ from the reports."""

    what: str
    gap: bool = False


class Hello(Struct, frozen=True, gc=False):
    """A board introduces itself after its boot, until it is greeted; `reset_cause` is the board's number."""

    session: int
    protocol: int
    firmware: tuple[int, int]
    serial: str
    reset_cause: int


class Beat(Struct, frozen=True, gc=False):
    """A board is alive; `lamp` and `ambient` are light levels 0..255, `temperature` is in degrees Celsius."""

    session: int
    uptime_ms: int
    lamp: int
    ambient: int
    temperature: int


class Sample(Struct, frozen=True):
    """Raw sensor levels (ADC counts 0..4095) from the board's clock `stamp_ms` on."""

    stamp_ms: int
    levels: tuple[int, ...]


class Param(Struct, frozen=True, gc=False):
    """The value a board's parameter has now."""

    id: int
    value: int


class Done(Struct, frozen=True, gc=False):
    """A board carried out `command`; status 0 is success."""

    command: int
    status: int


Message = Read | Unread | Repeat | CutCard | Verdict | Notice | Hello | Beat | Sample | Param | Done


def masked(value: Any, secret: str = "code") -> str:
    """The repr of any Struct, with the field `secret` as `??`."""
    shown = {f.name: repr(getattr(value, f.name)) for f in fields(value)} | {secret: "??"}
    return f"{type(value).__name__}({', '.join(f'{name}={text}' for name, text in shown.items())})"
