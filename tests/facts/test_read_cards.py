"""A card as people write it: one reader for all commands and files."""

from firmware_bridge.facts.cards import FACES, TILES, read_card, read_cards, spell
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
        ("10", ""),
        (",", ""),
    ],
)
def test_a_card_in_any_usual_spelling(text: str, faces: str) -> None:
    assert spell(read_cards(text)) == faces


def test_every_face_is_read_as_it_is_named() -> None:
    assert all(read_card(card.value) is card for card in (*FACES, *TILES))
    assert read_card("AsTd") is None
