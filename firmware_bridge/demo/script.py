"""Deal scripts: events at a table written as words (`shoe As Td cut 9c next !void misdeal`), shoe by shoe."""

import re
import shlex
from collections.abc import Callable, Iterator
from io import BufferedReader
from select import select
from typing import Any, Final, NamedTuple, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from firmware_bridge.daemon.table.validation import mistake
from firmware_bridge.errors import ScriptError
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import HINT, Card, cards, look_alikes, read_card, read_cards
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.house import Choice
from firmware_bridge.facts.printable import nearest
from firmware_bridge.games import GAMES
from firmware_bridge.games.moves import mark_of
from firmware_bridge.topics.texts.refusals import remedy, sentence

CHUNK: Final = 1 << 16
"""Bytes read at once at most: the size of a pipe."""

QUIET_S: Final = 0.1
"""Seconds after which an empty pipe counts as waiting for its writer."""

_MAY_BEGIN: Final = (b"shoe", b'"', b"'", b"\\")
"""A line without any of these cannot have the word `shoe`, even quoted."""


class NewShoe(Struct, frozen=True):
    """`shoe`: opens a full shoe."""


class Drawn(Struct, frozen=True):
    """A card; None for `??`, an unreadable card."""

    card: Card | None


class Cut(Struct, frozen=True):
    """`cut`: the cut-card sensor fires."""


class Key(Struct, frozen=True):
    """A key is pressed."""

    key: str


class Lid(Struct, frozen=True):
    """`lid-open`, `lid-close`: the lid of the shoe is moved."""

    open: bool


class Pause(Struct, frozen=True):
    """`+2.5s`: time passes, in milliseconds."""

    ms: int


class Say(Struct, frozen=True):
    """`!void misdeal`, `bets-closed`: an order is given."""

    order: orders.Order


OneInput = Drawn | Cut | Key | Lid | Say
Step = NewShoe | Pause | OneInput

_PLAIN: Final = re.compile(r"""[^"'\\#]*""")
_WORD: Final = re.compile(r"[^ \t\r\n]+")
"""Words as `shlex` splits them, in a line without quotes and comments."""

_CARDS: Final = re.compile(r"([A2-9TJQK][shdc]|[1-9w]p)+")
_AMOUNTS: Final = re.compile(r"(bets|money)=((?:[0-9]{1,2}:[0-9.]{1,15})(?:,[0-9]{1,2}:[0-9.]{1,15})*)")
_PAUSE: Final = re.compile(r"\+(\d{1,6}(?:\.\d{1,6})?)s")
_WORDS: Final[dict[str, Step]] = {
    "shoe": NewShoe(),
    "??": Drawn(None),
    "cut": Cut(),
    "next": Key("next"),
    "reveal": Key("reveal"),
    "unmark": Key("unmark"),
    **{key: Key(key) for game in GAMES.values() for key in game.play.keys},
    "lid-open": Lid(True),
    "lid-close": Lid(False),
    "bets-open": Say(orders.BetsOpen()),
    "bets-closed": Say(orders.BetsClosed()),
}
_JSON: Final = ("{", "[")

_DRAWN: Final = {card.value: Drawn(card) for game in GAMES.values() for card in game.pack}
"""Card -> step: the fast path, for nearly every word."""


def parse(text: str) -> list[Step]:
    """Return the steps of a deal script. Raises ScriptError that names the line and the word."""
    return [step for number, line in enumerate(text.splitlines(), 1) for step in parse_line(line, number)]


def parse_line(line: str, number: int) -> list[Step]:
    """Return the steps of a line of a deal script. Raises ScriptError as `parse` does."""
    return list(_line(line, number))


def input_of(step: OneInput, by: str, nonce: Callable[[], str]) -> inputs.AnyInput:
    """Return the input of a step, at moment 0; a new shoe and a pause have several, which depend on the table."""
    match step:
        case Drawn(card=card) if card:
            return inputs.CardRead(at=0, card=card, nonce=nonce())
        case Drawn():
            return inputs.CardUnread(at=0, reason="unreadable", nonce=nonce())
        case Cut():
            return inputs.CutCardSeen(at=0, by="sensor")
        case Key(key=key):
            return inputs.Pressed(at=0, key=key, nonce=nonce())
        case Lid(open=is_open):
            return inputs.LidMoved(at=0, open=is_open)
        case Say(order=order):
            return inputs.Ordered(at=0, order=order, by=by, nonce=nonce())


