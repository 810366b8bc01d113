"""The sections of `bridge.toml`: every key with its type, its limits and its default."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from firmware_bridge.facts.house import House, Limit
from firmware_bridge.facts.orders import ALL, BY_MQTT, LONGEST_NAME
from firmware_bridge.facts.printable import CLASS
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.roads.good import GoodId
from firmware_bridge.games.game import Game, Terms
from firmware_bridge.games.house import cut_place, sealed

READERS: Final = {"native": False, "angel-eye": True, "grow": False, "ssi": False, "rdm6300": False, "line": False}
"""Whether each reader protocol reports results, with which rounds then usually close.

This room sees no hardware: a test holds the names, and who reports results, equal to the rows of `hardware.readers`.
"""

Positive = Annotated[int, Meta(ge=1)]
PinNumber = Annotated[int, Meta(ge=0, le=27, description="the 40-pin header has no other GPIO")]
TcpPort = Annotated[int, Meta(ge=1, le=65_535)]
Text = Annotated[str, Meta(min_length=1)]
TopicWord = Annotated[
    str,
    Meta(
        max_length=LONGEST_NAME,
        pattern=rf"^[^/+#\s${CLASS}][^/+#\s{CLASS}]*\Z",
        description="it is part of every topic: no spaces, none of / + # $",
    ),
]
if TYPE_CHECKING:
    Protocol = str
    Command = str
    GameName = str
else:  # derived: an order, a reader, a game is named once, where it is defined
    Protocol = Annotated[
        Literal[tuple(READERS)], Meta(description="a GM65 or GM861 is grow, a Zebra or Honeywell engine ssi")
    ]
    Command = Literal[ALL]
    GameName = Literal[tuple(GAMES)]


class TableConfig(Struct, frozen=True, kw_only=True):
    """`[table]`: which table this is, and how it deals."""

    id: TopicWord
    game: GameName = "baccarat"
    decks: Annotated[int, Meta(ge=1, le=12)] = 8
    burn: Literal["first-card", "none"] | Annotated[int, Meta(ge=0, le=20)] = "first-card"
    close: Literal["auto", "next", "result"] | None = None
    betting: Literal["ignored", "required"] = "ignored"
    disclose: Literal["dealt", "sealed"] = "dealt"
    after_cut: Literal["finish", "one-more"] = "finish"
    new_shoe: Literal["command", "auto"] = "command"
    virtual_cut: Literal["none"] | Annotated[int, Meta(ge=1, le=200)] | None = None
    policy: Literal["keep-order", "us-burn", "macau", "studio"] = "keep-order"


class ServiceConfig(Struct, frozen=True, kw_only=True):
    """`[service]`: what guests may ask for. Times in seconds and minutes.

    mode: what it stands for besides is in `config/modes.py`, as defaults of other keys.
    """

    mode: Literal["standard", "vip", "squeeze"] = "standard"
    reveal_timeout: Annotated[int, Meta(ge=1, le=3600)] = 60
    fly_limit: Annotated[int, Meta(ge=0, le=100)] = 5
    shoe_change_after: Annotated[int, Meta(ge=0, le=100)] = 30
    shoe_change_minutes: Annotated[int, Meta(ge=1, le=120)] = 5
    confirm_shuffle: bool = False


class RoadsConfig(Struct, frozen=True, kw_only=True):
    """`[roads]`: the good roads that are shown, None for all ten."""

    good: tuple[GoodId, ...] | None = None


class PinConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One wire: its BCM number, and how it is wired where that is not the usual way."""

    pin: PinNumber
    active_low: bool | None = None
    pull_up: bool = True
    debounce_ms: Annotated[int, Meta(ge=1, le=1000)] = 20


AnyPin = PinNumber | PinConfig


class SensorConfig(PinConfig, frozen=True):
    """A sensor or key. Active for `stuck_after` seconds without a pause it is stuck, for `min_dwell_ms` it counts."""

    min_dwell_ms: Annotated[int, Meta(ge=0, le=1000)] = 0
    stuck_after: Annotated[float, Meta(ge=1, le=600)] | None = None


