"""Keeps the newest drawing of each page: all its readers share it, and none of them gets an older one."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

PAGES: Final = 64
"""Most pages with a drawing that is kept; the one that was asked for longest ago is dropped first."""

State = TypeVar("State")
Rest = ParamSpec("Rest")
Drawn = TypeVar("Drawn")


def newest(draw: Callable[Concatenate[str, State, Rest], Drawn]) -> Callable[Concatenate[str, State, Rest], Drawn]:
    """Return a decorator that keeps what a function drew last for each page, until its state is another one.

    The function is given the name of a table, the state to draw, and what else makes a page: language, look. It depends
    on nothing but these, and is called on the event loop alone.
    """
    kept = OrderedDict[Hashable, tuple[State, Drawn]]()

    @wraps(draw)
    def drawn(name: str, state: State, /, *rest: Rest.args, **more: Rest.kwargs) -> Drawn:
        page = (name, rest, *more.items())
        known = kept.pop(page, None)
        if known is None or known[0] != state:
            known = state, draw(name, state, *rest, **more)
        kept[page] = known
        if len(kept) > PAGES:
            kept.popitem(last=False)
        return known[1]

    return drawn
