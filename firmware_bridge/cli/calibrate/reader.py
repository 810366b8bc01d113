"""`shoe calibrate reader`: raw signal, settings and a test pass; readers without a signal get the test alone."""

import asyncio
from textwrap import wrap
from typing import Final

import msgspec

from firmware_bridge.cli.calibrate.lease import Borrowed
from firmware_bridge.cli.calibrate.session import Session
from firmware_bridge.config.calibration import ReaderSection, ReaderSettings, Reading
from firmware_bridge.daemon.devices import code_books
from firmware_bridge.daemon.devices.repeats import may_repeat
from hardware.calibrate.bench import Bench, Tested, adjust, repeated, tried
from hardware.calibrate.figures import Refusal, mean, sd
from hardware.calibrate.levels import Levels
from hardware.errors import PortVanished
from hardware.readers import READERS

PARAMS: Final = {1: "threshold", 2: "hysteresis", 3: "gain", 4: "exposure_us", 5: "min_quality", 6: "samples"}
"""The native board's parameters."""

COLUMNS: Final = 79
"""Columns of a line of advice."""

LIES_S: Final = 6.0
"""Seconds for which the last test card lies before the reader."""

MARGIN: Final = 2
"""How many of its longest intervals a module may take to report a card again."""

LONGEST: Final = 10.0
"""The most seconds of `[reader] repeats`."""

TEST_CARDS: Final = 20
LEAST_RATE: Final = 0.99
"""Minimum decode rate of a test pass: one unread card in a hundred stops every other round."""


def run(session: Session) -> int:
    """Calibrate, test and keep; return 0. Raises Refusal: the board then has its old settings."""
    with session.borrow("reader") as borrowed:
        section = asyncio.run(_work(session, borrowed))
        session.keep(section)  # the daemon reads it when it has the reader again
    rate = f"{100 * section.measured.decode_rate:.1f} %"
    text = f"kept: {rate} of {section.measured.cards} cards read, by {section.by} at {section.at}"
    return session.done(text, before=section.before, after=section.after, measured=section.measured)


def undo(session: Session) -> int:
    """Restore the board's settings from before the last calibration; return 0."""
    last = session.last
    assert isinstance(last, ReaderSection)
    before = msgspec.to_builtins(last.before)
    if before:
        with session.borrow("reader") as borrowed:
            params = {id_: before[name] for id_, name in PARAMS.items() if name in before}
            asyncio.run(_restore(session, borrowed, params))
    session.forget()
    put_back = ", ".join(f"{name} {value}" for name, value in before.items())
    text = f"the board has its old settings: {put_back}" if before else "the last calibration is removed"
    return session.done(text, after=before)


async def _work(session: Session, borrowed: Borrowed) -> ReaderSection:
    async with session.bench(borrowed, LONGEST if may_repeat(session.config.reader) else 0.0) as bench:
        if waited := await bench.drain():
            session.guide.say(f"{waited} cards were waiting in the reader: they count as test cards")
        if not READERS[session.config.reader.protocol].has_signal:
            tested = await _test(session, bench)
            measured = {"repeats": await _repeats(session, bench)} if may_repeat(session.config.reader) else {}
            return msgspec.structs.replace(
                _section(session, tested, bench), after=measured, protocol=session.config.reader.protocol
            )
        before = await bench.params()
        borrowed.leave(bench.restoring(before))
        try:
            section = await _until_good(session, bench, before)
            await bench.save()
        except PortVanished:
            raise  # the daemon restores an unplugged board's settings when it is back
        except BaseException:
            if not borrowed.is_revoked:
                await bench.set(before)  # if this is interrupted too, the next owner of the reader restores them
                borrowed.leave(b"")
            raise
        borrowed.leave(b"")
        return section


async def _until_good(session: Session, bench: Bench, before: dict[int, int]) -> ReaderSection:
    """Adjust and test until the reader reads well; the technician may ask for another try. Raises Refusal."""
    while True:
        levels = await adjust(bench, session.guide, patience_s=session.patience_s)
        tested = await _test(session, bench)
        answer = session.guide.ask("keep it? yes, redo, no", "yrn")
        if answer == "y":
            break
        if answer == "n":
            raise Refusal("rejected by the technician", "nothing was kept; the board has its old settings")
    return _section(session, tested, bench, levels, before, await bench.params())


