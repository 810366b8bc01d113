"""A daemon one of whose callbacks raises an error once, wherever it was scheduled: on the loop, in a thread, as a task.

`BREAK`: module:qualified name of the callback; a method where it begins with `call `, which raises when it is called.
`BROKEN`: a file that is made when it has raised, so that the next start of the daemon is whole.
"""

from typing import Final

BREAKS_ONCE: Final = """
import asyncio, concurrent.futures, contextvars, functools, importlib, os, sys, threading
from asyncio import base_events, selector_events
from pathlib import Path

from firmware_bridge.cli import main

target, broken = os.environ["BREAK"], Path(os.environ["BROKEN"])

def name_of(call, args=()):
    while isinstance(call, functools.partial):
        call, args = call.func, call.args
    if isinstance(getattr(call, "__self__", None), contextvars.Context):
        return name_of(args[0], args[1:])
    call = getattr(call, "__func__", call)
    return f"{getattr(call, '__module__', '')}:{getattr(call, '__qualname__', '')}"

def failing(real):
    def once(*args, **more):
        if broken.exists():
            return real(*args, **more)
        broken.touch()
        raise RuntimeError("broken by a test")
    return once

def is_target(name):
    return name == target and not broken.exists()

def patch(of, name, first, soon=None):
    # first: index of the callback; soon: index of a time that is then over
    real = getattr(of, name)
    def patched(*args, **more):
        if len(args) > first and callable(args[first]) and is_target(name_of(args[first], args[first + 1:])):
            args = [*args[:first], failing(args[first]), *args[first + 1:]]
            if soon is not None:
                args[soon] = 0
        return real(*args, **more)
    setattr(of, name, patched)

loop = base_events.BaseEventLoop
patch(loop, "call_later", 2, 1)
patch(loop, "call_at", 2, 1)
patch(loop, "call_soon", 1)
patch(loop, "call_soon_threadsafe", 1)
patch(loop, "run_in_executor", 2)
patch(selector_events.BaseSelectorEventLoop, "_add_reader", 2)
patch(selector_events.BaseSelectorEventLoop, "_add_writer", 2)
patch(concurrent.futures.Executor, "submit", 1)
patch(concurrent.futures.ThreadPoolExecutor, "submit", 1)
patch(concurrent.futures.Future, "add_done_callback", 1)

real_task = loop.create_task
async def broken_task(work):
    if not broken.exists():
        work.close()
    return await failing(lambda: work)()
def create_task(self, work, **more):
    module = Path(work.cr_code.co_filename) if hasattr(work, "cr_code") else Path()
    where = ".".join(module.with_suffix("").parts[-4:])
    where = where[where.find("firmware_bridge"):] if "firmware_bridge" in where else where[where.find("hardware"):]
    if is_target(f"{where}:{work.__qualname__}"):
        work = broken_task(work)
    return real_task(self, work, **more)
loop.create_task = create_task

made = threading.Thread.__init__
def init(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
    if target and is_target(name_of(target, args)):
        target = failing(target)
    made(self, group, target, name, args, kwargs, daemon=daemon)
threading.Thread.__init__ = init

if target.startswith("call "):
    module, _, path = target.removeprefix("call ").partition(":")
    *of, name = path.split(".")
    owner = functools.reduce(getattr, of, importlib.import_module(module))
    setattr(owner, name, failing(getattr(owner, name)))

sys.exit(main(sys.argv[1:]))
"""
