"""The way of a call through our files, as somebody walks it who reads the code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

ROOT: Final = str(Path(__file__).parents[2])


def walk(work: Callable[[], Any], *rooms: str) -> list[str]:
    """The files of these rooms in the order in which `work` enters them, by each function's first call.

    A file comes again where a function of it is met that was not read yet: the length is how many stays there are.
    Functions of other threads are not met.
    """
    stays: list[str] = []
    read = set[CodeType]()
    within = tuple(f"{ROOT}/{room}/" for room in rooms)

    def enter(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code in read or not code.co_filename.startswith(within):
            return
        read.add(code)
        file = code.co_filename.removeprefix(f"{ROOT}/")
        if stays[-1:] != [file]:
            stays.append(file)

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        work()
    finally:
        sys.setprofile(before)
    return stays
