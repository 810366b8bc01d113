"""For backends: commitments, gaps, limits, squeeze right and settlement, as plain functions of messages and bets.

Needs the standard library and msgspec, no connection and no daemon. Money is `decimal.Decimal`, never float.

>>> from decimal import Decimal
>>> from firmware_bridge.games.baccarat.bets import closed
>>> from firmware_bridge.client import Pool, Range, Rounding, Rounds, Wager, common, payments, refusals, settle, squeeze
>>> own = common(account=Range(Decimal(100), Decimal(20000)), table=Range(Decimal(1), Decimal(10000)))
>>> pool = Pool(differential=Decimal(50000), totals={"tie": Decimal(5000), "big_tiger": Decimal(500)})
>>> accepted = [Wager("ann", "banker", Decimal("100.50"))]  # in the order of acceptance
>>> [(each.rule, each.why) for each in refusals(Wager("bo", "tie", Decimal(50)), accepted, own, pool, closed(31))]
[('minimum', '50 on tie is less than 100')]
>>> squeeze(accepted, "largest-stake")
Squeeze(player=(), banker=('ann',))
>>> rounds = Rounds()  # take() returns None for a repeat; command(gap, id) sends each of rounds.gaps()
>>> message = rounds.take(b'''{"v": 2, "table": "T07", "shoe": 3, "journal": "3-5ad1", "seq": 57, "n": 1, "of": 2,
...     "at": "2026-11-20T21:33:05.123Z", "boot": "5c1e", "prev": null, "game": "baccarat", "round": 31,
...     "status": "closed", "revision": 0, "cards": [], "hands": {}, "outcome": "banker", "unit": "stake",
...     "bets": {"player": -1, "banker": 0.95, "tie": -1}, "stakes": {}, "carried": 0, "last": false, "flags": [],
...     "why": []}''')
>>> paid = settle(message, accepted, Rounding())  # exact; Rounding(Decimal("0.01")): what is won, to a hundredth
>>> paid.held  # wagers on a bet without a result in the message: ask the floor; all others are paid
()
>>> payments(paid)  # the stake included; store `paid` with them, in one transaction
{'ann': Decimal('195.9750')}
>>> payments(paid, before=paid)  # a repeat pays nothing; a correction pays the difference
{}
"""

from firmware_bridge.client.commitments import Proof, Verdict, Verifier, commitment
from firmware_bridge.client.heads import head_of
from firmware_bridge.client.ledger import Events, Rounds
from firmware_bridge.client.limits import FIVE_AREAS, Pool, Range, Refusal, common, refusals, refusals_of_five
from firmware_bridge.client.money import MoneyError, Rounding
from firmware_bridge.client.payload import MessageError, Payload, command, event_message, round_message, state
from firmware_bridge.client.settle import Held, Paid, Settlement, payments, settle
from firmware_bridge.client.stakes import (
    Seated,
    Stakes,
    bets_refused,
    further_refused,
    most_owed,
    multiple_refused,
    purses_refused,
    purses_short,
    stake_refused,
)
from firmware_bridge.client.wager import Squeeze, Wager, squeeze
from firmware_bridge.facts.wire import (
    ClosedRound,
    CorrectedRound,
    EventMessage,
    Identity,
    RoundMessage,
    StateHead,
    VoidedRound,
)
from firmware_bridge.games.baccarat.script import SqueezeRule
from firmware_bridge.games.erbagang.script import third

__all__ = [
    "FIVE_AREAS",
    "ClosedRound",
    "CorrectedRound",
    "EventMessage",
    "Events",
    "Held",
    "Identity",
    "MessageError",
    "MoneyError",
    "Paid",
    "Payload",
    "Pool",
    "Proof",
    "Range",
    "Refusal",
    "RoundMessage",
    "Rounding",
    "Rounds",
    "Seated",
    "Settlement",
    "Squeeze",
    "SqueezeRule",
    "Stakes",
    "StateHead",
    "Verdict",
    "Verifier",
    "VoidedRound",
    "Wager",
    "bets_refused",
    "command",
    "commitment",
    "common",
    "event_message",
    "further_refused",
    "head_of",
    "most_owed",
    "multiple_refused",
    "payments",
    "purses_refused",
    "purses_short",
    "refusals",
    "refusals_of_five",
    "round_message",
    "settle",
    "squeeze",
    "stake_refused",
    "state",
    "third",
]
