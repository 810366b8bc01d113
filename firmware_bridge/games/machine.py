"""Runs the script of a round over its moves, from the start each time; keeps no state between runs."""

from collections.abc import Sequence
from decimal import localcontext
from typing import Any

from msgspec.structs import replace

from firmware_bridge.facts.book.refusals import Refused, phrase
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.events_of_rounds import Words
from firmware_bridge.games import prompts
from firmware_bridge.games.game import Game, Layout, Placed, Result, Start
from firmware_bridge.games.moves import LOT, Answered, Dealt, Mark, Move


def layout(game: Game, moves: Sequence[Move], terms: Any, start: Start) -> Layout:
    """Return the layout after some moves. Total: impossible moves give a stuck layout with the reason."""
    run = _Run()
    try:
        run.over(game.play.round(terms, start), moves)
    except Refused as refused:
        return run.layout(f"a mark the rules refuse: {refused.code}")
    except Misplayed as error:
        return run.layout(str(error))
    except Exception as error:  # a fault in a script must not end the daemon; its text might spell a card
        return run.layout(f"{type(error).__name__} in the rules of {game.name}")
    return run.layout()


def refusal(game: Game, moves: Sequence[Move], terms: Any, start: Start, mark: Mark) -> Refused | None:
    """Return the refusal of a mark after some moves, None if it is accepted. Raises what a faulty script raises."""
    try:
        marked(game, layout(game, moves, terms, start), moves, terms, start, mark)
    except Refused as refused:
        return refused
    return None


def marked(game: Game, now: Layout, moves: Sequence[Move], terms: Any, start: Start, mark: Mark) -> Layout:
    """Return the layout after a mark; `now`: the layout of the moves before it. Raises Refused if not accepted."""
    if now.due is None:
        raise Refused("over")
    if mark.word not in game.play.words:
        marks = phrase("marks_of", game=game.name, marks=tuple(game.play.words))
        raise Refused("unknown", now=(marks if game.play.words else phrase("no_marks", game=game.name),))
    _refuse_a_seats_lot(mark)
    if not mark.seat and mark.word not in game.play.seatless:
        raise Refused("unknown", now=(phrase("name_seat", word=mark.word),))
    if not isinstance(now.due, prompts.MarkDue):
        why = now.due.why if isinstance(now.due, prompts.CardDue | prompts.OpeningDue) else ""
        raise Refused("no_mark_due", **({"now": (phrase("prompt", why=why),)} if why else {}))
    run = _Run()
    run.over(game.play.round(terms, start), (*moves, mark))
    return run.layout()


def judged(game: Game, came: Sequence[Card | Mark], terms: Any, start: Start) -> Layout:
    """Return the layout of played cards, all open, and marks; questions are answered from the cards."""
    moves: list[Move] = []
    for each in came:
        moves.append(Dealt(each) if isinstance(each, Card) else each)
        table = layout(game, moves, terms, start)
        while isinstance(table.due, prompts.Question):
            faces = {n: placed.card for n, placed in enumerate(table.placed) if placed.card}
            moves.append(Answered(game.play.answer(table.due, faces, table)))
            table = layout(game, moves, terms, start)
    return layout(game, moves, terms, start)


def _refuse_a_seats_lot(mark: Mark) -> None:
    if mark.seat and mark.word == LOT:
        raise Refused("unknown", now=(phrase("lot_has_no_seat", seat=mark.value or mark.seat),))


class Misplayed(ValueError):
    """A move that was not due."""


class _Run:
    """One run of a script: gathers the layout until the moves are used up or the round is over."""

    def __init__(self) -> None:
        self.placed: list[Placed] = []
        self.did: list[Words] = []
        self.turns = 0
        self.shows: prompts.Shows | None = None
        self.signs: dict[str, str] = {}
        self.no_round = False
        self.due: prompts.Due | None = None
        self.result: Result | None = None

    def over(self, script: Any, moves: Sequence[Move]) -> None:
        """Run the script; its amounts are exact to the last digit.

        Raises Misplayed for a move that is not due, Refused for a mark the game refuses.
        """
        with localcontext(prompts.EXACT):
            self._run(script, moves)

    def _run(self, script: Any, moves: Sequence[Move]) -> None:
        n, reply, marked = 0, None, False
        while True:
            try:
                ask = script.send(reply)
            except StopIteration as end:
                self.result, self.turns = end.value, self.turns + marked
                self.no_round = end.value is None
                break
            reply = None
            if type(ask) is not prompts.CardDue and self._stated(ask):
                continue
            if marked and not (isinstance(ask, prompts.MarkDue) and ask.again):
                self.turns += 1
            marked = False
            if n == len(moves):
                self.due = ask
                return
            reply, marked = self._played(ask, moves[n])
            n += 1
        if n < len(moves):
            raise Misplayed("more moves than the round takes")

    def _stated(self, ask: prompts.Ask) -> bool:
        """Record a `Did`, `Plays`, `Shows` or `Sign`, which wait for no move; return False for any other."""
        if isinstance(ask, prompts.Did):
            self.did.append(ask.words)
        elif isinstance(ask, prompts.Plays):
            self.placed[ask.n] = replace(self.placed[ask.n], plays=ask.slot)
        elif isinstance(ask, prompts.Shows):
            self.shows = ask
        elif isinstance(ask, prompts.Sign):
            self.signs[ask.slot] = ask.means
        else:
            return False
        return True

    def _played(self, ask: prompts.Due, move: Move) -> tuple[Any, bool]:
        if type(ask) is prompts.CardDue and type(move) is Dealt:
            self.placed.append(Placed(ask.slot, ask.plays, move.card, ask.down))
            self.turns += 1
            self.signs.clear()
            return move.card, False
        match ask, move:
            case prompts.MarkDue(), Mark():
                _refuse_a_seats_lot(move)
                self.signs.clear()
                return move, True
            case prompts.Question(among=among), Answered(answer=answer) if answer in among:
                return answer, False
        raise Misplayed(f"{type(move).__name__} came where {type(ask).__name__} was asked")

    def layout(self, stuck: str = "") -> Layout:
        """Return the layout as far as the run came; `stuck`: why the round cannot go on."""
        return Layout(
            tuple(self.placed),
            None if stuck else self.due,
            None if stuck else self.result,
            tuple(self.did),
            self.turns,
            stuck,
            self.shows.of if self.shows else None,
            self.no_round and not stuck,
            self.signs,
            self.shows.playing if self.shows else None,
            self.shows.looked if self.shows else None,
        )
