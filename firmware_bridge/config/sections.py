"""The sections of `bridge.toml`: every key with its type, its limits and its default."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from firmware_bridge.config.pins import AnyPin, AnySensor, KeypadConfig, PinsConfig
from firmware_bridge.facts.book.orders import GUARDED
from firmware_bridge.facts.house import House, Limit
from firmware_bridge.facts.languages import Whole
from firmware_bridge.facts.orders import ALL, BY_MQTT, LONGEST_NAME, TOPICS_BY_KEY
from firmware_bridge.facts.printable import CLASS
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.roads.good import GoodId
from firmware_bridge.games.game import Game, Terms
from firmware_bridge.games.house import cut_earliest, cut_place, sealed

READERS: Final = {"native": False, "angel-eye": True, "grow": False, "ssi": False, "rdm6300": False, "line": False}
"""Reader protocol -> whether it reports results; rounds then close by them by default.

This room sees no hardware: a test compares the rows with those of `hardware.readers`.
"""

Positive = Annotated[int, Meta(ge=1)]
TcpPort = Annotated[int, Meta(ge=1, le=65_535)]
Text = Annotated[str, Meta(min_length=1)]
TimeOfDay = Annotated[str, Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d\Z", description='a time of day: "08:00"')]
TopicWord = Annotated[
    str,
    Meta(
        max_length=LONGEST_NAME,
        pattern=rf"^[^/+#\s${CLASS}][^/+#\s{CLASS}]*\Z",
        description="part of every topic: no spaces, and none of / + # $",
    ),
]
if TYPE_CHECKING:
    Protocol = str
    Command = str
    Allowed = str
    Guarded = str
    GameName = str
else:  # derived, so that each order, reader and game is named in one place
    Protocol = Annotated[
        Literal[tuple(READERS)], Meta(description="grow is for a GM65 or GM861, ssi for a Zebra or Honeywell engine")
    ]
    Command = Literal[ALL]
    Allowed = Literal[(*ALL, *TOPICS_BY_KEY)]
    Guarded = Literal[GUARDED]
    GameName = Literal[tuple(GAMES)]


class TableConfig(Struct, frozen=True, kw_only=True):
    """`[table]`: name and dealing of this table.

    id: the name of the table, a part of every topic.
    game: the game; its own settings are in [game], and it changes some defaults here: see shoe config.
    decks: decks in the shoe: 1 to 12 in baccarat, 6 or 8 in blackjack, 1 in the other games.
    burn: cards burned from a new shoe: one exposed card and as many more as its value, none, or this many unseen.
    close: what ends a complete round: its last card, NEXT, or the reader's result; by default the result of a reader
        that judges the game, and NEXT in baccarat's procedure six-card.
    betting: whether dealing waits until bets are closed.
    disclose: whether cards are published when dealt, or sealed until they are revealed.
    after_cut: the last round of a shoe: the one with the cut card, or one more.
    new_shoe: what opens a new shoe: an order, or by itself its first card; where each game has a pack of its own, no
        card does, but the first mark, the purses, or NEXT.
    virtual_cut: cards left in the shoe at which the cut card must have come; `none` turns the check off.
    cut_earliest: cards left in the shoe above which a cut card is not believed before the pit has looked; by default
        half the shoe in blackjack, and at least twice `virtual_cut`; `none` turns the check off.
    policy: how irregularities are handled: see shoe help irregularities.
    pit: the name of the pit, in every round's message.
    language: what dealer and pit read at the shoe (shoe status, watch, help of an alarm); "" is that of the terminal.
    shifts: names of the shifts with the local times at which they begin, HH:MM; the first begins the gaming day.
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
    cut_earliest: Literal["none"] | Annotated[int, Meta(ge=1, le=623)] | None = None
    policy: Literal["keep-order", "us-burn", "macau", "studio"] = "keep-order"
    pit: Annotated[str, Meta(max_length=LONGEST_NAME)] = ""
    language: Literal["", Whole] = ""
    shifts: dict[Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)], TimeOfDay] = {}


