"""A fleet's report as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from firmware_bridge.sim.fleet.plan import Report

MIB: Final = 1024


def lines(report: Report) -> Iterator[str]:
    """What came of a run."""
    plan, found = report.plan, report.compared
    yield f"{report.rounds} rounds of {plan.due} due, {report.entries} entries in {report.seconds:.0f} s of play"
    yield f"tables up after {report.connect_s} s; loops late by {report.lag_ms:.0f} ms at most"
    for each in report.troubles:
        whole = "never whole" if each.whole_s is None else f"whole {each.whole_s:.1f} s after"
        yield f"  at {each.at_s:6.1f} s  {each.what:<50} away {each.away_s:5.1f} s, {whole}"
    if found:
        whole = "never" if report.whole_s is None else f"{report.whole_s:.1f} s after the last card"
        yield f"{found.made} messages made by the journals, {found.stored} stored; whole: {whole}"
        counts = {"missing": found.missing, "twice": found.twice, "other bytes": found.other, "unmade": found.unmade}
        counts |= {"conflicts": report.conflicts, "quarantined": report.quarantined}
        yield ", ".join(f"{count} {name}" for name, count in counts.items())
        yield from (f"  {each}" for each in found.examples)
    yield f"{'':10}{'processes':>10}{'PSS MiB':>10}{'RSS MiB':>10}{'CPU %':>8}{'files':>8}{'threads':>9}"
    for kind, use in report.use.items():
        cpu = 100 * report.cpu_s.get(kind, 0.0) / max(report.seconds, 0.001)
        count = plan.processes if kind == "tables" else ""
        memory = f"{use.pss_kib / MIB:10.1f}{use.rss_kib / MIB:10.1f}"
        yield f"{kind:10}{count:>10}{memory}{cpu:8.1f}{use.descriptors:8}{use.threads:9}"
    yield from (f"failed: {each}" for each in report.failures)
    if report.refused or report.blocked:
        yield f"failed: {report.refused} orders refused, {report.blocked} tables blocked"


def growth(reports: Sequence[Report]) -> Iterator[str]:
    """What each table needs, beside what its process needs without one; of fleets of several sizes."""
    yield "what one table needs:"
    yield "  tables   PSS KiB   RSS KiB   files  CPU ms/round  broker KiB  ingest KiB"
    for each in reports:
        count, there, base = each.plan.tables, each.use["tables"], each.base
        processes = each.plan.processes
        memory = [(total - processes * one) / count for total, one in _memory(each)]
        files = (there.descriptors - processes * base.descriptors) / count
        cpu = 1000 * each.cpu_s["tables"] / max(each.rounds, 1)
        others = [each.use[kind].pss_kib / count for kind in ("broker", "ingest")]
        yield f"{count:8}{memory[0]:10.0f}{memory[1]:10.0f}{files:8.1f}{cpu:14.1f}{others[0]:12.0f}{others[1]:12.0f}"


def _memory(report: Report) -> list[tuple[int, int]]:
    there, base = report.use["tables"], report.base
    return [(there.pss_kib, base.pss_kib), (there.rss_kib, base.rss_kib)]
