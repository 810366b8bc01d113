"""What zha jin hua pays."""

from collections.abc import Iterator
from typing import Final

from firmware_bridge.games.payouts import Payment, Payouts
from firmware_bridge.games.zhajinhua.seats import ZhaJinHua

REMARKS: Final = """\
Seats play for a pot. The house takes `[game] rake` of the winner's profit, nothing by default. What a seat gets back
depends on how it plays, and is not worked out. `ante`, `step`, `top`, `rake` and `bonus` can be set; the table shows
their defaults. How often each hand comes: `shoe odds --game zhajinhua`."""

FIXED: Final = (("`rake`", "`[game] rake`, a part of the winner's profit; 0 by default"),)


def payouts() -> Payouts:
    """Return the pot, and the bonus of each kind of hand that has one."""
    return Payouts(REMARKS, FIXED, tuple(_won()))


def _won() -> Iterator[Payment]:
    names = "Pot", "底池", "底池"
    when = "the last seat in, or the winner of the last compare"
    yield Payment("pot", when, "the pot", "all that seats put in, less the rake", names)
    for kind, amount in ZhaJinHua().bonus.items():
        when = "win or lose; not for a hand that was folded without a look"
        pays = f"{amount} from every other seat, as far as its purse goes; no rake"
        yield Payment(kind, when, pays, "from seat to seat")