class Part(NamedTuple):
    """A line of a deal script, or the part of it up to the next word `shoe`.

    number: of the line; n: of the part in it. begins: whether it begins with `shoe`. end: offset of the line's end
    in the script, in bytes.
    """

    number: int
    n: int
    begins: bool
    end: int
    text: str


def parts(source: BufferedReader) -> Iterator[Part | None]:
    """Yield the parts of a script in order, None while its next line is not there yet.

    A line with an error is one part.
    """
    end = number = 0
    for line in _lines(source):
        if line is None:
            yield None
            continue
        number, end = number + 1, end + len(line)
        text = line.decode("utf-8", "replace")
        for n, begins in enumerate(_beginnings(text, number) if any(word in line for word in _MAY_BEGIN) else [False]):
            yield Part(number, n, begins, end, text)


def steps(part: Part) -> list[Step]:
    """Return the steps of a part. Raises ScriptError that names the line and the word."""
    return _cut(parse_line(part.text, part.number))[part.n]


def _line(line: str, number: int) -> Iterator[Step]:
    try:
        words = _WORD.findall(line) if _PLAIN.fullmatch(line) else shlex.split(line, comments=True)
    except ValueError as error:
        if line.lstrip().startswith(_JSON):
            raise _no_script(number) from None
        raise ScriptError(f"line {number}: {error}", "close the quotation mark") from None
    usage = ""
    while words:
        word = words.pop(0)
        if word in _DRAWN:
            yield _DRAWN[word]
        elif word == ",":
            continue
        elif word.startswith("!"):
            yield Say(_order(word[1:], words, number))
            usage = _USAGE.get(word[1:], "")
        else:
            yield from _word(word, number, usage)


def _word(word: str, number: int, usage: str) -> Iterator[Step]:
    """Yield the steps of a word. usage: syntax of the order before it in its line, "" for none."""
    if (known := word.replace("_", "-")) in _WORDS:
        yield _WORDS[known]
    elif _CARDS.fullmatch(word):
        yield from map(Drawn, cards(word))
    elif amounts := _AMOUNTS.fullmatch(word):
        stakes: Any = {amounts[1]: dict(each.split(":") for each in amounts[2].split(","))}
        yield Say(orders.BetsClosed(**stakes))
    elif (mark := mark_of(word)) and any(mark.word in game.play.words for game in GAMES.values()):
        yield Say(orders.Mark(mark.word, int(mark.seat) if mark.seat else None, mark.value))
    elif pause := _PAUSE.fullmatch(word):
        yield Pause(round(float(pause[1]) * 1000))
    elif written := read_cards(word):
        yield from map(Drawn, written)
    elif word.startswith(_JSON):
        raise _no_script(number)
    else:
        near = nearest(word, _WORDS)
        raise ScriptError(
            f"line {number}: {word!r}{look_alikes(word)} is not a word of a deal script",
            f"did you mean {near!r}?" if near else usage or HINT,
        )


def _no_script(number: int) -> ScriptError:
    return ScriptError(f"line {number}: JSON is not a deal script", "play it with shoe play GAME FILE")


def _order(name: str, words: list[str], number: int) -> orders.Order:
    """Return the order `name`, with the words after it as arguments. Raises ScriptError."""
    build = _ORDERS.get(name.replace("-", "_"))
    if build is None:
        near = nearest(name.replace("-", "_"), _ORDERS)
        known = ", ".join(sorted(_ORDERS))
        raise ScriptError(
            f"line {number}: !{name} is not an order", f"did you mean !{near}?" if near else f"one of: {known}"
        )
    usage = _USAGE.get(name.replace("-", "_"), "")
    try:
        order = build(words)
        given = {name: value for name, value in msgspec.to_builtins(order).items() if name != "do"}
        wrong = mistake(type(order), from_json(msgspec.json.encode(given)))
    except IndexError:
        raise ScriptError(f"line {number}: !{name} needs more words after it", usage) from None
    except ValueError as error:
        raise ScriptError(f"line {number}: !{name}: {error}", usage) from None
    if wrong:
        coded = wrong.code, msgspec.to_builtins(wrong.values)
        raise ScriptError(f"line {number}: !{name}: {sentence('en', *coded)}", usage or remedy("en", *coded))
    return order


