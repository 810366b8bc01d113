"""The sections of `bridge.toml`: every key with its type, its limits and its default."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from firmware_bridge.config.pins import AnyPin, AnySensor, KeypadConfig, PinsConfig
from firmware_bridge.facts.house import House, Limit
from firmware_bridge.facts.orders import ALL, BY_MQTT, LONGEST_NAME
from firmware_bridge.facts.printable import CLASS
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.roads.good import GoodId
from firmware_bridge.games.game import Game, Terms
from firmware_bridge.games.house import cut_place, sealed

READERS: Final = {"native": False, "angel-eye": True, "grow": False, "ssi": False, "rdm6300": False, "line": False}
"""Reader protocol -> whether it reports results; rounds then close by them by default.

This room sees no hardware: a test compares the rows with those of `hardware.readers`.
"""

Positive = Annotated[int, Meta(ge=1)]
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
else:  # derived, so that each order, reader and game is named in one place
    Protocol = Annotated[
        Literal[tuple(READERS)], Meta(description="a GM65 or GM861 is grow, a Zebra or Honeywell engine ssi")
    ]
    Command = Literal[ALL]
    GameName = Literal[tuple(GAMES)]


class TableConfig(Struct, frozen=True, kw_only=True):
    """`[table]`: which table this is, and how it deals.

    id: the name of the table, a part of every topic.
    game: what is dealt; its own settings stand in [game], and some defaults here are others: shoe config says which.
    decks: how many packs are in the shoe.
    burn: what is burned first: a card that is exposed and as many as it counts, nothing, or so many cards unseen.
    close: what ends a complete round: its last card, NEXT, or the result a reader tells; by default as these do it.
    betting: whether cards wait until bets are closed.
    disclose: whether cards are published as they are dealt, or stay secret until they are revealed.
    after_cut: whether the round in which the cut card came is the last, or the one after it.
    new_shoe: what opens a shoe: an order, or the first card after the last one ended.
    virtual_cut: cards from the end at which the cut card must have been met: 13 by default in baccarat, `none`: nobody
        watches for it.
    policy: what is done when something goes wrong: shoe help irregularities.
    """

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
    """`[service]`: what guests may ask for.

    mode: what kind of table it is: at a `vip` table guests may ask for fly, another shoe, another dealer; `vip` and
        `squeeze` seal cards, and allow their guests' orders by MQTT, where nothing else is written.
    reveal_timeout: seconds until sealed cards open by themselves.
    fly_limit: how many rounds without a bet may follow each other.
    shoe_change_after: rounds that a guest must have seen before asking for another shoe.
    shoe_change_minutes: minutes within which a shoe is changed that a guest asked to change.
    confirm_shuffle: whether a shoe is opened only with the name of who stands for its shuffle.
    """

    mode: Literal["standard", "vip", "squeeze"] = "standard"
    reveal_timeout: Annotated[int, Meta(ge=1, le=3600)] = 60
    fly_limit: Annotated[int, Meta(ge=0, le=100)] = 5
    shoe_change_after: Annotated[int, Meta(ge=0, le=100)] = 30
    shoe_change_minutes: Annotated[int, Meta(ge=1, le=120)] = 5
    confirm_shuffle: bool = False


class RoadsConfig(Struct, frozen=True, kw_only=True):
    """`[roads]`: what is shown of them.

    good: the good roads that are shown, by default all ten.
    """

    good: tuple[GoodId, ...] | None = None


class ReaderConfig(Struct, frozen=True, kw_only=True):
    """`[reader]`: the reader in the shoe.

    protocol: what it speaks: shoe help choosing a reader.
    port: a device, or socket://HOST:PORT.
    baud: bits per second, by default those of the protocol.
    code_book: the file that says which card each code is: shoe help code books.
    pattern: for `line`: a regular expression whose one group is the code.
    line_end: for `line`: what ends a line.
    hold: seconds in which the same code again is the same card.
    min_quality: a read below this quality is an unreadable card.
    """

    protocol: Protocol = "native"
    port: Text = "/dev/shoe-reader"
    baud: Positive | None = None
    code_book: str | None = None
    pattern: str = r"(\S+)"
    line_end: str = "\n"
    hold: Annotated[float, Meta(ge=0, le=10)] = 0.5
    min_quality: Annotated[int, Meta(ge=0, le=255)] = 0


class MqttConfig(Struct, frozen=True, kw_only=True):
    """`[mqtt]`: the broker. Secrets come from files.

    host: its name or address.
    port: its port, usually 8883 with TLS.
    root: the first word of every topic.
    client_id: the name it knows this shoe by; by default made of the table's id and the board's serial number.
    username: the name to log in with.
    password_file: the file that holds the password.
    ca: the file of the authority that signed the broker's certificate; setting it turns TLS on.
    cert: the file of this shoe's own certificate.
    key: the file of the key of that certificate.
    live_odds: whether the topic `odds` is published.
    commands: the orders that are taken over MQTT.
    stored: the one receiver that says, on the topic `stored`, what it has committed; only then a message counts as
        sent. By default the broker's acknowledgement is enough.
    """

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
    stored: Text | None = None


class JournalConfig(Struct, frozen=True, kw_only=True):
    """`[journal]`: where the record is, and how long it is kept.

    dir: its directory.
    keep_days: days after which a shoe's file may go, once it was sent.
    max_mb: megabytes above which the oldest files that were sent go earlier.
    warn_mb: megabytes of free disk below which `shoe check` warns.
    """

    dir: Text = "/var/lib/firmware-bridge"
    keep_days: Positive = 90
    max_mb: Positive | None = None
    warn_mb: Positive = 200


class Config(Struct, frozen=True, kw_only=True):
    """A whole configuration.

    game: the game's own settings, None for its defaults.
    limits: a limit under the house's own name for it, shown to backends in the topic `table`.
    presence: the sensor in a slot, where the table has them.
    lamps: the output of a slot or a seat, or of `ready` or `fault`; several may share one.
    keys: the key of a seat that gives a mark, "S1.H", or the dealer's that tells where the lot fell, "lot=1".
    keypad: the serial keypads at the seats, a [[keypad]] each.
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
    keys: dict[str, AnySensor] = {}
    keypad: tuple[KeypadConfig, ...] = ()
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
        """Settings for the next shoe."""
        settings = msgspec.structs.asdict(self.table) | msgspec.structs.asdict(self.service)
        del settings["id"]
        close = self.table.close or ("result" if READERS[self.reader.protocol] else self.rules.play.close(self.terms))
        cut = self.table.virtual_cut or cut_place(self.table.game)
        own = {"close": close, "virtual_cut": None if cut == "none" else cut}
        return House(**settings | own | {"terms": sealed(self.terms), "limits": self.limits})

    @property
    def control(self) -> Path:
        """Path of the control socket: in systemd's runtime directory, else beside the journal."""
        return Path(os.environ.get("RUNTIME_DIRECTORY", self.journal.dir)) / "control.sock"
