"""Scenes for simulated tables in which every message occurs at least once: one for each game, and more."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card

Step = str | inputs.AnyInput | orders.Order
"""A deal script, what a script cannot say, or an order."""


class Scene(NamedTuple):
    """A play at a table of `game` with `settings`, the house's and the game's."""

    game: str
    settings: dict[str, Any]
    steps: tuple[Step, ...]


GAMES: Final = (
    Scene("baccarat", {}, ("shoe 3c 2h 4h 5h", "9s Kd Th Kc", "2c Js 3c 4d 5h 6h", "9d !void misdeal")),
    Scene(
        "blackjack", {}, ("shoe bets=1:100,3:12.5", "8h As 6c 8d Kd 9s", "1:DD 2c Tc", "bets=1:100 9h !void misdeal")
    ),
    Scene(
        "niuniu",
        {},
        (
            "1:grab=3 2:grab=1 3:grab=0 4:grab=2 2:bet=3 3:bet=1 4:bet=2",
            "Kh 2c 9s 8h Qs 4d 8c 6c Td 3s 7h 4c 6s 8d Js 9d 4s 6d Kc Ah",
            "1:grab=1 !void misdeal",
        ),
    ),
    Scene(
        "erbagang",
        {},
        (
            "money=1:1000,2:1000,3:1000,4:1000 1:grab=9 2:grab=0 3:grab=0 4:grab=0",
            "2:bet=1 3:bet=2 4:bet=3 wp 2p 9p 1p wp 8p 8p 9p",
            "1:grab=1 !void misdeal",
        ),
    ),
    Scene(
        "zhajinhua",
        {},
        (
            "money=1:100,2:100,3:100 Ks 9h 4c Kh 9d 5c 7d 2s Ad lot=1",
            "1:look 1:raise=4 2:call 3:fold 1:call 2:compare=1",
            "money=1:100,2:100,3:100 Ks !void misdeal",
        ),
    ),
)
"""A round of each game, and a voided one: what the page shows step by step."""

_LOST: Final = inputs.DeviceLost(at=0, device="reader", why="unplugged")
_BACK: Final = inputs.DeviceBack(at=0, device="reader")
_RESUMED: Final = inputs.DeviceBack(at=0, device="reader", resumes=True)
_TIE: Final = inputs.ReaderJudged(at=0, result=inputs.ReaderResult(("tie",)))
_VIP: Final[dict[str, Any]] = {
    "burn": "none",
    "betting": "required",
    "disclose": "sealed",
    "mode": "vip",
    "shoe_change_after": 0,
}

MORE: Final = (
    Scene(
        "baccarat",
        {"burn": "none"},
        (
            *(orders.Malformed("void", "the reason is missing", 'give "why"'), orders.Void("misdeal")),
            *("shoe", orders.OpenShoe(orders.Pack(decks=99)), "9s", orders.CloseShoe("late"), orders.Next()),
            *(orders.Correct(7, ("9s",), "misread"), orders.Resolve("overdrawn", "burn"), orders.Reveal()),
        ),
    ),
    Scene(
        "zhajinhua",
        {},
        (GAMES[4].steps[0], "2:call 1:raise=3.5 1:compare=9 1:look 1:look 1:call=2 1:S"),
    ),
    Scene("baccarat", {"burn": "none"}, ("shoe 9s Kd Th Kc", orders.Correct(1, ("9s", "Kd", "Th", "Qc"), "misread"))),
    Scene(
        "baccarat",
        {"burn": "none"},
        (
            orders.OpenShoe(orders.Pack(decks=8), "LI", "ANNA"),
            inputs.CardRead(at=0, card=Card("9s"), nonce="", lot=7),
            "Kd ?? Kc",
            _LOST,
            _BACK,
            orders.Resolve("unreadable", "void", "nobody saw it"),
            "lid-open lid-close player",
            inputs.ReaderBooted(at=0, session=2),
            inputs.ReaderSaid(at=0, what="self-test passed"),
            "9s cut ?? cut Kd",
            orders.Enter(Card("Th"), "BO"),
            inputs.ReaderBorrowed(at=0, by="TOM"),
            _BACK,
            orders.Void("a card was dropped"),
            orders.CloseShoe("end of the day"),
            orders.CloseTable("end of the day"),
        ),
    ),
    Scene(
        "baccarat",
        {"close": "next"},
        (
            "shoe 3c next",
            orders.Resolve("burn_short", "accept", "counted"),
            "9s Kd Th Kc 8h",
            orders.Resolve("overdrawn", "burn"),
            "next",
        ),
    ),
    Scene("baccarat", {"burn": "none", "close": "result"}, ("shoe 9s ??", _TIE)),
    Scene(
        "baccarat",
        {"burn": "none"},
        (
            "shoe 9s",
            _LOST,
            orders.Enter(Card("Kd"), "BO"),
            _RESUMED,
            inputs.CardRead(at=0, card=Card("Kd"), nonce="", report=inputs.ReportNo(1, 1)),
        ),
    ),
    Scene(
        "baccarat",
        {"burn": "none", "procedure": "six-card", "disclose": "sealed"},
        ("shoe 9s ?? Th Kc", orders.Enter(Card("Kd"), "BO")),
    ),
    Scene(
        "baccarat",
        _VIP,
        (
            "shoe",
            orders.BetsClosed(),
            orders.BetsOpen(),
            orders.BetsClosed(),
            "9s Kd Th Kc",
            orders.Reveal(("P1", "P2")),
            "+61s",
            orders.Fly(),
            "9h Kh Td Ks",
            orders.RequestShoeChange(),
            orders.RequestDealerChange(),
            orders.DealerIn("WU"),
            "+301s",
            orders.Next(),
            orders.Resend("1-ab12", 1, 9),
        ),
    ),
    Scene(
        "blackjack",
        {},
        ("shoe bets=1:100 9h As 2c 7d", orders.Mark("H", 1), orders.Unmark(), orders.Mark("H", 1), "9d"),
    ),
    Scene(
        "blackjack",
        {},
        ("shoe bets=1:100 9h 9s Tc 8d 1:S", orders.Correct(1, ("9h", "9s", "Tc", "8c", "S"), "misread")),
    ),
    Scene(
        "niuniu",
        {},
        (
            *GAMES[2].steps[:2],
            orders.Correct(1, tuple(f"{GAMES[2].steps[0]} {GAMES[2].steps[1]}".replace("Ah", "As").split()), "misread"),
        ),
    ),
    Scene(
        "erbagang",
        {},
        (
            *GAMES[3].steps[:2],
            orders.Correct(
                1, tuple(f"{GAMES[3].steps[0]} {GAMES[3].steps[1]}".replace("1p", "3p").split()[1:]), "misread"
            ),
        ),
    ),
    Scene(
        "zhajinhua",
        {},
        (
            *GAMES[4].steps[:2],
            orders.Correct(
                1, tuple(f"{GAMES[4].steps[0]} {GAMES[4].steps[1]}".replace("Ad", "Ac").split()[1:]), "misread"
            ),
        ),
    ),
    Scene(
        "zhajinhua",
        {},
        (
            "money=1:50,2:50,3:50 Ks 9h ?? Kh 9d 5c 7d 2s Ad lot=1 1:call 2:call 3:call 1:compare=2 3:compare=1",
            orders.Enter(Card("4c"), "BO"),
        ),
    ),
)
"""What else can happen: an event that these scenes do not show has no example."""
