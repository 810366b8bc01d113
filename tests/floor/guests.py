"""Tables of all games as guest screens hear them: every message that each publishes, in order, whatever goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from random import Random
from typing import Any, Final

import msgspec

from firmware_bridge.facts import inputs, orders
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import usual
from firmware_bridge.journal.line import Line
from firmware_bridge.shoe import Phase, phase
from firmware_bridge.topics.state import snapshots
from tests.floor.guest_stage import LIMITS, Stage, Watched
from tests.games.seated import VARIANTS, Seated
from tests.golden.wild import Wild
from tests.kit.table import BACK, LOST, RESTART

PEOPLE: Final = ("ANNABEL", "BORIS", "DEALERWU", "PITBOSSQI")
"""Names of people, which no screen may show."""

WHY: Final = "SPILLEDTEA"
"""A reason that somebody gives."""

PURSES: Final = ("70913.5", "80917.25", "60919.75", "50921.5")
BETS: Final = ("313.37", "471.13", "909.91", "611.7")


class Evening(Seated):
    """Rounds of one game, one after the other, with guests who do anything the game allows, and a floor in trouble."""

    def __init__(self, game: str, seed: int, **house: Any) -> None:
        self.rng, self.rules, self.stage, self.done = Random(f"{game} {seed}"), GAMES[game], Stage(), []
        variants = VARIANTS.get(game, [{}])
        given = {"game": game, **usual(game), **variants[seed % len(variants)], "limits": LIMITS, **house}
        self.table = Watched(self.stage, **given)
        self.stage.status(self.table.shoe, "online", began=True)
        self.stage.health(self.table.shoe)

    def play_rounds(self, count: int) -> Evening:
        """So many rounds that are over, voided ones too, in as many packs as they take."""
        for _ in range(400 * count):
            if len(self.table.rounds) >= count:
                break
            self.step()
        assert len(self.table.rounds) >= count
        return self

    def step(self) -> None:
        """What happens next: play goes on, or something goes wrong and is put right."""
        shoe = self.table.shoe
        if any(each.id in self._blocking() for each in shoe.device.irregular):
            self._put_right()
        elif shoe.status != "open":
            self._open()
        elif self.rng.random() < 0.06:
            self._mishap()
        elif phase(shoe) is Phase.COMPLETE:
            self._order(orders.Next())
        elif phase(shoe) is Phase.BURNING:
            self.do(self.deck[len(shoe.seen)])
        else:
            self.do(self.next())

    def _order(self, order: orders.Order, **more: Any) -> None:
        self.table.take(self.table.order(order, by=self.rng.choice(PEOPLE), id=f"ORDER{self.rng.random()}", **more))

    def _open(self) -> None:
        self.deck = [card for card, copies in self.rules.pack.items() for _ in range(copies * self.table.house.decks)]
        self.rng.shuffle(self.deck)
        self._order(orders.DealerIn("DEALERWU"))
        self._order(orders.OpenShoe(confirmed_by="PITBOSSQI"))

    def _stakes(self) -> orders.Order:
        if not self.rules.money.stakes:
            return orders.BetsClosed()
        amounts = PURSES if self.rules.money.stakes == "money" else BETS
        fields: dict[str, Any] = {self.rules.money.stakes: {str(n): each for n, each in enumerate(amounts, 1)}}
        return orders.BetsClosed(**fields)

    def _blocking(self) -> set[str]:
        alarms = [each for each in self.stage.said if each.topic == "alarm"][-1:]
        return {each["id"] for one in alarms for each in msgspec.json.decode(one.payload)["open"] if each["blocks"]}

    def _mishap(self) -> None:
        shoe, draw = self.table.shoe, self.rng.randrange(8)
        self.stage.health(shoe)
        if draw == 0:
            self._order(orders.Void(WHY))
        elif draw == 1:
            self.table.take(LOST)
        elif draw == 2:
            self.table.take(inputs.CardUnread(at=0, reason="unreadable", nonce=self.table.nonce()))
        elif draw == 3:
            self.table.take(RESTART)
            self.stage.status(self.table.shoe, "online", began=True)
        elif draw == 4:
            self.stage.status(shoe, "lost")
            self.stage.status(shoe, "online", began=True)
        elif draw == 5:
            self.do(self.deck[len(shoe.seen) % len(self.deck)])
        elif draw == 6:
            self._correct()
        else:
            self.stage.other("reply", b'{"ok":false,"id":"ORDER1","error":"SPILLEDTEA"}')
            self.stage.other("odds", b'{"v":1,"table":"T07","shoe":1,"round":1,"cards":77,"odds":null}')

    def _correct(self) -> None:
        closed = [each for each in self.table.rounds if each["status"] == "closed"]
        if closed and self.table.house.game == "baccarat":
            faces = [each["card"] for each in closed[-1]["cards"]]
            self._order(orders.Correct(closed[-1]["round"], tuple(faces), WHY))

    def _put_right(self) -> None:
        alarms = self.table.shoe.device.irregular
        names = {each.id for each in alarms}
        if "reader_lost" in names:
            self.table.take(BACK)
            return
        before = len(self.table.lines)
        if "unreadable" in names and self.rng.random() < 0.7:
            order = orders.Enter(self.deck[min(len(self.table.shoe.seen), len(self.deck) - 1)], "BORIS")
            self.table.take(self.table.order(order, by="ANNABEL"))
        self._order(orders.Next())
        for each in alarms:
            for choice in ("accept", "keep", "continue", "remove", "void"):
                if self.table.open and each.id in self.table.open:
                    with suppress(Exception):
                        self._order(orders.Resolve(each.id, choice, WHY))
        if self.table.open and len(self.table.lines) > before + 40:
            self._order(orders.Void(WHY))


class WildTable(Wild):
    """A table of baccarat where people and devices do whatever they can."""

    def __init__(self, seed: int, **house: Any) -> None:
        self.stage = Stage()
        super().__init__(_NoTape(), Random(seed), **({"game": "baccarat", "limits": LIMITS} | house))  # type: ignore[arg-type]
        self.stage.status(self.shoe, "online", began=True)

    def record(self, line: Line) -> None:
        self.chain = line.chain
        self.stage.line(line, self.shoe)

    def record_states(self) -> None:
        self.stage.states(self.shoe)
        self.tape.now = msgspec.json.decode(msgspec.json.encode(snapshots(self.shoe)))


class _NoTape:
    """Keeps what a golden table steers by, and records nothing."""

    now: dict[str, Any]

    def judged(self, *_: Any) -> None:
        """Nothing."""


@cache
def evening(game: str, seed: int, rounds: int, *house: tuple[str, Any]) -> Stage:
    """What a table of a game publishes in so many rounds."""
    return Evening(game, seed, **dict(house)).play_rounds(rounds).stage


@cache
def wild(seed: int, steps: int, *house: tuple[str, Any]) -> Stage:
    """What a table of baccarat publishes while anything happens."""
    table = WildTable(seed, **dict(house))
    for _ in range(steps):
        table.act()
    return table.stage


HOUSES: Final[dict[str, tuple[tuple[str, Any], ...]]] = {
    "as it stands": (),
    "bets closed by an order": (("betting", "required"),),
    "sealed": (("betting", "required"), ("disclose", "sealed")),
    "six cards": (("procedure", "six-card"),),
    "six cards, sealed": (("procedure", "six-card"), ("betting", "required"), ("disclose", "sealed")),
}
"""How baccarat is dealt."""


def _stages() -> dict[str, Callable[[], Stage]]:
    made: dict[str, Callable[[], Stage]] = {}
    for n, (name, house) in enumerate(HOUSES.items()):
        made[f"baccarat, {name}"] = partial(evening, "baccarat", n, 20, *house)
        made[f"baccarat, {name}, anything"] = partial(wild, n, 70, *house)
    for game in VARIANTS:
        made[game] = partial(evening, game, 0, 10)
        made[f"{game}, sealed"] = partial(evening, game, 1, 6, ("disclose", "sealed"))
    return made


STAGES: Final = _stages()
"""By name: whole evenings of all games and kinds of houses; called, what a table published."""