def _mark(words: list[str]) -> orders.Order:
    mark = mark_of(words.pop(0))
    if mark is None:
        raise ValueError("a mark is a word, with its seat before and its value after it, if any: 3:raise=6")
    return orders.Mark(mark.word, int(mark.seat) if mark.seat else None, mark.value)


def _came(text: str) -> tuple[str, ...]:
    """Return the cards and marks of a correction: cards run together, or words with commas between."""
    words = text.split(",") if "," in text else [text]
    came = [each for word in words if word for each in [card.value for card in read_cards(word)] or [word]]
    if "," not in text and came == [text] and not mark_of(text):
        raise ValueError(f"{text!r}{look_alikes(text)} is not a card")
    return tuple(came)


def _number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError(f"{text!r} is not a number")
    return int(text)


def _one_card(text: str) -> Card:
    if card := read_card(text):
        return card
    raise ValueError(f"{text!r}{look_alikes(text)} is not a card")


def _resolve(words: list[str]) -> orders.Order:
    irregularity, choice = words.pop(0), words.pop(0)
    if choice not in get_args(Choice):
        near = nearest(choice, get_args(Choice))
        meant = f"; did you mean {near}?" if near else ""
        raise ValueError(f"{choice!r} is not one of {', '.join(get_args(Choice))}{meant}")
    return orders.Resolve(irregularity, choice)  # type: ignore[arg-type]  # checked in the line above


def _plain(order: type[orders.Order]) -> Callable[[list[str]], orders.Order]:
    """Return the parser of an order without its own row: one word for each required field."""
    needed = [field.name for field in fields(order) if field.required]
    return lambda words: order(*[words.pop(0) for _ in needed])  # type: ignore[arg-type]  # they are texts


def _lines(source: BufferedReader) -> Iterator[bytes | None]:
    """Yield the lines of a file or a pipe, and None while a pipe is empty."""
    begun: list[bytes] = []
    while chunk := source.read1(CHUNK):
        *whole, rest = chunk.split(b"\n")
        for each in whole:
            yield b"".join([*begun, each, b"\n"])
            begun.clear()
        begun.append(rest)
        if not select([source], [], [], QUIET_S)[0]:
            yield None
    if last := b"".join(begun):
        yield last


def _beginnings(text: str, number: int) -> list[bool]:
    """Return whether each part of a line begins with `shoe`."""
    try:
        return [bool(part) and isinstance(part[0], NewShoe) for part in _cut(parse_line(text, number))]
    except ScriptError:
        return [False]


def _cut(steps: list[Step]) -> list[list[Step]]:
    places = [place for place, step in enumerate(steps) if isinstance(step, NewShoe) and place]
    return [steps[begin:end] for begin, end in zip([0, *places], [*places, len(steps)], strict=True)]


_USAGE: Final = {
    "correct": "write !correct ROUND CARDS, without a reason, the cards as one word: !correct 2 9sTdTsTc",
    "void": "write !void REASON",
    "mark": "write !mark MARK, as 3:raise=6",
    "resolve": "write !resolve IRREGULARITY CHOICE",
    "enter": "write !enter CARD, a card as rank and suit: As, Td",
}

_ORDERS: Final[dict[str, Callable[[list[str]], orders.Order]]] = {
    **{orders.tag_of(each): _plain(each) for each in orders.ORDERS},
    "mark": _mark,
    "correct": lambda words: orders.Correct(_number(words.pop(0)), _came(words.pop(0)), "script"),
    "resolve": _resolve,
    "enter": lambda words: orders.Enter(_one_card(words.pop(0)), "second"),
}
