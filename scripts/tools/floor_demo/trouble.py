"""The troubles of a simulated floor, each at a table of its own; `--trouble` shows them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.facts import inputs


def unread() -> inputs.AnyInput:
    """Return a card that the reader cannot read."""
    return inputs.CardUnread(**now(), reason="no code", nonce=nonce())


def lid() -> inputs.AnyInput:
    """Return the lid, opened inside a round."""
    return inputs.LidMoved(**now(), open=True)


def no_reader() -> inputs.AnyInput:
    """Return the reader, unplugged."""
    return inputs.DeviceLost(**now(), device="reader", why="its cable is unplugged")


def stuck() -> inputs.AnyInput:
    """Return dirt at the cut card's sensor."""
    return inputs.SensorStuck(**now(), sensor="cut_card", stuck=True)


class Trouble(NamedTuple):
    """What is wrong with a table. happens: the input that makes it so; None where a process or a stranger does.

    plays_on: the dealer goes on after it. is_lost: its process is killed. is_unsigned: it has no key. stops: its daemon
    ends in order. asks_two: with `--people` it asks for two people. told: what a stranger tells in its name: `forged`,
    `ahead` or `junk`.
    """

    name: str
    text: str
    happens: Callable[[], inputs.AnyInput] | None = None
    plays_on: bool = False
    is_lost: bool = False
    is_unsigned: bool = False
    stops: bool = False
    asks_two: bool = False
    told: str = ""


TROUBLES: Final = (
    Trouble(
        "unreadable", "blocked: a card cannot be read; with --people its decision needs two", unread, asks_two=True
    ),
    Trouble("lid", "blocked: the lid is open", lid),
    Trouble("reader", "blocked: the reader is gone", no_reader),
    Trouble("sensor", "warning: a sensor is stuck", stuck, plays_on=True),
    Trouble("unsigned", "note: it has no key", plays_on=True, is_unsigned=True),
    Trouble("forged", "critical: somebody speaks in its name; a conflict in the store", plays_on=True, told="forged"),
    Trouble("junk", "bytes that are no message; the quarantine of the store", plays_on=True, told="junk"),
    Trouble("stopped", "shut down", stops=True),
    Trouble("lost", "lost: its Pi has no power", is_lost=True),
    Trouble("gap", "lost, and the store has a gap that nobody fills", is_lost=True, told="ahead"),
)
NONE: Final = Trouble("", "", plays_on=True)
NAMED: Final = {each.name: each for each in (NONE, *TROUBLES)}
