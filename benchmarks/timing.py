"""Works timed in turn, round after round, so that a machine that slows down slows all of them; medians."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import numpy as np
import scipy


@dataclass(frozen=True)
class Effort:
    """How much is measured: everything, or only enough to see that the programs run."""

    quick: bool = False

    @property
    def rounds(self):
        return 1 if self.quick else 7

    def size(self, full, small):
        """`full`, or `small` for a quick run."""
        return small if self.quick else full


def seconds_of(work):
    started = perf_counter()
    work()
    return perf_counter() - started


def in_turn(works, rounds):
    """Seconds of each work in each round: name -> list."""
    times = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(seconds_of(work))
    return times


def ratio(times, name, floor):
    """Median over the rounds of the time of one work over that of another in the same round."""
    return median(mine / other for mine, other in zip(times[name], times[floor], strict=True))


def repeated(work, count):
    """The work so many times, as one work; for what is too short to be timed alone."""

    def many():
        for _ in range(count):
            work()

    return many


def table(head, rows):
    """A table in Markdown; the first column is text, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def short(seconds):
    """Seconds with two digits that count, in the unit that people would use."""
    if not np.isfinite(seconds):
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    raise AssertionError


def machine():
    """What the numbers were measured on."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return (
        f"{name}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, SciPy {scipy.__version__}, one thread"
    )