class LockConfig(PinConfig, frozen=True):
    """The lock of the shoe's mouth. `fail_safe`: what it is without current, so when the bridge is down."""

    fail_safe: Literal["open", "locked"] = "open"


AnySensor = PinNumber | SensorConfig


class ReaderConfig(Struct, frozen=True, kw_only=True):
    """`[reader]`: the optical reader. `hold` in seconds; `baud` None is the protocol's own."""

    protocol: Protocol = "native"
    port: Text = "/dev/shoe-reader"
    baud: Positive | None = None
    code_book: str | None = None
    pattern: str = r"(\S+)"
    line_end: str = "\n"
    hold: Annotated[float, Meta(ge=0, le=10)] = 0.5
    min_quality: Annotated[int, Meta(ge=0, le=255)] = 0


class PinsConfig(Struct, frozen=True, kw_only=True):
    """`[pins]`: sensors, keys, buzzer and lock, and the library that drives them.

    `lid` is active while the lid is closed, `presence` while a card is in the shoe's mouth. keys: the dealer's keys
    that tell a result, by their names; the config has them beside the others.
    """

    factory: Literal["lgpio", "rpigpio", "mock"] = "lgpio"
    cut_card: AnySensor | None = None
    next: AnySensor | None = None
    reveal: AnySensor | None = None
    lid: AnySensor | None = None
    presence: AnySensor | None = None
    buzzer: AnyPin | None = None
    lock: PinNumber | LockConfig | None = None
    keys: dict[str, AnySensor] = {}


class MqttConfig(Struct, frozen=True, kw_only=True):
    """`[mqtt]`: the broker. Secrets come from files."""

    host: Text = "127.0.0.1"
    port: TcpPort = 1883
    root: TopicWord = "shoe"
    client_id: Text | None = None
    username: Text | None = None
    password_file: Text | None = None
    ca: Text | None = None
    cert: Text | None = None
    key: Text | None = None
    live_odds: bool = False
    commands: tuple[Command, ...] = BY_MQTT


class JournalConfig(Struct, frozen=True, kw_only=True):
    """`[journal]`: where the record is, and how long it is kept (days, megabytes)."""

    dir: Text = "/var/lib/firmware-bridge"
    keep_days: Positive = 90
    max_mb: Positive | None = None
    warn_mb: Positive = 200


class Config(Struct, frozen=True, kw_only=True):
    """A whole configuration.

    game: the game's own settings, None for its defaults. presence: a sensor in each slot, where the table has them.
    lamps: an output per slot or seat, and for `ready` and `fault`; several may share one.
    """

    table: TableConfig
    service: ServiceConfig = ServiceConfig()
    game: Terms | None = None
    roads: RoadsConfig = RoadsConfig()
    limits: dict[str, Limit] = {}
    reader: ReaderConfig = ReaderConfig()
    pins: PinsConfig = PinsConfig()
    presence: dict[str, AnySensor] = {}
    lamps: dict[str, AnyPin] = {}
    mqtt: MqttConfig = MqttConfig()
    journal: JournalConfig = JournalConfig()

    @property
    def rules(self) -> Game:
        """The game of this table."""
        return GAMES[self.table.game]

    @property
    def terms(self) -> Terms:
        """The game's own settings, with the good roads where it has roads."""
        terms = self.game or self.rules.terms()
        has_roads = "good_roads" in terms.__struct_fields__
        return replace(terms, good_roads=self.roads.good) if has_roads and self.roads.good is not None else terms

    @property
    def house(self) -> House:
        """The settings the next shoe is opened under."""
        settings = msgspec.structs.asdict(self.table) | msgspec.structs.asdict(self.service)
        del settings["id"]
        close = self.table.close or ("result" if READERS[self.reader.protocol] else self.rules.close(self.terms))
        cut = self.table.virtual_cut or cut_place(self.table.game)
        own = {"close": close, "virtual_cut": None if cut == "none" else cut}
        return House(**settings | own | {"terms": sealed(self.terms), "limits": self.limits})

    @property
    def control(self) -> Path:
        """The control socket: in systemd's runtime directory, else beside the journal."""
        return Path(os.environ.get("RUNTIME_DIRECTORY", self.journal.dir)) / "control.sock"
