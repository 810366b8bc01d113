"""A fleet's report as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from scripts.tools.fleet.plan import Report

MIB: Final = 1024


def lines(report: Report) -> Iterator[str]:
    """Yield what came of a run."""
    plan, found = report.plan, report.compared
    yield f"{report.rounds} rounds of {plan.due} due, {report.entries} entries in {report.seconds:.0f} s of play"
    yield f"tables up after {report.connect_s} s; loops late by {report.lag_ms:.0f} ms at most"
    for each in report.troubles:
        whole = "never whole" if each.whole_s is None else f"whole {each.whole_s:.1f} s after"
        yield f"  at {each.at_s:6.1f} s  {each.what:<50} away {each.away_s:5.1f} s, {whole}"
    if found:
        whole = "never" if report.whole_s is None else f"{report.whole_s:.1f} s after the last card"
        yield f"{found.made} messages made by the journals, {found.stored} stored; whole: {whole}"
        yield f"{report.sent} messages sent, {report.sent / max(found.made, 1):.2f} for each that was made"
        counts = {"missing": found.missing, "twice": found.twice, "other bytes": found.other, "unmade": found.unmade}
        counts |= {"conflicts": report.conflicts, "quarantined": report.quarantined}
        yield ", ".join(f"{count} {name}" for name, count in counts.items())
        yield from (f"  {each}" for each in found.examples)
    if plan.compact:
        yield f"the events of {report.compacted} journals compressed meanwhile"
    if report.windows:
        yield from report.windows.lines()
    yield f"{'':10}{'processes':>10}{'PSS MiB':>10}{'RSS MiB':>10}{'CPU %':>8}{'files':>8}{'threads':>9}"
    for kind, use in report.use.items():
        cpu = 100 * report.cpu_s.get(kind, 0.0) / max(report.seconds, 0.001)
        count = plan.processes if kind == "tables" else ""
        memory = f"{use.pss_kib / MIB:10.1f}{use.rss_kib / MIB:10.1f}"
        yield f"{kind:10}{count:>10}{memory}{cpu:8.1f}{use.descriptors:8}{use.threads:9}"
    yield from (f"failed: {each}" for each in report.failures)
    if report.refused or report.blocked:
        yield f"failed: {report.refused} orders refused, {report.blocked} tables blocked"


class Need(Struct, frozen=True):
    """What one table needs, beside what its process needs without any. cpu_ms: of a round. broker_, ingest_kib: PSS."""

    tables: int
    pss_kib: float
    rss_kib: float
    descriptors: float
    cpu_ms: float
    broker_kib: float
    ingest_kib: float


def need(report: Report) -> Need:
    """Return what one table of a run needs."""
    count, there, base, processes = report.plan.tables, report.use["tables"], report.base, report.plan.processes

    def each(total: int, before: int) -> float:
        return round((total - processes * before) / count, 1)

    return Need(
        count,
        each(there.pss_kib, base.pss_kib),
        each(there.rss_kib, base.rss_kib),
        each(there.descriptors, base.descriptors),
        round(1000 * report.cpu_s["tables"] / max(report.rounds, 1), 1),
        *(round(report.use[kind].pss_kib / count, 1) for kind in ("broker", "ingest")),
    )


def growth(needs: Sequence[Need]) -> Iterator[str]:
    """Yield what each table needs, in fleets of several sizes."""
    yield "what one table needs:"
    yield "  tables   PSS KiB   RSS KiB   files  CPU ms/round  broker KiB  ingest KiB"
    for each in needs:
        memory, others = f"{each.pss_kib:10.0f}{each.rss_kib:10.0f}", f"{each.broker_kib:12.0f}{each.ingest_kib:12.0f}"
        yield f"{each.tables:8}{memory}{each.descriptors:8.1f}{each.cpu_ms:14.1f}{others}"
