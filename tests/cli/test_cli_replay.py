import json
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts.house import House
from firmware_bridge.journal.messages import messages
from tests.kit import command
from tests.kit.nightly import share
from tests.kit.patience import ended

shoe = command.shoe  # fixture

VECTORS = Path(__file__).parents[1] / "vectors" / "shoes.jsonl"
SHOES = [json.loads(line) for line in VECTORS.read_text().splitlines()]


def script(vector: dict[str, Any]) -> str:
    cut = vector["cut_before_index"]
    return " ".join(["shoe", *vector["order"][:cut], "cut", *vector["order"][cut:]])


def rounds(ran: command.Ran) -> list[dict[str, Any]]:
    return [each["payload"] for each in ran.json if each["topic"] == "round"]


def in_short(message: dict[str, Any]) -> str:
    hands = [message["hands"][side]["cards"] for side in ("player", "banker")]
    return "|".join("".join(cards) for cards in ([each["card"] for each in message["cards"]], *hands))


@pytest.mark.parametrize("number", range(len(SHOES)))
@pytest.mark.parametrize("procedure", ["on-demand", "six-card"])
def test_whole_shoes_give_the_rounds_of_the_rule_book(
    shoe: command.Run, tmp_path: Path, number: int, procedure: str
) -> None:
    (tmp_path / "a.deal").write_text(script(SHOES[number]))
    expected = SHOES[number][procedure.replace("-", "_")]["rounds"]
    ran = shoe("replay", tmp_path / "a.deal", "--procedure", procedure)
    assert (ran.code, ran.err) == (0, "")
    assert [in_short(message) for message in rounds(ran)] == expected
    assert [message["round"] for message in rounds(ran)] == list(range(1, len(expected) + 1))
    assert [message["last"] for message in rounds(ran)] == [False] * (len(expected) - 1) + [True]


def test_the_payloads_are_the_very_bytes_that_are_sent() -> None:
    text = "shoe 5c 2s3h4d5c6h 9sTdTsTc ?? !void misread"
    play = Replay(House(virtual_cut=13), "replay", pytest.fail)
    wanted = [message for line in play.play(parse(text)) for message in messages(line)]
    sent = [line for line in piped(text).out.splitlines() if '"retain":false' in line]
    assert sent == [
        f'{{"topic":"{message.topic}","retain":false,"payload":{message.payload.decode()}}}' for message in wanted
    ]


def piped(text: str, *words: object) -> command.Ran:
    return command.piped(text, "replay", *words)


def test_rounds_end_by_next_where_that_is_asked_for() -> None:
    """So that what is lit while a round is complete can be replayed too."""
    text, words = "2s 2d 3h Ac 9s 4d next 9s", ("--procedure", "six-card", "--close", "next")
    ran = piped(text, *words)
    assert (ran.code, ran.err, len(rounds(ran))) == (0, "", 1)
    why = [each["payload"]["why"] for each in ran.json if each["topic"] == "lamps"]
    assert ["round 1 is complete: press NEXT", "move R1 to P3", "move R2 to B3"] in why
    assert "next: nothing is open, ignored" in piped(text, *words[:2]).err


def test_rounds_end_as_the_config_says(tmp_path: Path) -> None:
    config, text = tmp_path / "bridge.toml", "shoe 9sKdThKc 9sKdThKc next next"
    config.write_text('[table]\nid = "T07"\nburn = "none"\nclose = "next"\n[pins]\nnext = 22\n')
    ran = piped(text, "--config", config)
    assert (len(rounds(ran)), ran.err) == (2, "")
    assert len(rounds(piped(text, "--config", config, "--close", "auto"))) == 2
    six = piped("9sKdThKc2h3h next", "--config", config, "--close", "auto", "--procedure", "six-card")
    assert (len(rounds(six)), six.err) == (1, "shoe replay: next: nothing is open, ignored\n")
    assert len(rounds(piped("9sKdThKc", "--config", config))) == 0


