"""Lamps and acts of the dealer, stated again for the tests from what the table's procedure says, game by game.

A round is given with its steps as the second statements of the rules have them: what happened, which slot is due, who
must act. From these alone follow the lamps and the acts; nothing here imports a rule or a lamp of the product.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from tests.games.baccarat.book import OPENING, Book, book
from tests.games.blackjack import rounds as blackjack
from tests.games.grabbed_lines import line as grabbed
from tests.games.zhajinhua.chance import lines as zhajinhua
from tests.games.zhajinhua.simulated import simulate

Step = dict[str, Any]
Lit = dict[str, str]
Acts = list[dict[str, Any]]

FLASHES = ("confirm", "double", "triple", "quadruple")
SETTLING = {"round_over", "round", "stopped"}


class Shown(NamedTuple):
    """The lamps and acts of one state; `moment`: where it is, for messages."""

    moment: str
    lit: Lit
    acts: Acts


class Given(NamedTuple):
    """A line to play, and what is to be shown after each of its words (by their number, from 1).

    complete: where a round is then complete. opening: each state before that in which sealed cards are to be opened.
    """

    line: dict[str, Any]
    shown: list[Shown]
    complete: dict[int, Shown]
    opening: dict[int, list[Shown]]


def given(game: str, seed: int, sealed: bool) -> Given | None:
    """A random round of a game with seats; None where too few seats take part."""
    line = _line(game, seed)
    steps: list[Step] = line.pop("steps")
    if steps[0].get("over") or steps[0].get("error"):
        return None
    listener = _Listener(sealed)
    opening: dict[int, list[Shown]] = {}
    shown: list[Shown] = []
    complete: dict[int, Shown] = {}
    for n, step in enumerate(steps):
        word = line["moves"][n - 1] if n else ""
        if listener.is_over or step.get("error"):
            shown.append(shown[-1])
            continue
        listener.hear(word, step)
        opening[n] = listener.openings(f"{line['id']} opening after {word}", step)
        if over := listener.settled(step):
            complete[n] = Shown(f"{line['id']} complete after {word}", {"ready": "confirm"} | listener.signs, over)
        shown.append(Shown(f"{line['id']} after {word}", *listener.state(step)))
    return Given(line, shown, complete, opening)


def _line(game: str, seed: int) -> dict[str, Any]:
    match game:
        case "blackjack":
            return blackjack.line(seed)
        case "zhajinhua":
            [line] = zhajinhua(seed, 1)
            return line | {"steps": simulate(line)[0]}
    return grabbed(game, Random(seed), f"{game}-{seed}")


class _Listener:
    """What a listener at the table knows so far."""

    def __init__(self, sealed: bool) -> None:
        self.sealed, self.banker = sealed, ""
        self.hands: dict[str, list[str]] = {}
        self.signs: Lit = {}
        self.last_asked = ""
        self.is_fresh, self.is_over = True, False

    def hear(self, word: str, step: Step) -> None:
        self.signs = {}
        self.is_fresh = not word
        for verb, *about in step["did"]:
            if verb == "place":
                hands = self.hands.setdefault(_seat(about[0]), [])
                hands += [about[0]] if about[0] not in hands else []
            elif verb == "move":
                hands = self.hands[_seat(about[0])]
                hands.insert(hands.index(self.last_asked) + 1, about[0])
            elif verb == "peek":
                self.signs["D"] = "quick" if about[0] else "double"
            elif verb == "compare":
                self.signs[about[1] if about[2] == about[0] else about[0]] = "quick"
            elif verb == "banker":
                self.banker = about[0]
            elif verb == "round_over":
                self.is_fresh = True
        self.last_asked = (step["act"] or [""])[0]
        self.is_over = bool(step.get("over"))

    def openings(self, moment: str, step: Step) -> list[Shown]:
        """The states in which REVEAL is to be pressed before the step is done; none where nothing is sealed."""
        found = []
        slots = [did[1] for did in step["did"] if did[0] == "turn"] if self.sealed else []
        if self.banker and slots:  # from his next seat on, his own last
            at = slots.index(self.banker) + 1
            slots = slots[at:] + slots[:at]
        turned = [n for n, did in enumerate(step["did"]) if did[0] == "turn"]
        begins = [0, *turned]
        for slot, begin, end in zip(slots, begins, turned, strict=False):
            answers = ["quick" if did[1] else "double" for did in step["did"][:end] if did[0] == "peek"]
            signs = {"D": answers[0]} if answers else {}
            acts = [*self._acts(step["did"][begin:end]), {"verb": "press", "slots": [slot], "key": "reveal"}]
            found.append(Shown(moment, {"ready": "confirm"} | signs, acts))
        return found

    def _acts(self, did: list[list[Any]]) -> Acts:
        return [act for act in _acts(did) if not (self.sealed and act["verb"] == "turn")]

    def _opened(self, step: Step) -> int:
        """Where what follows the last REVEAL of a step begins: what was shown before it is done."""
        turned = [n for n, did in enumerate(step["did"]) if did[0] == "turn"]
        return turned[-1] if self.sealed and turned else 0

    def settled(self, step: Step) -> Acts:
        """The acts of a round that is complete, until NEXT; none where it is not."""
        verbs = [did[0] for did in step["did"]]
        if not (self.is_over or "round_over" in verbs):
            return []
        end = verbs.index("round_over") if "round_over" in verbs else len(verbs)
        return [*self._acts(step["did"][self._opened(step) : end]), {"verb": "press", "key": "next"}]

    def state(self, step: Step) -> tuple[Lit, Acts]:
        """What is shown where the round goes on, or the next one has begun."""
        if self.is_over:
            return {}, []
        verbs = [did[0] for did in step["did"]]
        begun = verbs.index("round_over") + 1 if "round_over" in verbs else 0
        acts, lit = ([], {}) if begun else (self._acts(step["did"][self._opened(step) :]), dict(self.signs))
        if slot := step["due"]:
            ready = {"ready": "steady"} if self.is_fresh else {}
            return {**lit, _seat(slot): "steady", **ready}, [
                *acts,
                {"verb": "draw", "slot": _seat(slot), "hand": slot},
            ]
        if step["act"] == ["lot"]:
            slots = step["marks"]["lot"]
            named = [each if each.startswith("S") else f"S{each}" for each in slots]
            return lit | dict.fromkeys(named, "candidate"), [*acts, {"verb": "ask", "slot": "lot", "slots": named}]
        rhythms = {_seat(slot): FLASHES[self._place(slot)] for slot in step["act"]}
        return lit | rhythms, [*acts, *({"verb": "ask", "slot": _seat(slot), "hand": slot} for slot in step["act"])]

    def _place(self, slot: str) -> int:
        hands = self.hands.get(_seat(slot), [slot])
        return min(hands.index(slot), len(FLASHES) - 1) if slot in hands else 0


def _seat(slot: str) -> str:
    return slot.split(".")[0]


def _acts(did: list[list[Any]]) -> Acts:
    """What the dealer does with chips and cards, by what happened."""
    found: Acts = []
    for verb, *about in did:
        match verb, about:
            case (("pay" | "bonus"), [loser, winner, amount, *_]):
                found += [_at("take", loser, amount), _at("pay", winner, amount)]
            case (("pay" | "win" | "return"), [hand, amount]):
                found.append(_at("pay", hand, amount))
            case "take", [hand, amount]:
                found.append(_at("take", hand, amount))
            case "rake", [amount]:
                found.append({"verb": "take", "what": "rake", "amount": _text(amount)})
            case (("discard" | "out"), [hand, *_]):
                found.append(_at("collect", hand))
            case "turn", [hand, *_]:
                found.append(_at("turn", hand))
            case "move", [hand, _]:
                found.append({"verb": "move", "slot": _seat(hand), "to": hand})
    return found


def _at(verb: str, hand: str, amount: Any = "") -> dict[str, Any]:
    return {"verb": verb, "slot": _seat(hand), "hand": hand} | ({"amount": _text(amount)} if amount != "" else {})


def _text(amount: Any) -> str:
    """An amount as plain decimals."""
    if not isinstance(amount, Fraction):
        return str(amount)
    text = f"{Decimal(amount.numerator) / Decimal(amount.denominator):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# ---------------------------------------------------------------- baccarat

Faces = tuple[Any, ...]


def baccarat(faces: Faces, carried: int, procedure: str, opened: int | None) -> Shown:
    """Lamps and acts of a round of baccarat after these cards, of which so many were carried into it.

    opened: how often REVEAL was pressed in it, None where nothing is sealed.
    """
    moment = f"{procedure} {' '.join(each.value for each in faces)}, opened {opened}"
    now = book(faces, procedure)
    if opened is not None and len(faces) >= (4 if procedure == "on-demand" else 6):
        steps: list[tuple[str, ...]] = [("P1", "P2"), ("B1", "B2")]
        steps += [(str(slot),) for slot in now.plays if slot in ("P3", "B3")]
        if opened < len(steps):
            moves = [move for move in _played(now) if (move[1],) == steps[opened]]
            lit = {"ready": "confirm"} | {slot: "confirm" for move in moves for slot in move}
            press = {"verb": "press", "slots": [*steps[opened]], "key": "reveal"}
            return Shown(moment, lit, [*map(_moved, moves), press])
    if now.outcome:
        moves = list(_played(now)) if opened is None else []
        lit = {"ready": "confirm"} | {slot: "confirm" for move in moves for slot in move}
        return Shown(moment, lit, [*map(_moved, moves), {"verb": "press", "key": "next"}])
    lit, acts = {str(now.due): "steady"}, [{"verb": "draw", "slot": now.due, "hand": now.due}]
    if len(faces) == carried:
        moves = list(zip(("R1", "R2")[2 - carried :], OPENING, strict=False))
        lit |= {"ready": "steady"} | {slot: "confirm" for move in moves for slot in move}
        acts = [*map(_moved, moves), *acts]
    return Shown(moment, lit, acts)


def _played(now: Book) -> Iterator[tuple[str, str]]:
    """The reserves that are played, and where."""
    for slot, plays in zip(now.slots, now.plays, strict=True):
        if slot in ("R1", "R2") and plays:
            yield slot, plays


def _moved(move: tuple[str, str]) -> dict[str, Any]:
    return {"verb": "move", "slot": move[0], "to": move[1]}
