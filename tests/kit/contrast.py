"""How far colours of an SVG are from those next to them, as the guidelines for readable pages compute it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from firmware_bridge.games.baccarat.drawn.shapes import wide


class Drawn(NamedTuple):
    """An element of an SVG: its shape's kind, its numbers, its colour."""

    kind: str
    at: dict[str, float]
    ink: str

    def covers(self, x: float, y: float) -> bool:
        at = self.at
        match self.kind:
            case "rect":
                left, top = at.get("x", 0), at.get("y", 0)
                return left <= x <= left + at["width"] and top <= y <= top + at["height"]
            case "circle" if "stroke-width" in at:
                return abs(math.hypot(x - at["cx"], y - at["cy"]) - at["r"]) <= at["stroke-width"] / 2
            case "circle":
                return math.hypot(x - at["cx"], y - at["cy"]) <= at["r"]
            case "path":  # a sign or a frame; no text lies on one
                return False
            case _:
                return self._from_line(x, y) <= at["stroke-width"] / 2

    def outside(self) -> Iterator[tuple[float, float, float, float]]:
        """Points along its edge: just within, and just without."""
        at, by = self.at, 0.6
        turns = [math.tau * n / 24 for n in range(24)]
        if self.kind == "circle":
            half = at.get("stroke-width", 0) / 2
            edges = [(at["r"] + half, 1)] + ([(at["r"] - half, -1)] if half else [])
            for radius, way in edges:
                for turn in turns:
                    near, far = radius - way * by, radius + way * by
                    yield (
                        at["cx"] + near * math.cos(turn),
                        at["cy"] + near * math.sin(turn),
                        at["cx"] + far * math.cos(turn),
                        at["cy"] + far * math.sin(turn),
                    )
        elif self.kind == "line":
            x1, y1, x2, y2 = (at[name] for name in ("x1", "y1", "x2", "y2"))
            length, half = math.hypot(x2 - x1, y2 - y1), at["stroke-width"] / 2
            across, down = -(y2 - y1) / length, (x2 - x1) / length
            for part in (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95):
                x, y = x1 + (x2 - x1) * part, y1 + (y2 - y1) * part
                for way in (-1, 1):
                    near, far = way * (half - by), way * (half + by)
                    yield x + across * near, y + down * near, x + across * far, y + down * far
        else:
            for part in (0.1, 0.3, 0.5, 0.7, 0.9):
                x, y = at["x"] + at["width"] * part, at["y"] + at["height"] * part
                yield x, at["y"] + by, x, at["y"] - by
                yield x, at["y"] + at["height"] - by, x, at["y"] + at["height"] + by
                yield at["x"] + by, y, at["x"] - by, y
                yield at["x"] + at["width"] - by, y, at["x"] + at["width"] + by, y

    def _from_line(self, x: float, y: float) -> float:
        x1, y1, x2, y2 = (self.at[name] for name in ("x1", "y1", "x2", "y2"))
        length = (x2 - x1) ** 2 + (y2 - y1) ** 2
        part = max(0, min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length)) if length else 0
        return math.hypot(x - x1 - part * (x2 - x1), y - y1 - part * (y2 - y1))


def elements(text: str) -> tuple[list[Drawn], list[tuple[int, dict[str, str], str]]]:
    """The shapes of an SVG in their order; its texts, each with the number of shapes before it."""
    shapes: list[Drawn] = []
    texts: list[tuple[int, dict[str, str], str]] = []
    for each in ElementTree.fromstring(text):
        kind = each.tag.rpartition("}")[2]
        if kind == "text":
            texts.append((len(shapes), each.attrib, each.text or ""))
            continue
        numbers = {name: float(value) for name, value in each.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
        fill = each.attrib.get("fill", "none")
        shapes.append(Drawn(kind, numbers, fill if fill != "none" else each.attrib["stroke"]))
    return shapes, texts


class Canvas:
    """Finds what is seen at a point: shapes by the squares of 40 units they touch."""

    def __init__(self, shapes: list[Drawn]) -> None:
        self._squares: dict[tuple[int, int], list[tuple[int, Drawn]]] = {}
        for number, each in enumerate(shapes):
            for square in self._touched(each):
                self._squares.setdefault(square, []).append((number, each))

    def top(self, x: float, y: float) -> Drawn | None:
        """The uppermost shape at a point."""
        found = [each for _, each in self._squares.get((int(x // 40), int(y // 40)), ()) if each.covers(x, y)]
        return found[-1] if found else None

    def _touched(self, each: Drawn) -> Iterable[tuple[int, int]]:
        at, half = each.at, each.at.get("stroke-width", 0)
        match each.kind:
            case "rect":
                left, top = at.get("x", 0), at.get("y", 0)
                box = left, top, left + at["width"], top + at["height"]
            case "circle":
                reach = at["r"] + half
                box = at["cx"] - reach, at["cy"] - reach, at["cx"] + reach, at["cy"] + reach
            case "path":
                return ()
            case _:
                xs, ys = sorted((at["x1"], at["x2"])), sorted((at["y1"], at["y2"]))
                box = xs[0] - half, ys[0] - half, xs[1] + half, ys[1] + half
        x1, y1, x2, y2 = (int(edge // 40) for edge in box)
        return ((x, y) for x in range(x1, x2 + 1) for y in range(y1, y2 + 1))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2.1 computes it, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def worst(drawn: str, colours: set[str]) -> tuple[float, float]:
    """The least contrast of a mark, one of these colours, to what lies next to it; and of a text to its ground."""
    shapes, texts = elements(drawn)
    canvas = Canvas(shapes)
    marks = [each for each in shapes if each.ink in colours and each.at.get("stroke-width") != 1]
    least = []
    for each in marks:
        for x1, y1, x2, y2 in each.outside():
            if canvas.top(x1, y1) is each and (beside := canvas.top(x2, y2)) is not None and beside.ink != each.ink:
                least.append(contrast(each.ink, beside.ink))
    assert len(least) >= 20
    return min(least), least_of_texts(canvas, texts)[0]


def least_of_texts(canvas: Canvas, texts: list[tuple[int, dict[str, str], str]], size: str = "") -> tuple[float, str]:
    """The least contrast of a text to its ground, and the text. size: of a text that names none."""
    letters = []
    for _, said, text in texts:
        height = float(said.get("font-size", size))
        for left, width in _letters(said, text, height):
            for across in (0.05, 0.35, 0.65, 0.95):
                for up in (0.1, 0.35, 0.6):
                    under = canvas.top(left + width * across, float(said["y"]) - height * up)
                    assert under, text
                    letters.append((contrast(said.get("fill", "#000000"), under.ink), text))
    return min(letters)


def _letters(said: dict[str, str], text: str, size: float) -> Iterator[tuple[float, float]]:
    """Left edge and width of a text, or of each letter where each has its place."""
    if len(places := said["x"].split()) > 1:
        yield from ((float(place), size / 2) for place in places)
        return
    width = wide(text, size, "font-weight" in said) * 0.8
    yield float(said["x"]) - {"middle": width / 2, "end": width}.get(said.get("text-anchor", ""), 0), width
