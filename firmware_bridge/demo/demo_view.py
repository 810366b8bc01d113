"""The demo's screen: the table from its messages, broker, reader and news."""

from collections.abc import Iterator
from typing import Any, Final

from rich.text import Text

from firmware_bridge.demo.harness import Harness
from firmware_bridge.demo.narration import Narration
from firmware_bridge.games.game import Game
from firmware_bridge.screen.cards import RED, card_face
from firmware_bridge.screen.table_widget import Boards, FinishedRound, Row, ScreenModel
from firmware_bridge.screen.words import counted, on_screen, remarks, shown_hands
from firmware_bridge.shoe.round import layout
from firmware_bridge.topics.texts.names import voided

SENTENCES: Final = ("did", "mark", "entered")
"""Words before lines that are whole sentences."""


def screen_model(harness: Harness, narration: Narration, boards: Boards, keys: str = "") -> ScreenModel:
    """Return the model of the screen now. boards: pictures of the game's own topics."""
    backend = harness.backend
    shoe = harness.shoe()
    return ScreenModel(
        table=harness.config.table.id,
        game=harness.game,
        shoe=backend.states["table"].get("shoe"),
        size=harness.size,
        states=backend.states,
        news=Row("news", _news(narration), is_news=True),
        over=[_over(harness.game, message) for message in backend.rounds],
        seats=[f"S{seat}" for seat in shoe.bets] if shoe else (),
        points=harness.game.demo.points(layout(shoe)) if shoe and shoe.laid else {},
        has_reserves=bool(harness.game.play.reserves(harness.config.terms)),
        rows=list(_rows(harness)),
        boards=boards,
        keys=keys,
    )


def _news(narration: Narration) -> Text:
    """Return the latest lines, red cards in red; what guests and dealer did is a sentence by itself."""
    lines = [line if word in SENTENCES else f"{word}: {line}" for word, line in narration.lines]
    text = Text("\n".join(lines))
    text.highlight_regex(r"\b[A2-9TJQK][♥♦]", "red")
    return text


def _over(game: Game, message: dict[str, Any]) -> FinishedRound:
    cards = on_screen([(each["slot"], each["card"]) for each in message["cards"]], message)
    if message["status"] == "voided":
        why = voided("en", message["why"], message["reasons"])
        return FinishedRound(message["shoe"], message["round"], None, {}, cards, why)
    points = {name: hand["points"] for name, hand in shown_hands(message).items()}
    return FinishedRound(message["shoe"], message["round"], message["outcome"], points, cards, remarks(game, message))


def _rows(harness: Harness) -> Iterator[Row]:
    if harness.backend.cut_card:
        yield Row("cut", Text(f"the cut card came: round {harness.backend.cut_card} is the last"))
    if harness.backend.burned:
        yield Row("burn", Text(" ").join(map(card_face, harness.backend.burned)))
    yield Row("broker", _broker(harness))
    yield Row("reader", _reader(harness))


def _broker(harness: Harness) -> Text:
    if harness.bridge is None:
        return Text("-")
    status = harness.bridge.uplink.status()
    if not status["up"]:
        return Text(f"✗ NOT CONNECTED  {_waiting(harness, status)}; this picture is not updated", RED)
    took = harness.backend.latency_ms
    median = f", card to subscriber {took:.1f} ms" if took is not None else ""
    return Text(f"✓ {harness.broker.kind}, MQTT {status['protocol']}, {_waiting(harness, status)}{median}")


def _waiting(harness: Harness, status: dict[str, Any]) -> str:
    """Return the text for the journal entries that the broker does not have yet."""
    assert harness.bridge is not None
    shoe, acked = harness.bridge.table.shoe, status["acked"]
    if not status["waiting"]:
        return "queue empty"
    if acked and acked[0] == shoe.journal:
        return f"queue {counted(shoe.seq - acked[1], 'entry', 'entries')}"
    return "queue on disk"


def _reader(harness: Harness) -> Text:
    if not harness.pty.plugged:
        return Text("✗ CABLE PULLED", RED)
    backend = harness.backend
    return Text(f"✓ {harness.play.reader}, {backend.cards} drawn in {backend.messages} MQTT messages")
