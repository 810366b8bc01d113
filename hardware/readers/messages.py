"""Messages of a reader, the same for every protocol."""

from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import fields

Concern = Literal["card", "movement", "optics"]
"""What a report without a code is about: an unread card, a movement in the shoe, or the reader's optics."""

CONCERNS: Final[dict[str, Concern]] = {
    "unreadable": "card",
    "double_feed": "card",
    "jam": "movement",
    "backwards": "movement",
    "lamp_weak": "optics",
    "saturated": "optics",
}
"""Reason of a board -> its concern, in the order of their numbers; a reason in plain words concerns a card."""

REASONS: Final = tuple(CONCERNS)
"""The reasons in the order of their numbers, from 1."""


class ReportNo(Struct, frozen=True, gc=False):
    """The number of a report: the board's boot session (u16), and `seq` in it (0..255, wraps)."""

    session: int
    seq: int


class Read(Struct, frozen=True, gc=False):
    """One card left the shoe; `code` is the reader's own and means nothing before the code book.

    report: None if the protocol has no numbers. quality: 0..255. `agreed` of `taken` samples gave this code.
    transit_ms: the time the card took. lost: reports that the board has overwritten since its boot. stamp_ms: the
    board's clock. gap: reports before this one are lost for good. slot: the place given by a reader that judges the
    game, P1 .. B3 or `burn`. again: the code before was the same, so lately that it may be the same card. The code is
    secret until disclosed, so `repr` prints it as `??`.
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
    again: bool = False

    def __repr__(self) -> str:
        return masked(self)


class Unread(Struct, frozen=True, gc=False):
    """Something passed and was not read; `reason`: of `REASONS`, or plain words; the rest as in `Read`."""

    reason: str
    report: ReportNo | None = None
    lost: int = 0
    stamp_ms: int | None = None
    gap: bool = False

    @property
    def concerns(self) -> Concern:
        return CONCERNS.get(self.reason, "card")


class Repeat(Struct, frozen=True, gc=False):
    """A report handled before: acknowledge it again, nothing else."""

    report: ReportNo


class CutCard(Struct, frozen=True, gc=False):
    """The cut card passed a reader that recognizes it."""


Outcome = Literal["player", "banker", "tie", "forced"]


class Verdict(Struct, frozen=True, gc=False):
    """The result from a reader that judges the game; `forced`: the round was ended by its button."""

    outcome: Outcome
    player_pair: bool = False
    banker_pair: bool = False


class Notice(Struct, frozen=True, gc=False):
    """A note for the journal: `what` in plain words, never a card.

    gap: cards may differ from the reports. overdrawn: it is of a card too many, drawn after the round was complete.
    """

    what: str
    gap: bool = False
    overdrawn: bool = False


class Hello(Struct, frozen=True, gc=False):
    """Sent by a board after its boot until it is acknowledged; `reset_cause` is the board's number."""

    session: int
    protocol: int
    firmware: tuple[int, int]
    serial: str
    reset_cause: int


class Beat(Struct, frozen=True, gc=False):
    """Heartbeat of a board; `lamp` and `ambient` are light levels 0..255, `temperature` is in degrees Celsius."""

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
    """The current value of a board's parameter."""

    id: int
    value: int


class Done(Struct, frozen=True, gc=False):
    """The answer to `command`; status 0 is success."""

    command: int
    status: int


Message = Read | Unread | Repeat | CutCard | Verdict | Notice | Hello | Beat | Sample | Param | Done


def masked(value: Any, secret: str = "code") -> str:
    """Return the repr of any Struct, with the field `secret` as `??`."""
    shown = {f.name: repr(getattr(value, f.name)) for f in fields(value)} | {secret: "??"}
    return f"{type(value).__name__}({', '.join(f'{name}={text}' for name, text in shown.items())})"
