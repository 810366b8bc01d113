"""Shows what an order would change, and asks: for acts that move money."""

import argparse
import sys
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from firmware_bridge.cli.daemon_socket import ask, checked, socket_path
from firmware_bridge.cli.watch.language import language
from firmware_bridge.config.plain import say
from firmware_bridge.errors import UsageError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.topics.texts import Language, known, names, text
from firmware_bridge.topics.texts.phrases import joined


class NotConfirmed(UsageError):
    """An act that moves money, without a yes."""


def confirmed(arguments: argparse.Namespace, name: str, fields: dict[str, Any]) -> dict[str, Any] | None:
    """Return the order's fields with what they are about; None after a no. Raises NoDaemon, NotSent, NotConfirmed.

    An order that would be refused, or would move no money, is returned as it is: what becomes of it belongs on record.
    """
    order, lang = checked({"do": name, **fields}), language(arguments.lang, arguments.config)
    seen = ask(socket_path(arguments.config), checked({"do": "preview", "by": arguments.by, "order": order}))
    if not seen["ok"]:
        return fields
    if not arguments.json:
        from rich.text import Text  # imported here: most orders are not asked about

        from firmware_bridge.config.layout import show

        show(*map(Text, map(escaped, lines(seen, lang))), label=0)
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise NotConfirmed(f"{name} asks before it acts, and there is no terminal", "add --yes; nothing is changed")
        question = text(lang, f"order.{'correct' if 'before' in seen else 'void'}_round", round=seen["round"])
        if input(f"{question} [y/N] ").strip().lower() != "y":
            say(text(lang, "order.unchanged"))
            return None
    return fields | {"as_of": seen["as_of"]}


def lines(seen: dict[str, Any], lang: Language = "en") -> Iterator[str]:
    """Yield what would change, for a terminal."""
    return _corrected(seen, lang) if "before" in seen else _voided(seen, lang)


def _voided(seen: dict[str, Any], lang: Language) -> Iterator[str]:
    """Yield the open round, and the money that goes back."""
    cards = " ".join(card for _, card in seen["cards"]) or text(lang, "order.no_card")
    yield text(lang, "order.not_closed", round=seen["round"], cards=cards)
    yield text(lang, "order.after_void")
    yield from (f"  {bet:<28} {text(lang, 'order.goes_back', stake=stake)}" for bet, stake in seen["stakes"].items())
    yield from (f"  {bet:<28} {text(lang, 'order.reversed', money=money)}" for bet, money in seen["moved"].items())


def _corrected(seen: dict[str, Any], lang: Language) -> Iterator[str]:
    """Yield the result before and after, and each bet that changes."""
    yield text(lang, "order.round", round=seen["round"])
    for when in ("before", "after"):
        label, result = text(lang, f"order.{when}"), seen[when]
        gap = " " * (LABEL - (1 if lang == "en" else 2) * len(label))
        outcome = result["outcome"] if lang == "en" else names.outcome(lang, result["outcome"])
        yield joined(lang, f"{label}{gap}{outcome}", _hands(result["hands"], lang))
    unit = "in_money" if seen["unit"] == "money" else "in_units"
    yield text(lang, f"order.{unit}" if seen["bets"] else "order.no_bet")
    for bet, (was, now) in seen["bets"].items():
        yield f"  {bet:<28} {was:>8} -> {now:>8}  ({Decimal(now) - Decimal(was):+f})"


LABEL: Final = 8
"""Columns of "before:" and "after:", with the gap behind them."""


def _hands(hands: dict[str, dict[str, Any]], lang: Language) -> str:
    if lang == "en":
        return "; ".join(f"{name} {' '.join(hand['cards'])} ({hand['points']})" for name, hand in hands.items())
    return "；".join(
        f"{known(lang, f'hand.{name}') or name} {' '.join(hand['cards'])}（{names.points(lang, hand['points'])}）"
        for name, hand in hands.items()
    )
