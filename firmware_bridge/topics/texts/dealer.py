"""Makes what a dealer's screen shows of a table, in a language; no card that the table does not show openly."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from firmware_bridge.facts.book.orders import ORDERS
from firmware_bridge.facts.book.standing import STAND
from firmware_bridge.facts.wire_states import Act, Alarm, Alarms, Lamps, Table
from firmware_bridge.topics.texts import Language, alarms, known, names, text
from firmware_bridge.topics.texts.acts import Line, Payment, Sayer
from firmware_bridge.topics.texts.done import Done, Refused
from firmware_bridge.topics.texts.refusals import words

State = Literal["lost", "blocked", "alarm", "due"]

SHOWN: Final = 8
"""The last acts on a screen."""

ALARMS: Final = 3
"""Most alarms on a screen, the worst first."""

RULES: Final = ("hand_total", "draws", "stands", "natural", "split", "hits", "doubles", "dealer_draws", "next_pack")
"""Reasons of lamps that say more than the act itself."""

WORST: Final = ("critical", "warning", "note")


class Trouble(NamedTuple):
    """An open alarm: its name, what it concerns, and what to do."""

    name: str
    about: str
    todo: str
    blocks: bool


class Pile(NamedTuple):
    """The cards at a place; None for one face down. Without cards: how many lie there is in the words."""

    place: str
    cards: tuple[str | None, ...]


class Refusal(NamedTuple):
    """What was refused, why, and what to do."""

    what: str
    why: str
    todo: str


class Screen(NamedTuple):
    """All that a dealer's screen shows. due: the acts that are due. compare: the cards that must lie on the table.

    pays: in the order in which they are taken and paid. news: what only the shoe knows of cards face down. acts: the
    last ones, the newest first.
    """

    state: State
    table: str
    game: str = ""
    where: str = ""
    due: tuple[Line, ...] = ()
    why: tuple[str, ...] = ()
    news: tuple[str, ...] = ()
    pays: tuple[Payment, ...] = ()
    compare: tuple[Pile, ...] | None = None
    refused: Refusal | None = None
    alarms: tuple[Trouble, ...] = ()
    more: int = 0
    acts: tuple[str, ...] = ()


class Known(NamedTuple):
    """The state of a table: the latest topics, None until they came, and the last acts.

    lost: the shoe is not connected, so all of it is old.
    """

    name: str
    shoe: int | None
    table: Table | None
    lamps: Lamps | None
    alarms: Alarms | None
    done: Done
    lost: bool = False


def screen(known: Known, lang: Language) -> Screen:
    """Return the dealer's screen of a table; one that is lost shows nothing that might be followed."""
    table, lamps = known.table, known.lamps
    if table is None or lamps is None or known.lost:
        words = text(lang, "dealer.lost" if known.lost else "dealer.unknown")
        return Screen("lost", known.name, due=(Line("wait", words),))
    sayer = _sayer(table, lang)
    opened = known.alarms.open if known.alarms else ()
    alarms = tuple(_troubles(opened, table, lang))
    is_guided = _is_guided(table, lamps)
    acts = table.expected if is_guided else ()
    compares = any(act.verb == "compare" for act in acts)
    due = tuple(sayer.lines(acts)) if is_guided else (Line("wait", text(lang, "dealer.unguided")),)
    blocked = not is_guided or any(each.blocks for each in opened)
    return Screen(
        state="blocked" if blocked else "alarm" if alarms else "due",
        table=known.name,
        game=known_game(lang, _game(table)),
        where=_where(known.shoe, table, lang),
        due=due,
        why=(*sayer.offers(_asked(table, acts)), *_rules(lamps, lang)),
        news=tuple(_signs(lamps, sayer)) if is_guided else (),
        pays=tuple(sayer.payments(acts)),
        compare=tuple(_piles(table, sayer)) if compares else None,
        refused=_refusal(known.done, sayer, table, _asked(table, acts)),
        alarms=alarms[:ALARMS],
        more=max(0, len(alarms) - ALARMS),
        acts=known.done.in_words(sayer)[:SHOWN],
    )


def guidance(table: Table, lamps: Lamps, lang: Language) -> tuple[str, ...]:
    """Return the sentences of all acts that are due, payments among them, in the order in which they are done."""
    if not _is_guided(table, lamps):
        return (text(lang, "dealer.unguided"),)
    return tuple([line.text for line in _sayer(table, lang).sentences(table.expected)])


def _is_guided(table: Table, lamps: Lamps) -> bool:
    return lamps.lit != UNGUIDED or any(act.verb == "wait" for act in table.expected)


UNGUIDED: Final = {"fault": "blocked"}
"""The lamps of a shoe that does not guide; with an alarm that blocks it, the pit is awaited."""


def known_game(lang: Language, game: str) -> str:
    """Return the name of a game."""
    return known(lang, f"game.{game}") or game


def _game(table: Table) -> str:
    """Return the game of the present or next shoe."""
    return table.settings.game if table.phase in ("empty", "ended") else table.game