class ServiceConfig(Struct, frozen=True, kw_only=True):
    """`[service]`: services for guests.

    mode: kind of table: at a `vip` table guests may ask for fly rounds, another shoe, another dealer; `vip` and
        `squeeze` seal cards and allow the guests' orders by MQTT, unless other keys say otherwise.
    reveal_timeout: seconds after which sealed cards open by themselves.
    fly_limit: maximum number of rounds without a bet in a row.
    shoe_change_after: a guest may ask for another shoe once more rounds than this are over.
    shoe_change_minutes: minutes allowed for a change of shoe that a guest asked for.
    confirm_shuffle: whether opening a shoe needs the name of the person who vouches for the shuffle; where a pack
        lasts one round or one game, the dealer's NEXT is that, and no mark or purse opens a pack.
    second_person: orders that need the names of two people, which differ; with `void` also a decision about an alarm
        that voids a round. By MQTT such an order is refused.
    """

    mode: Literal["standard", "vip", "squeeze"] = "standard"
    reveal_timeout: Annotated[int, Meta(ge=1, le=3600)] = 60
    fly_limit: Annotated[int, Meta(ge=0, le=100)] = 5
    shoe_change_after: Annotated[int, Meta(ge=0, le=100)] = 30
    shoe_change_minutes: Annotated[int, Meta(ge=1, le=120)] = 5
    confirm_shuffle: bool = False
    second_person: tuple[Guarded, ...] = ()


class RightsConfig(Struct, frozen=True, kw_only=True):
    """`[rights]`: what the people at the table must prove.

    two_people: what makes two people of two: two `names` that one person may type, or two logins: the order of the
        first one then waits 5 minutes for `shoe do confirm` by another one, who is not root.
    """

    two_people: Literal["names", "login"] = "names"


class RoadsConfig(Struct, frozen=True, kw_only=True):
    """`[roads]`: which good roads are shown.

    good: the good roads to show, by default all ten.
    """

    good: tuple[GoodId, ...] | None = None


NOT_READ: Final = (
    "NOREAD", "NO READ", "NO_READ", "NO-READ", "NR", "ERROR", "ERR", "NG", "FAIL", "BADREAD", "BAD READ", "?",
)  # fmt: skip
"""The usual words of readers with a trigger for a code that they could not read."""


class ReaderConfig(Struct, frozen=True, kw_only=True):
    """`[reader]`: the reader in the shoe.

    protocol: its protocol: see shoe help choosing a reader.
    port: a device or socket://HOST:PORT.
    baud: bits per second, by default that of the protocol.
    code_book: the file with the card of each code: see shoe help code books.
    pattern: for `line`: a regular expression with one group, the code.
    line_end: for `line`: the end of a line.
    hold: seconds during which a repeated code counts as the same card.
    repeats: seconds within which the reader may report again what still lies before it; 0: it reports each card once.
        By default as `shoe calibrate reader` measured it, else by the protocol's factory mode.
    not_read: lines by which the reader says that it could not read a card, unless the code book has them; capitals or
        not.
    min_quality: minimum quality of a read; below it the card counts as unreadable.
    most_a_second: reports a second; a reader that sends more for 10 s is closed (`reader_fault`). More for a machine
        that deals.
    """

    protocol: Protocol = "native"
    port: Text = "/dev/shoe-reader"
    baud: Positive | None = None
    code_book: str | None = None
    pattern: str = r"(\S+)"
    line_end: str = "\n"
    hold: Annotated[float, Meta(ge=0, le=10)] = 0.5
    repeats: Annotated[float, Meta(ge=0, le=10)] | None = None
    not_read: tuple[Text, ...] = NOT_READ
    min_quality: Annotated[int, Meta(ge=0, le=255)] = 0
    most_a_second: Annotated[int, Meta(ge=1, le=1000)] = 10


