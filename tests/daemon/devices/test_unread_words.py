"""Lines that are no code: a reader's own word for a card it could not read, and bytes that no code can have."""

import pytest

from firmware_bridge.config.sections import NOT_READ, ReaderConfig
from firmware_bridge.daemon.devices.code_books import CodeBook, Known, not_read, plain
from firmware_bridge.daemon.devices.reader_inputs import as_input
from firmware_bridge.daemon.devices.reader_settings import settings
from firmware_bridge.facts import inputs
from firmware_bridge.facts.cards import Card
from hardware.readers import READERS, ReaderSettings
from hardware.readers.messages import Read, Unread
from tests.kit.rows import each_row


@pytest.mark.parametrize(
    ("protocol", "line"),
    [
        ("line", b"NOREAD\r\n"),
        ("line", b"no read\r\n"),
        ("line", b"?\r\n"),
        ("grow", b"NR\r\n"),
        ("grow", b"ERROR\r\n"),
    ],
)
def test_a_readers_own_word_for_a_card_it_could_not_read(protocol: str, line: bytes) -> None:
    words = not_read(NOT_READ, plain())
    decoder = READERS[protocol].decoder(ReaderSettings(not_read=words))
    assert list(decoder.feed(line)) == [Unread("unreadable")]
    assert (decoder.good, decoder.bad) == (1, 0)


def test_a_word_that_the_book_has_is_a_code() -> None:
    book = {"NR": Known(Card("As")), "error": Known(Card("Ks"))}
    words = not_read(NOT_READ, book)
    assert "NOREAD" in words
    decoder = READERS["line"].decoder(ReaderSettings(not_read=words))
    assert list(decoder.feed(b"NR\nERROR\nNOREAD\n")) == [Read("NR"), Read("ERROR"), Unread("unreadable")]


@pytest.mark.parametrize(("protocol", "line"), [("line", b"NR\r\n"), ("grow", b"NR\r\n")])
def test_a_book_that_is_read_again_tells_anew_which_lines_are_words(protocol: str, line: bytes) -> None:
    config, book = ReaderConfig(port="none", protocol=protocol), {"NR": Known(Card("As"))}
    decoder = READERS[protocol].decoder(settings(config, plain(), 0.0))
    assert list(decoder.feed(line)) == [Unread("unreadable")]
    decoder.set(settings(config, book, 0.0))
    assert list(decoder.feed(line)) == [Read("NR")]
    decoder.set(settings(config, plain(), 0.0))
    assert list(decoder.feed(line)) == [Unread("unreadable")]


FEW_TAGS = {f"{n:010X}": Known(Card("As")) for n in (8, 0x1B, 0x33)}
LABELS = {f"10-{n}": Known(Card("As")) for n in range(100, 152)}


@each_row(
    ("book", "code", "reason"),
    [
        (FEW_TAGS, "0F00000001", "unknown code"),
        (FEW_TAGS, "00000000q8", "unreadable"),
        (FEW_TAGS, "000000000\x07", "unreadable"),
        (LABELS, "20-987", "unknown code"),
        (LABELS, "10-1A7", "unknown code"),
        (LABELS, "10#107", "unreadable"),
        (LABELS, "10-\xb107", "unreadable"),
        (plain(), "X-17", "no code book"),
        (plain(), "\x02K\xf3", "unreadable"),
    ],
)
def test_a_code_with_bytes_that_no_code_has_was_damaged(book: CodeBook, code: str, reason: str) -> None:
    fact = as_input(Read(code), book)
    assert isinstance(fact, inputs.CardUnread)
    assert fact.reason == reason
