"""What the audience of the demo sees: the table as its subscriber hears it, broker, reader and news."""

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from firmware_bridge.demo.harness import Harness
from firmware_bridge.demo.narration import Narration
from firmware_bridge.games.game import Game
from firmware_bridge.screen.table_widget import RED, Boards, FinishedRound, Row, ScreenModel, card_face
from firmware_bridge.screen.words import on_screen, remarks, shown_hands
from firmware_bridge.shoe.round import layout


def sight(stage: Harness, story: Narration, boards: Boards, keys: str = "") -> ScreenModel:
    """The table now. boards: pictures of the game's own topics."""
    backend = stage.backend
    shoe = stage.shoe()
    return ScreenModel(
        table=stage.config.table.id,
        game=stage.game,
        shoe=backend.states["table"].get("shoe"),
        size=stage.size,
        states=backend.states,
        news=Row("news", Text("\n".join(f"{word}: {text}" for word, text in story.lines)), is_news=True),
        over=[_over(stage.game, told) for told in backend.rounds],
        points=stage.game.demo.points(layout(shoe)) if shoe and shoe.laid else {},
        has_reserves=bool(stage.game.play.reserves(stage.config.terms)),
        rows=list(_rows(stage)),
        boards=boards,
        keys=keys,
    )


def _over(game: Game, told: dict[str, Any]) -> FinishedRound:
    cards = on_screen([(each["slot"], each["card"]) for each in told["cards"]], told)
    if told["status"] == "voided":
        return FinishedRound(told["shoe"], told["round"], None, {}, cards, told["why"])
    points = {name: hand["points"] for name, hand in shown_hands(told).items()}
    return FinishedRound(told["shoe"], told["round"], told["outcome"], points, cards, remarks(game, told))


def _rows(stage: Harness) -> Iterator[Row]:
    if stage.backend.cut_card:
        yield Row("cut", Text(f"the cut card came: round {stage.backend.cut_card} is the last"))
    if stage.backend.burned:
        yield Row("burn", Text(" ").join(map(card_face, stage.backend.burned)))
    yield Row("broker", _broker(stage))
    yield Row("reader", _reader(stage))


def _broker(stage: Harness) -> Text:
    if stage.bridge is None:
        return Text("-")
    status = stage.bridge.uplink.status()
    if not status["up"]:
        return Text(f"✗ NOT CONNECTED  {_waiting(stage, status)}; this picture stands still", RED)
    took = stage.backend.latency_ms
    median = f", card to subscriber {took:.1f} ms" if took is not None else ""
    return Text(f"✓ {stage.broker.kind}, MQTT {status['protocol']}, {_waiting(stage, status)}{median}")


def _waiting(stage: Harness, status: dict[str, Any]) -> str:
    """How much of the journal the broker does not have yet."""
    assert stage.bridge is not None
    shoe, acked = stage.bridge.table.shoe, status["acked"]
    if not status["waiting"]:
        return "queue empty"
    if acked and acked[0] == shoe.journal:
        return f"queue {shoe.seq - acked[1]} entries"
    return "queue on disk"


def _reader(stage: Harness) -> Text:
    if not stage.pty.plugged:
        return Text("✗ CABLE PULLED", RED)
    backend = stage.backend
    return Text(f"✓ {stage.play.reader}, {backend.cards} drawn in {backend.messages} MQTT messages")