class MqttConfig(Struct, frozen=True, kw_only=True):
    """`[mqtt]`: the broker. Secrets come from files.

    host: its name or address.
    port: its port, usually 8883 with TLS.
    root: the first word of every topic.
    client_id: the shoe's client id; by default of the table's id, the board's serial number and a number drawn once.
    username: the login name.
    password_file: the file with the password.
    ca: the file with the certificate of the authority that signed the broker's; setting it turns TLS on.
    cert: the file with this shoe's own certificate.
    key: the file with the private key of that certificate.
    live_odds: whether the topic `odds` is published.
    commands: the orders accepted by MQTT without a signature, with `_` or `-` in their names; with [[orders]], none
        unless this is written out.
    order_window: entries of the journal that may have passed since the one that a signed order names.
    stored: the receiver that reports, on the topic `stored`, what it has committed; a message counts as sent only
        then. By default the broker's acknowledgement is enough.
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
    order_window: Annotated[int, Meta(ge=1, le=1_000)] = 20
    stored: Text | None = None


class OrderKeyConfig(Struct, frozen=True, kw_only=True):
    """`[[orders]]`: a key that may give orders by MQTT, one table each.

    name: the name of its owner, on record with each order.
    key: its public half (vkey), as `shoe-floor key new` prints it.
    allows: the orders that it may give; `stored` is the message of the back office.
    two_people: whether its owner has two people sign in for an order that needs two, and names both.
    """

    name: TopicWord
    key: Text
    allows: tuple[Allowed, ...]
    two_people: bool = False


class JournalConfig(Struct, frozen=True, kw_only=True):
    """`[journal]`: directory of the record, and how long it is kept.

    dir: its directory.
    keep_days: days after which a shoe's file may be deleted, once it is sent.
    max_mb: megabytes above which the oldest sent files are deleted earlier.
    warn_mb: megabytes of free disk below which `shoe check` warns.
    """

    dir: Text = "/var/lib/firmware-bridge"
    keep_days: Positive = 90
    max_mb: Positive | None = None
    warn_mb: Positive = 200


class RecordConfig(Struct, frozen=True, kw_only=True):
    """`[record]`: the signed record (docs/audit.md).

    origin: the first word of the record's name, a domain of the house; `shoe.invalid` names none.
    key_file: the file with the key that signs, 32 bytes; by default the service's credential `record-key`.
    sign_sealed: whether each entry that seals a card is signed too, not only those that close or open something.
    witnesses: public keys (vkeys) of the witnesses that the table believes about its own record.
    """

    origin: Annotated[str, Meta(max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*\Z", description="a domain")] = (
        "shoe.invalid"
    )
    key_file: Text | None = None
    sign_sealed: bool = False
    witnesses: tuple[Text, ...] = ()


def orders_by_mqtt(mqtt: MqttConfig, keys: Iterable[OrderKeyConfig]) -> frozenset[str]:
    """Return the orders that can come by MQTT, signed or not."""
    return frozenset([*mqtt.commands, *(order for each in keys for order in each.allows)])


def close_of(table: TableConfig, reader: ReaderConfig, game: Game, terms: Terms) -> Literal["auto", "next", "result"]:
    """Return what ends a complete round: as the table says, else as a judging reader does, else as the game."""
    return table.close or ("result" if READERS[reader.protocol] else game.play.close(terms))


class Config(Struct, frozen=True, kw_only=True):
    """Configuration of a table.

    game: the game's own settings, None for its defaults.
    limits: limits of bets and of the table, published in the topic `table`; the shoe enforces none of these. `bet`,
        which it does enforce, is a part of the game's settings.
    presence: the sensor of a slot, if the table has them.
    lamps: the output of a slot, a seat, `ready` or `fault`; several may share one.
    keys: a seat's key for a mark, "S1.H", or the dealer's key for the result of a draw, "lot=1".
    keypad: the serial keypads at the seats, one [[keypad]] each.
    orders: the keys that may give orders, one [[orders]] each.
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
    orders: tuple[OrderKeyConfig, ...] = ()
    journal: JournalConfig = JournalConfig()
    record: RecordConfig = RecordConfig()
    rights: RightsConfig = RightsConfig()

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
        del settings["id"], settings["language"]
        close = close_of(self.table, self.reader, self.rules, self.terms)
        cut = self.table.virtual_cut or cut_place(self.table.game)
        virtual = None if cut == "none" else cut
        earliest = self.table.cut_earliest or cut_earliest(self.table.game, self.table.decks, virtual)
        own = {"close": close, "virtual_cut": virtual, "cut_earliest": None if earliest == "none" else earliest}
        two = {"second_person": self.service.second_person or msgspec.UNSET}
        return House(**settings | own | two | {"terms": sealed(self.terms), "limits": self.limits})

    @property
    def control(self) -> Path:
        """Path of the control socket: in systemd's runtime directory, else beside the journal."""
        return Path(os.environ.get("RUNTIME_DIRECTORY", self.journal.dir)) / "control.sock"