@pytest.mark.parametrize("word", ["next", "!next"])
def test_next_opens_a_pack_where_it_confirms_the_shuffle(tmp_path: Path, word: str) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text(
        '[table]\nid = "T07"\ngame = "zhajinhua"\nclose = "auto"\n'
        "[service]\nconfirm_shuffle = true\n[pins]\nnext = 22\n"
    )
    round = "money=1:9,2:9,3:9 Ks 9h 4c Kh 9d 5c 7d 2s Ad lot=1 1:fold 2:fold"
    ran = piped(f"{word} {round} {word} {round}", "--config", config)
    events = [each["payload"]["event"] for each in ran.json if each["topic"] == "event"]
    opened = [each for each in events if each["type"] == "ShoeOpened"]
    assert [each["number"] for each in opened] == [1, 2]
    assert {each["confirmed_by"] for each in opened} == {"dealer" if word == "next" else "script"}
    assert (len(rounds(ran)), ran.err) == (2, "")
    shoe = piped(f"shoe {round}", "--config", config)
    assert (len(rounds(shoe)), shoe.err) == (1, "")


def test_a_config_says_from_where_on_a_cut_card_is_believed(tmp_path: Path) -> None:
    config = tmp_path / "bridge.toml"
    config.write_text('[table]\nid = "T07"\nburn = "none"\n')
    for words, least in ((), 1), (("--config", config), 0):
        assert len(rounds(piped("shoe 9s cut KdThKc", "--no-burn", *words))) == least


def test_states_are_printed_when_they_change_and_only_then() -> None:
    ran = piped("9sTdTsTc")
    states = [each for each in ran.json if each["retain"]]
    assert {each["topic"] for each in states} == {"table", "roads", "lamps", "alarm"}
    assert [each["topic"] for each in states].count("alarm") == 1
    due = [each["payload"]["due"] for each in states if each["topic"] == "table"]
    assert due == ["P1", "B1", "P2", "B2", "P1"]
    assert all(each["payload"]["as_of"] >= 1 and each["payload"]["table"] == "replay" for each in states)


def test_without_shoe_a_burned_full_shoe_is_open_with_it_the_shoe_is_burned() -> None:
    assert len(rounds(piped("9sTdTsTc"))) == 1
    assert len(rounds(piped("shoe As 2d 9sTdTsTc"))) == 1
    assert len(rounds(piped("shoe 9sTdTsTc", "--no-burn"))) == 1
    assert rounds(piped("shoe 9sTdTsTc")) == []


def test_a_next_with_nothing_open_is_ignored_with_a_warning() -> None:
    ran = piped("9sTdTsTc next")
    assert len(rounds(ran)) == 1
    assert ran.err == "shoe replay: next: nothing is open, ignored\n"


def test_a_word_that_is_none_is_named_with_its_line(shoe: command.Run, tmp_path: Path) -> None:
    (tmp_path / "a.deal").write_text("9sTdTsTc  # a natural\n\ncuts\n")
    ran = shoe("replay", tmp_path / "a.deal")
    assert ran.code == 1
    assert ran.err == "shoe: line 3: 'cuts' is not a word of a deal script; did you mean 'cut'?\n"
    assert len(rounds(ran)) == 1
    assert "No such file" in shoe("replay", tmp_path / "b.deal").err


def test_a_config_sets_the_table_and_procedure_is_over_it(shoe: command.Run, tmp_path: Path) -> None:
    (tmp_path / "a.deal").write_text("shoe 2s3h4d5c6hTc next")
    config = tmp_path / "bridge.toml"
    config.write_text('[table]\nid = "T07"\nburn = "none"\n[game]\nprocedure = "six-card"\n[pins]\nnext = 22\n')
    first = rounds(shoe("replay", tmp_path / "a.deal", "--config", config))[0]
    assert (first["table"], first["carried"]) == ("T07", 2)
    states = shoe("replay", tmp_path / "a.deal", "--config", config, "--procedure", "on-demand").json
    assert states[0]["payload"]["event"]["house"]["terms"]["procedure"] == "on-demand"
    config.write_text("")
    assert shoe("replay", tmp_path / "a.deal", "--config", config).json[0]["payload"]["table"] == "replay"
    config.write_text("[table]\nburm = 3\n")
    ran = shoe("replay", tmp_path / "a.deal", "--config", config)
    assert ran.code == 78
    assert "did you mean burn?" in ran.err


def test_many_shoes_stream_from_a_pipe_in_little_memory() -> None:
    shoes = share(12)
    text = "\n".join(script(SHOES[number % len(SHOES)]) for number in range(shoes))
    ran = piped(text)
    assert {message["shoe"] for message in rounds(ran)} == {1}
    assert [message["round"] for message in rounds(ran)].count(1) == shoes


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    process = command.spawn("replay", stdin=-1)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    process.stdin.write(script(SHOES[0]))
    process.stdin.close()
    assert ended(process) == 0
    assert process.stderr.read() == ""
    process.stderr.close()
