"""Words of a command in a wrong order, and cards that are none: refused as wrong usage, with what to write instead."""

from pathlib import Path

import pytest

from firmware_bridge import cli
from firmware_bridge.floor import cli as floor_cli
from tests.cli.test_wrong_words import RAW, ended

ORDERS = [
    ("--json status", "shoe status --json"),
    ("--config F status", "shoe status --config F"),
    ("F check --config", "shoe check F --config"),
    ("--lang en watch --plain", "shoe watch --lang en --plain"),
    ("list journal", "shoe journal list"),
    ("niuniu play", "shoe play niuniu"),
    ("3am help", "shoe help 3am"),
    ("do --by anna next", "shoe do next --by anna"),
    ("do 1 correct As --by a --why b", "shoe do correct 1 As --by a --why b"),
    ("do S1 mark stand --by a", "shoe do mark S1 stand --by a"),
    ("do duplicate resolve void --by a", "shoe do resolve duplicate void --by a"),
    ("journal --json list", "shoe journal list --json"),
    ("journal 3-abc show", "shoe journal show 3-abc"),
    ("do resolve void duplicate --by a", "argument CHOICE: 'duplicate' is unknown; use one of: "),
    ("do correct As 1 --by a --why b", "argument ROUND: 'As' is not a whole number"),
    ("do bets-closed 100=1=2 --by a", "'100=1=2' is not a seat with an amount: write 3=12.5"),
    ("journal show --seq 9-1", "write the smaller number first"),
]
FLOOR = [
    ("--json check", "shoe-floor check --json"),
    ("rounds export", "shoe-floor export rounds"),
    ("--dry-run expire", "shoe-floor expire --dry-run"),
    ("F.db backup", "shoe-floor backup F.db"),
]
CARDS = [
    *(f"enter {card} --by a --second b" for card in ("Kz", "11s", "s", "K♠K♠", "AsTd", "1s", "KK", "s9", "?", "cut")),
    *(f"do correct 1 {cards} --by a --why b" for cards in ("9x", "As 9x", "As,Kz", "As;Td", "AsT", "ss", "??")),
    "odds --decks 99",
    "odds --decks 0",
    "roads BPX",
    "roads BPT 01",
]


@pytest.mark.parametrize(("words", "error"), ORDERS)
def test_words_in_a_wrong_order(words: str, error: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = ended(cli.main, tuple(words.split()), capsys)
    assert (code, error in text, len(text.splitlines())) == (2, True, 1), text


@pytest.mark.parametrize(("words", "error"), FLOOR)
def test_words_of_the_back_office_in_a_wrong_order(words: str, error: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = ended(floor_cli.main, tuple(words.split()), capsys)
    assert (code, error in text, len(text.splitlines())) == (2, True, 1), text


@pytest.mark.parametrize("words", CARDS)
def test_what_is_no_card_or_outcome(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = ended(cli.main, tuple(words.split()), capsys)
    assert (code, len(text.splitlines())) == (2, 1), text
    assert not any(raw in text for raw in RAW)


@pytest.mark.parametrize(
    "words", ["journal export 1 -o none/", "roads BPT --svg none/", "roads BPT --png none/", "wiring --svg none/"]
)
def test_a_directory_is_not_taken_for_a_file_to_write(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = ended(cli.main, tuple(words.split()), capsys)
    assert (code, "'none/' is a directory: name a file in it" in text) == (2, True), text
    for words in ("export rounds -o none/", "backup none/"):
        assert ended(floor_cli.main, tuple(words.split()), capsys)[0] == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words", ["help nosuch", "odds --markdown --decks 8", "odds --game blackjack --tiger-pair-top same-rank"]
)
def test_what_is_unknown_or_contradicts(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(cli.main, tuple(words.split()), capsys)[0] == 2


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("9x", "line 1: '9x' is not a word of a deal script"),
        ("As\nKz", "line 2: 'Kz' is not a word of a deal script"),
        ("!correct 1 9x", "line 1: !correct: '9x' is not a card"),
        ('{"type": "round", "moves": []}', "line 1: JSON is not a deal script; play it with shoe play GAME FILE"),
        ('{"type', "line 1: JSON is not a deal script; play it with shoe play GAME FILE"),
        ("[", "line 1: JSON is not a deal script; play it with shoe play GAME FILE"),
        ("!correct As 1", "line 1: !correct: 'As' is not a number"),
    ],
)
def test_a_file_with_a_wrong_card_cannot_be_used(
    script: str, error: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.deal").write_text(script)
    code, text = ended(cli.main, ("replay", str(tmp_path / "a.deal")), capsys)
    assert (code, error in text) == (1, True), text
