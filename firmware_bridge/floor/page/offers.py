"""What the pit may order at a table now, and why a table would refuse the rest: from what the table publishes."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from firmware_bridge.facts import orders
from firmware_bridge.facts.orders import OF_ROUND, Order, tag_of
from firmware_bridge.facts.wire_states import Alarm, Table
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.floor.page.tile import Trouble
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import Language, alarms, names, text

GIVEN: Final[tuple[type[Order], ...]] = (
    orders.Void,
    orders.BetsOpen,
    orders.BetsClosed,
    orders.RequestShoeChange,
    orders.RequestDealerChange,
    orders.CloseTable,
    orders.Resolve,
)
"""The orders that people may give here. Never `correct` and `enter`: these are given where the cards are."""

KEY_NAME: Final = "page"
"""The name of the page's key in the tables' `[[orders]]`."""

FIELDS: Final = ("why", "irregularity", "choice")
"""Fields of a form that are those of its order, beside `round`."""

WITH_REASON: Final = ("void", "resolve", "close_table")
"""Orders with a reason; that of `void` is asked for."""

NOTHING_LIES: Final = ("empty", "ended", "burning", "betting")
"""Phases without a round that could be voided, unless a card is held."""


class GoneOn(Exception):
    """A form of a round or an alarm that is no more."""


class Offer(NamedTuple):
    """An order that could be given. fields: of its form. why_not: why the table would refuse it now, "" if not."""

    fields: dict[str, str]
    label: str
    why_not: str = ""


def offered(seen: Seen, needs: Trouble, lang: Language) -> Iterator[Offer]:
    """Yield all orders of the pit at a table; where an alarm's decision voids the round, there is no second button."""
    table = seen.table
    if table is None:
        return
    silent = text(lang, "order.not.silent") if needs.silent else ""
    opened = seen.alarms.open if seen.alarms else ()
    decisions = [each for alarm in opened for each in _decisions(seen, table, alarm, silent, lang)]
    yield from decisions
    is_voided_so = any(each.fields["choice"] == "void" and not each.why_not for each in decisions)
    of_round = {"journal": seen.messages["table"].head.journal, "round": str(table.round)}
    for order in GIVEN:
        if order is orders.Resolve or (order is orders.Void and is_voided_so):
            continue
        do = tag_of(order)
        fields = {"do": do, **(of_round if order in OF_ROUND else {})}
        why_not = silent or _why_not(seen, table, order, lang)
        yield Offer(fields, text(lang, f"order.{do}", round=table.round), why_not)


def _decisions(seen: Seen, table: Table, alarm: Alarm, silent: str, lang: Language) -> Iterator[Offer]:
    for choice in alarm.choices:
        fields = {"do": "resolve", "irregularity": alarm.id, "since": str(alarm.since), "choice": choice}
        needs_two = is_of_two(orders.Resolve(alarm.id, choice), table)  # type: ignore[arg-type]  # of a table
        why_not = silent or _not_taken(seen, "resolve", needs_two, lang)
        yield Offer(fields, _decided(alarms.name(lang, alarm.id, alarm.values), choice, lang), why_not)


def takes(seen: Seen) -> tuple[str, ...] | None:
    """Return the orders that a table takes of this page; None where it does not say."""
    published = seen.status.orders if seen.status else {}
    if not published:
        return None
    if KEY_NAME in published:
        return published[KEY_NAME]
    return published[""] if set(published) == {""} else ()  # a table without keys verifies no signature


def is_of_two(order: Order, table: Table) -> bool:
    """Return whether the house of a table asks two people for an order."""
    asked = table.settings.second_person or ()
    match order:
        case orders.Void():
            return "void" in asked
        case orders.Resolve(choice=choice):
            is_void = choice == "void" or (choice == "end-shoe" and table.phase in ("dealing", "complete"))
            return "resolve" in asked or ("void" in asked and is_void)
    return False


def verify_present(order: Order, fields: Mapping[str, str], seen: Seen) -> None:
    """Raise GoneOn for a form of another round, or of an alarm that is open no more."""
    if isinstance(order, OF_ROUND):
        now = seen.messages.get("table")
        if now is None or (now.head.journal, now.body.round) != (fields.get("journal"), order.round):
            raise GoneOn
    elif isinstance(order, orders.Resolve):
        opened = seen.alarms.open if seen.alarms else ()
        if (order.irregularity, fields.get("since")) not in [(each.id, str(each.since)) for each in opened]:
            raise GoneOn


