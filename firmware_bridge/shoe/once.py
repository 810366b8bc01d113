"""What follows from a shoe is worked out once, however often it is asked for while a card is judged and shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Answer = TypeVar("Answer")


def once(of: Callable[[Any], Answer]) -> Callable[[Any], Answer]:
    """The same function of a shoe, which keeps the answer of the shoe it was asked about last. A shoe never changes."""
    last, answer = object(), None

    @wraps(of)
    def kept(shoe: Any) -> Any:
        nonlocal last, answer
        if shoe is not last:
            answer, last = of(shoe), shoe
        return answer

    return kept