def _where(shoe: int | None, table: Table, lang: Language) -> str:
    if table.phase in ("empty", "ended"):
        return text(lang, f"phase.{table.phase}")
    where = text(lang, "dealer.where", shoe=shoe or 0, round=table.round)
    return f"{where} · {text(lang, 'dealer.last')}" if table.last else where


def _sayer(table: Table, lang: Language) -> Sayer:
    hands = table.hands if isinstance(table.hands, Mapping) else {}
    named = [*hands, *[act.hand or act.to for act in table.expected]]
    split = [name.partition(".")[0] for name in named if name.partition(".")[2] not in ("", "1")]
    return Sayer(lang, split, [name for name, cards in hands.items() if any(cards) and None in cards])


def _asked(table: Table, acts: Sequence[Act]) -> Mapping[str, Mapping[str, Any]]:
    """Return the marks that are asked for; none unless they are due."""
    asked = table.act if isinstance(table.act, Mapping) else {}
    return asked if any(act.verb == "ask" for act in acts) else {}


def _rules(lamps: Lamps, lang: Language) -> Iterator[str]:
    for each in lamps.reasons:
        if each.id in RULES and (words := names.reason_of(lang, each)):
            yield words


def _signs(lamps: Lamps, sayer: Sayer) -> Iterator[str]:
    """Yield what only the shoe knows of cards that lie face down, by the rhythm of its lamp."""
    for slot, rhythm in lamps.lit.items():
        if slot == "D" and rhythm in ("quick", "double"):
            yield text(sayer.lang, "done.has" if rhythm == "quick" else "done.has_not")
        elif slot.startswith("S") and rhythm == "quick":
            yield text(sayer.lang, "done.lost", hand=sayer.place(slot))


def _piles(table: Table, sayer: Sayer) -> Iterator[Pile]:
    """Yield the cards on the table, as far as they lie open, and how many lie beside."""
    collected = table.collected if isinstance(table.collected, tuple) else ()
    for name, cards in lying(table).items():
        if name not in collected:
            yield Pile(sayer.place(name), tuple(cards))
    if table.beside:
        yield Pile(text(sayer.lang, "dealer.beside", count=table.beside), ())


def lying(table: Table) -> Mapping[str, Sequence[str | None]]:
    """Return hand, or slot -> its cards; None for one face down."""
    if isinstance(table.hands, Mapping) and table.hands:
        return table.hands
    laid: dict[str, list[str | None]] = {}
    for each in table.slots:
        laid.setdefault(each.slot, []).append(each.card if isinstance(each.card, str) else None)
    return laid


def _troubles(opened: Iterable[Alarm], table: Table, lang: Language) -> Iterator[Trouble]:
    order = {name: place for place, name in enumerate(WORST)}
    for each in sorted(opened, key=lambda each: (not each.blocks, order.get(each.severity, len(WORST)), each.since)):
        id, values = each.id, each.values
        todo = alarms.todo(lang, id, table.settings.policy, values)
        yield Trouble(alarms.name(lang, id, values), alarms.about(lang, id, values), todo, each.blocks)


def _refusal(done: Done, sayer: Sayer, table: Table, asked: Mapping[str, Mapping[str, Any]]) -> Refusal | None:
    refused = done.refused
    if refused is None or not _still_holds(refused, table):
        return None
    lang, offers = sayer.lang, " · ".join(sayer.offers(asked))
    what = text(lang, f"refused.{refused.what}", key=refused.key, who=refused.who(sayer))
    why = _no_mark_due(table, lang) if refused.code == "no_mark_due" else _why(refused, lang)
    if refused.what == "mark" and offers:
        return Refusal(what, why, text(lang, "refused.again", asked=offers))
    return Refusal(what, why, text(lang, _instead(refused.code)))


def _still_holds(refused: Refused, table: Table) -> bool:
    """Return whether a refusal is of now; False once the table says no more that it refuses so."""
    row = ORDERS.get(refused.do)
    if row is None or refused.code in row.said or refused.code not in row.codes or not table.orders:
        return True
    return table.orders.get(refused.do) == refused.code


def _no_mark_due(table: Table, lang: Language) -> str:
    """Return what is due instead of a mark."""
    due = {(act.verb, act.key or act.what) for act in table.expected}
    instead = next((f".{id}" for id, acts in NO_MARK.items() if due & acts), "")
    return text(lang, f"refused.no_mark_due{instead}")


NO_MARK: Final = {
    "bets": {("wait", "bets")},
    "opening": {("press", "reveal")},
    "card": {("draw", "")},
}
"""Texts by what is due where no mark is: verb, and key or what."""


def _why(refused: Refused, lang: Language) -> str:
    """Return why something was refused, in the dealer's words."""
    if (found := known(lang, f"refused.{refused.code}")) is not None:
        return found
    return words(lang, refused.code, refused.values, refused.error, "")[0] if lang == "en" else text(lang, OTHER)


OTHER: Final = "refused.other"


def _instead(code: str) -> str:
    """Return the id of what to do instead of what was refused."""
    return INSTEAD.get(code, "instead.stands" if code in STAND else "refused.todo")


INSTEAD: Final = {"mark_taken_back": "instead.right"}