def order_of(fields: Mapping[str, str]) -> Order:
    """Return the order in the fields of a form. Raises ValueError, or one of msgspec, for none that is given here."""
    kinds = {tag_of(each): each for each in GIVEN}
    kind = kinds[fields["do"]] if fields.get("do") in kinds else None
    if kind is None:
        raise ValueError("no order of this page")
    given: dict[str, Any] = {each: fields[each].strip() for each in FIELDS if fields.get(each)}
    if kind is orders.Void:
        given.setdefault("why", "")
    if kind in OF_ROUND:
        given["round"] = int(fields.get("round", ""))
    return msgspec.convert({"do": fields["do"], **given}, kind)


def label_of(order: Order, seen: Seen, lang: Language) -> str:
    """Return an order in words, as its button has them."""
    if isinstance(order, orders.Resolve):
        opened = seen.alarms.open if seen.alarms else ()
        named = (alarms.name(lang, each.id, each.values) for each in opened if each.id == order.irregularity)
        alarm = next(named, order.irregularity)
        return _decided(alarm, order.choice, lang)
    return text(lang, f"order.{tag_of(order)}", round=getattr(order, "round", "") or "")


def _decided(alarm: str, choice: str, lang: Language) -> str:
    """Return an alarm and a decision on it."""
    return f"{alarm}{': ' if lang == 'en' else '：'}{_choice(choice, lang)}"


def _choice(choice: str, lang: Language) -> str:
    """Return a decision in words; the word to type before it only in English, where it says something."""
    words = names.choice(lang, choice)
    return words if lang == "en" else words.removeprefix(choice).removeprefix("：")


def consequence(order: Order, seen: Seen, lang: Language) -> str:
    """Return what will happen at the table, in plain words."""
    if isinstance(order, orders.Resolve):
        voids = order.choice in ("void", "end-shoe") and seen.table and seen.table.phase in ("dealing", "complete")
        more = f" {text(lang, 'order.what.void', round=seen.table.round)}" if voids and seen.table else ""
        return text(lang, "order.what.resolve", choice=_choice(order.choice, lang)) + more
    minutes = seen.table.settings.shoe_change_minutes if seen.table else ""
    return text(lang, f"order.what.{tag_of(order)}", round=getattr(order, "round", "") or "", minutes=minutes)


def _why_not(seen: Seen, table: Table, order: type[Order], lang: Language) -> str:
    """Return why a table would refuse an order now, "" where it would not."""
    return _not_taken(seen, tag_of(order), order is orders.Void and _asks_two(table), lang) or _not_now(
        table, order, lang
    )


def _asks_two(table: Table) -> bool:
    return "void" in (table.settings.second_person or ())


def _not_taken(seen: Seen, do: str, needs_two: bool, lang: Language) -> str:
    """Return why the page may not give an order to this table at all."""
    taken = takes(seen)
    if taken is not None and do not in taken:
        return text(lang, "order.not.allowed", do=do)
    if needs_two and seen.status and KEY_NAME not in seen.status.two_people:
        return text(lang, "order.not.two_people")
    return ""


def _not_now(table: Table, order: type[Order], lang: Language) -> str:
    """Return why a table refuses an order as it stands now."""
    is_open, settings, game = table.phase not in ("empty", "ended"), table.settings, GAMES.get(table.game)
    if order is orders.CloseTable:
        return text(lang, "order.not.closed") if table.closed else text(lang, "order.not.shoe_open") if is_open else ""
    if order is orders.RequestDealerChange:
        if settings.mode != "vip":
            return text(lang, "order.not.vip")
        return text(lang, "order.not.on_its_way") if table.dealer_change else ""
    if not is_open:
        return text(lang, "order.not.no_shoe")
    if order is orders.Void:
        return _not_voided(table, lang)
    if order is orders.RequestShoeChange:
        if settings.mode != "vip":
            return text(lang, "order.not.vip")
        if table.shoe_change is not None:
            return text(lang, "order.not.on_its_way")
        few = table.round <= settings.shoe_change_after + 1
        return text(lang, "order.not.few_rounds", round=settings.shoe_change_after + 1) if few else ""
    if game is None or (order is orders.BetsClosed and game.money.stakes):
        return text(lang, "order.not.amounts")
    if settings.betting != "required":
        return text(lang, "order.not.no_bets")
    is_betting = table.phase == "betting"
    if order is orders.BetsClosed:
        return "" if is_betting else text(lang, "order.not.bets_closed")
    return (
        text(lang, "order.not.bets_open")
        if is_betting
        else ""
        if table.phase == "ready"
        else text(lang, "order.not.drawn")
    )


def _not_voided(table: Table, lang: Language) -> str:
    if table.phase == "burning":
        return text(lang, "refusal.burn_unfinished")
    lies = table.held or (table.phase not in NOTHING_LIES and (table.phase != "ready" or table.slots))
    return "" if lies else text(lang, "order.not.no_round")
