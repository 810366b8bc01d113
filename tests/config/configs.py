"""A config with every key, and what is told of a wrong one."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.config.load import parse
from firmware_bridge.errors import ConfigError

WITNESS = "watcher.example+192bdd7c+BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

ORDERS = {
    "name": "cage",
    "key": "cage+bd445373+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4",
    "allows": ["bets_closed", "stored"],
}
"""A key that may give orders: an entry of `[[orders]]`."""

EVERY_KEY: dict[str, dict[str, Any]] = {
    "table": {
        "id": "T07", "game": "baccarat", "decks": 6, "burn": 7, "close": "auto",
        "betting": "required", "disclose": "dealt", "after_cut": "one-more", "new_shoe": "auto", "virtual_cut": 14,
        "cut_earliest": 70,
        "policy": "keep-order", "pit": "Pit 3", "language": "zh-Hans", "shifts": {"day": "08:00", "night": "20:00"},
    },
    "game": {
        "procedure": "six-card", "leading_ties": "own-column", "row1_limit": "descend",
        "tiger_pair_top": "same-rank", "natural_bets": "any-natural", "squeeze": "any-bettor",
    },
    "service": {
        "mode": "vip", "reveal_timeout": 30, "fly_limit": 3, "shoe_change_after": 20, "shoe_change_minutes": 4,
        "confirm_shuffle": True, "second_person": ("correct",),
    },
    "roads": {"good": ["long_banker"]},
    "limits": {"player": {"low": "100", "high": "10000.00"}},
    "reader": {
        "protocol": "line", "port": "socket://reader:4001", "baud": 9600, "code_book": "book.csv", "pattern": "(.+)",
        "line_end": "\r\n", "hold": 0.25, "repeats": 1.5, "min_quality": 12, "most_a_second": 20,
        "not_read": ("NOREAD", "x"),
    },
    "pins": {
        "factory": "mock", "cut_card": 27, "next": {"pin": 22, "pull_up": False, "debounce_ms": 5}, "reveal": 23,
        "unmark": 14, "player": 24, "banker": 17, "tie": 18, "lid": {"pin": 4, "stuck_after": 60}, "presence": 7,
        "buzzer": 8, "lock": {"pin": 9, "fail_safe": "locked"},
    },
    "presence": {"P1": 0, "B1": 1, "P2": 2, "B2": 3, "P3": 10, "B3": 11},
    "lamps": {
        "P1": 5, "B1": 6, "P2": 13, "B2": 19, "P3": 26, "B3": 21, "R1": 16, "R2": 20, "ready": 12,
        "fault": {"pin": 25, "active_low": True},
    },
    "mqtt": {
        "host": "broker", "port": 8883, "root": "casino", "client_id": "c", "username": "u", "password_file": "p",
        "ca": "ca.pem", "cert": "c.pem", "key": "k.pem", "live_odds": True, "commands": ["next", "bets_closed"],
        "stored": "floor", "order_window": 5,
    },
    "rights": {"two_people": "login"},
    "journal": {"dir": "/tmp/j", "keep_days": 30, "max_mb": 100, "warn_mb": 50},
    "record": {"origin": "casino.example", "key_file": "key", "sign_sealed": True, "witnesses": [WITNESS]},
}  # fmt: skip


def mistakes(raw: dict[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        parse(raw)
    return raised.value.what.split("\n")