async def _test(session: Session, bench: Bench) -> Tested:
    count = session.cards or TEST_CARDS
    config = session.config
    known = code_books.of_reader(config.reader, config.table.decks, config.rules.pack)
    leave = "; leave the last one before the reader" if may_repeat(config.reader) else ""
    session.guide.say(f"pull {count} cards: the test{leave}")
    unknown = 0

    def is_known(code: int | str) -> bool:
        nonlocal unknown
        if not isinstance(code, str) or code in known:
            return True
        unknown += code_books.can_be(code, known)
        return False

    tested = await tried(bench, session.guide, count, session.patience_s, is_known)
    if tested.qualities:
        for line in tested.histogram(config.reader.min_quality):
            session.guide.say(line)
    if tested.rate < LEAST_RATE:
        damaged = tested.cards - tested.read - unknown
        todo = [f"{unknown} codes are in no code book: record it (shoe calibrate codebook)"] * bool(unknown)
        todo += [f"{damaged} were not read, or came damaged: clean the glass; check cable and speed"] * bool(damaged)
        raise Refusal(f"only {tested.read} of {tested.cards} cards were read", ". ".join([*todo, "Then try again"]))
    return tested


async def _repeats(session: Session, bench: Bench) -> float:
    """Measure how long the reader may take to report the last card again; say what to set where it does."""
    guide, config = session.guide, session.config.reader
    guide.say(f"leave the card where it lies for {LIES_S:.0f} s: does the reader report it again?")
    times = await repeated(bench, LIES_S)
    value = round(min(MARGIN * max(times), LONGEST), 1) if times else 0.0
    if not times:
        guide.say(f"no, not later than hold = {config.hold:g} s; kept as repeats = 0")
    else:
        guide.say(f"yes: each {mean(times):.1f} s, {max(times):.1f} s at most; kept as repeats = {value:g}")
        better = f"better: set {READERS[config.protocol].report_once}; then calibrate again"
        guide.say("\n".join(wrap(better, COLUMNS, subsequent_indent="    ", break_on_hyphens=False)))
    if config.repeats is not None and config.repeats != value:
        guide.say(f"[reader] repeats = {config.repeats:g} in bridge.toml stays in force: remove it, or set {value:g}")
    return value


async def _restore(session: Session, borrowed: Borrowed, params: dict[int, int]) -> None:
    async with session.bench(borrowed) as bench:
        await bench.drain()  # answers to the restored settings of a killed command
        await bench.set(params)
        await bench.save()
        borrowed.leave(b"")  # also cancels what a killed command had left to restore


def _section(
    session: Session,
    tested: Tested,
    bench: Bench,
    levels: Levels | None = None,
    before: dict[int, int] | None = None,
    after: dict[int, int] | None = None,
) -> ReaderSection:
    beat = bench.beat
    return ReaderSection(
        at=session.now,
        by=session.by,
        before=_named(before or {}),
        after=_named(after or {}),
        measured=Reading(
            cards=tested.cards,
            decode_rate=tested.rate,
            dark=levels.dark if levels else None,
            white=levels.white if levels else None,
            black=levels.black if levels else None,
            noise=round(levels.noise, 2) if levels else None,
            quality_mean=round(mean(tested.qualities), 2) if tested.qualities else None,
            quality_sd=round(sd(tested.qualities), 2) if tested.qualities else None,
            transit_ms=round(mean(tested.transits), 2) if tested.transits else None,
            transit_sd=round(sd(tested.transits), 2) if tested.transits else None,
            lamp=beat.lamp if beat else None,
            ambient=beat.ambient if beat else None,
            temperature=beat.temperature if beat else None,
            serial=bench.hello.serial if bench.hello else None,
        ),
    )


def _named(params: dict[int, int]) -> ReaderSettings:
    try:
        return msgspec.convert({PARAMS[id_]: value for id_, value in params.items()}, ReaderSettings)
    except msgspec.ValidationError as error:
        raise Refusal(f"the board has an invalid setting ({error})", "update its firmware") from None
