"""What blackjack pays."""

from typing import Final

from firmware_bridge.games.payouts import Payment, Payouts, returned_once

REMARKS: Final = """\
What comes back depends on how a seat plays, and is not worked out here. Exact are the ends of the dealer's hand by the
first card, and the chance to bust: `shoe odds --game blackjack`."""

FIXED: Final = (
    ("`6:5`, `3:2`", "a blackjack pays 3 to 2; 6 to 5 cannot be set"),
    ("`insurance`, `even_money`", "there is none, and it cannot be set"),
    ("`h17`, `s17`, `soft17`", "the dealer stands on soft 17; this cannot be set"),
    ("`surrender`", "a seat's first decision, after the peek, for half the bet; this cannot be set"),
    ("`double`, `das`", "any first two cards of a hand, after a split too; this cannot be set"),
    ("`rake`", "there is none: the house plays against the seats"),
)

_RETURNS: Final = "depends on play"

PAYMENTS: Final = (
    Payment(
        "blackjack",
        "an ace and a ten with the first two cards of a hand that was not split, and the dealer has no blackjack",
        "3 to 2",
        _RETURNS,
        ("Blackjack", "黑傑克", "黑杰克"),
    ),
    Payment(
        "win",
        "a higher total than the dealer, or the dealer busts",
        "1 to 1, on what a double or a split put in too",
        _RETURNS,
        ("Win", "贏", "赢"),
    ),
    Payment("push", "the dealer's total, or both have a blackjack", "stake back", _RETURNS, ("Push", "和局", "和局")),
    Payment(
        "surrender",
        "the mark `SU`, as a seat's first decision",
        "half the bet back",
        _RETURNS,
        ("Surrender", "投降", "投降"),
    ),
    Payment("lose", "a bust, a lower total, or the dealer's blackjack", "nothing", _RETURNS, ("Lose", "輸", "输")),
)


def payouts() -> Payouts:
    """Return the payments of a hand by its end."""
    return Payouts(REMARKS, FIXED, returned_once(PAYMENTS))
