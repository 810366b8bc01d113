"""Metrics as text: Prometheus' exposition format 0.0.4, and OpenMetrics 1.0.0 for who asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from firmware_bridge.floor.metrics.families import Kind, Labels, Value

PLAIN: Final = "text/plain; version=0.0.4; charset=utf-8"
OPEN: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class Metric(NamedTuple):
    """A metric with its samples: the labels and the value of each; None is left out."""

    name: str
    kind: Kind
    help: str
    samples: Iterable[tuple[Labels, Value]]


def wanted(accept: str) -> str:
    """The content type for whoever accepts these: OpenMetrics where it is named, else Prometheus' own text."""
    kinds = [each.replace(" ", "").lower() for each in accept.split(",")]
    is_open = any(each.startswith("application/openmetrics-text") and "version=0.0.1" not in each for each in kinds)
    return OPEN if is_open else PLAIN


def text(metrics: Iterable[Metric], content_type: str) -> str:
    """The metrics in a format; one without a sample is left out."""
    is_open = content_type == OPEN
    lines: list[str] = []
    for metric in metrics:
        samples = list(_samples(metric))
        if samples:
            lines += (*_head(metric, is_open), *samples)
    if is_open:
        lines.append("# EOF")
    return "\n".join(lines) + "\n"


def _head(metric: Metric, is_open: bool) -> tuple[str, str]:
    name, kind, told = metric.name, str(metric.kind), metric.help.replace("\\", r"\\").replace("\n", r"\n")
    if is_open:  # there the name of a family is without what its samples end in
        name = name.removesuffix({"counter": "_total", "info": "_info"}.get(kind, ""))
        told = told.replace('"', r"\"")
    elif kind == "info":
        kind = "gauge"
    return f"# HELP {name} {told}", f"# TYPE {name} {kind}"


def _samples(metric: Metric) -> Iterator[str]:
    for labels, value in metric.samples:
        if value is not None:
            told = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
            yield f"{metric.name}{{{told}}} {_number(value)}" if told else f"{metric.name} {_number(value)}"


def _number(value: float | int | bool) -> str:
    return str(int(value)) if isinstance(value, bool) else repr(value)


def _escaped(value: str) -> str:
    """The value of a label: any text is one."""
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
