"""What the pit may order at a table now, and why a table would refuse the rest: from what the table publishes."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from firmware_bridge.facts import orders
from firmware_bridge.facts.book.orders import IN_ROUND, ORDERS, needs_two, voids
from firmware_bridge.facts.book.refusals import REFUSALS
from firmware_bridge.facts.orders import OF_ROUND, TYPES, Order, round_of, tag_of
from firmware_bridge.facts.wire_states import Alarm, Table
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.floor.page.tile import Trouble
from firmware_bridge.games import GAMES
from firmware_bridge.topics.texts import Language, alarms, known, names, text
from firmware_bridge.topics.texts.refusals import sentence

GIVEN: Final = tuple(sorted((do for do, row in ORDERS.items() if row.page), key=lambda do: ORDERS[do].page))
"""The orders that people may give here. Never `correct` and `enter`: these are given where the cards are."""

KEY_NAME: Final = "page"
"""The name of the page's key in the tables' `[[orders]]`."""

FIELDS: Final = ("why", "irregularity", "choice")
"""Fields of a form that are those of its order, beside `round`."""


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
    for do in GIVEN:
        if do == "resolve" or (do == "void" and is_voided_so):
            continue
        fields = {"do": do, **(of_round if TYPES[do] in OF_ROUND else {})}
        why_not = silent or _not_taken(seen, do, _is_of_two(do, table), lang) or _not_now(table, do, lang)
        yield Offer(fields, text(lang, f"order.{do}", round=table.round), why_not)


def _decisions(seen: Seen, table: Table, alarm: Alarm, silent: str, lang: Language) -> Iterator[Offer]:
    for choice in alarm.choices:
        fields = {"do": "resolve", "irregularity": alarm.id, "since": str(alarm.since), "choice": choice}
        why_not = silent or _not_taken(seen, "resolve", _is_of_two("resolve", table, choice), lang)
        if not why_not and (code := alarm.refused.get(choice)):
            why_not = _refused(table, code, lang)
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
    return _is_of_two(tag_of(order), table, getattr(order, "choice", ""))


def _is_of_two(do: str, table: Table, choice: str = "") -> bool:
    return needs_two(do, table.settings.second_person, table.phase, choice)


def verify_present(order: Order, fields: Mapping[str, str], seen: Seen) -> None:
    """Raise GoneOn for a form of another round, or of an alarm that is open no more."""
    if type(order) in OF_ROUND:
        now = seen.messages.get("table")
        if now is None or (now.head.journal, now.body.round) != (fields.get("journal"), round_of(order)):
            raise GoneOn
    elif isinstance(order, orders.Resolve):
        opened = seen.alarms.open if seen.alarms else ()
        if (order.irregularity, fields.get("since")) not in [(each.id, str(each.since)) for each in opened]:
            raise GoneOn


def order_of(fields: Mapping[str, str]) -> Order:
    """Return the order in the fields of a form. Raises ValueError, or one of msgspec, for none that is given here."""
    if fields.get("do") not in GIVEN:
        raise ValueError("no order of this page")
    kind = TYPES[fields["do"]]
    given: dict[str, Any] = {each: fields[each].strip() for each in FIELDS if fields.get(each)}
    if orders.reason(kind) == "must":
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
        is_void = seen.table and seen.table.phase in IN_ROUND and voids(order.choice, seen.table.phase)
        more = f" {text(lang, 'order.what.void', round=seen.table.round)}" if is_void and seen.table else ""
        return text(lang, "order.what.resolve", choice=_choice(order.choice, lang)) + more
    minutes = seen.table.settings.shoe_change_minutes if seen.table else ""
    return text(lang, f"order.what.{tag_of(order)}", round=getattr(order, "round", "") or "", minutes=minutes)


def _not_taken(seen: Seen, do: str, needs_two: bool, lang: Language) -> str:
    """Return why the page may not give an order to this table at all."""
    taken = takes(seen)
    if taken is not None and do not in taken:
        return text(lang, "order.not.allowed", do=do)
    if needs_two and seen.status and KEY_NAME not in seen.status.two_people:
        return text(lang, "order.not.two_people")
    return ""


def _not_now(table: Table, do: str, lang: Language) -> str:
    """Return why an order is not possible as the table stands: the table says so, or it has no use here."""
    code = table.orders.get(do)
    return _refused(table, code, lang) if code else _no_use(table, do, lang)


def _refused(table: Table, code: str, lang: Language) -> str:
    """Return what a table says by the code of a refusal."""
    found = known(lang, f"order.not.{code}") if code in REFUSALS else None  # a stranger may send any word
    return found.format(after=table.settings.shoe_change_after) if found else sentence(lang, code, {})


def _no_use(table: Table, do: str, lang: Language) -> str:
    """Return why an order that the table may take is of no use: without effect there, or lacking what no form has."""
    game = GAMES.get(table.settings.game)
    if not ORDERS[do].of_bets:
        return ""
    if table.settings.betting != "required":
        return text(lang, "order.not.no_bets")
    brings_amounts = "bets" in TYPES[do].__struct_fields__
    return text(lang, "order.not.amounts") if brings_amounts and (game is None or game.money.stakes) else ""
