"""A card as people write it: one reader for all commands and files."""

from unicodedata import normalize

from firmware_bridge.facts.cards import FACES, TILES, look_alikes, read_card, read_cards, spell
from tests.kit.rows import each_row


@each_row(
    ("text", "faces"),
    [
        ("As", "As"),
        ("kc", "Kc"),
        ("KS", "Ks"),
        ("K♣", "Kc"),
        ("K♣\ufe0f", "Kc"),
        ("10♦", "Td"),
        ("10h", "Th"),
        ("td", "Td"),
        ("Ks,5h", "Ks5h"),
        ("Ks, 5h", "Ks5h"),
        ("9s10hKs", "9sThKs"),
        ("WP", "wp"),
        ("1p9P", "1p9p"),
        ("", ""),
        ("1s", ""),
        ("11s", ""),
        ("sA", ""),
        ("A", ""),
        ("Asx", ""),
        ("K\u017f", ""),
        ("\u212as", ""),
        ("Кs", ""),
        ("Ｋｓ", ""),
        ("１0h", ""),
        ("10", ""),
        (",", ""),
    ],
)
def test_a_card_in_any_usual_spelling(text: str, faces: str) -> None:
    assert spell(read_cards(text)) == faces


def test_no_other_letter_counts_as_one_of_a_card() -> None:
    """Letters that become ASCII in another case, or in another form."""
    odd = [
        letter
        for letter in map(chr, [*range(0x80, 0xD800), *range(0xE000, 0x20000)])
        if any(each.isascii() for each in (letter.upper(), letter.lower(), normalize("NFKC", letter)))
    ]
    assert len(odd) > 1_000
    assert [each for each in odd if read_card(f"A{each}") or read_card(f"{each}s") or read_card(f"1{each}s")] == []


def test_a_letter_that_only_looks_like_one_of_a_card_is_named() -> None:
    assert look_alikes("Кs") == "(К=U+041A)"
    assert {look_alikes(each) for each in ("Xs", "黑桃", "K♠", "ü", "a word with é")} == {""}


def test_every_face_is_read_as_it_is_named() -> None:
    assert all(read_card(card.value) is card for card in (*FACES, *TILES))
    assert read_card("AsTd") is None
