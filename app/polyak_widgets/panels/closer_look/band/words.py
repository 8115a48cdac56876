"""What the band says in words: what it is made of, when most runs come to a tolerance, and what it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from polyak_core.arrays import Array
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.numbers import count_text, number_text, power_text
from polyak_widgets.panels.closer_look.band.band import RUNS, Band
from polyak_widgets.panels.curves import DEEPEST
from polyak_widgets.panels.texts import of_initial_gap, rounding_below
from polyak_widgets.panels.words.race import EXPONENTS
from polyak_widgets.panels.words.words import label
from polyak_widgets.settings.view import SPREADS

if TYPE_CHECKING:
    from polyak_widgets.panels.closer_look.band.panel import Bands

STARTS = f"from {RUNS} starts x₀, standard normal, of seeds 0 to {RUNS - 1}"
OWN_GAP = "Each run is measured by its own initial gap"
ENDED = "a run that has ended counts on with its last gap"
NO_BOUND = "The band is no bound, and its edges are no runs."


def no_such_method(spread: str, subject: str) -> str:
    """Why no band can be drawn, after "because"."""
    return f"{subject}, which alone has {SPREADS[spread]}, is not drawn; choose it, or let the start vary."


def band_subtitle(
    spread: str, values: tuple[float, ...], known: Mapping[str, Band], lowest: float = DEEPEST
) -> str:
    """What line and band are, and why a chart whose bands go on ends at `lowest`."""
    of = STARTS if spread == "starts" else f"with {len(values)} values of {_range(spread, values)}"
    whole = min(known.values(), key=lambda band: band.runs)
    lines = f"{of} · line: the median · band: the middle {whole.inside} of {whole.runs} gaps at each k"
    ends_early = lowest > DEEPEST and any(band.low.min() < lowest for band in known.values())
    return f"{lines} · {rounding_below(number_text(lowest))}" if ends_early else lines


def floor_of(known: Mapping[str, Band]) -> float:
    """The relative gap below which rounding errors dominate in some run."""
    return max(band.floor for band in known.values())


def _range(spread: str, values: tuple[float, ...]) -> str:
    ends = " to ".join(number_text(value, 3) for value in (values[0], values[-1]))
    return f"{SPREADS[spread]}{' / L' if spread == 'mu0' else ''} from {ends}"


def band_sentence(experiment: Experiment, bands: Bands, known: Mapping[str, Band]) -> str:
    """When medians and bands come to the strictest tolerance that a median reaches; what a band is not."""
    short = [study for method, study in bands.studies.items() if _runs(known, method) < study.count]
    opening = ""
    if short:
        ended = sum(_runs(known, method) for method in bands.studies)
        over = " when the time for this chart was used up" if all(study.finished for study in short) else ""
        whole = sum(study.count for study in bands.studies.values())
        opening = f"{count_text(ended)} of {count_text(whole)} runs had ended{over}. "
    tolerance = _strictest(experiment, known)
    reached = ""
    if tolerance is not None:
        needs = [
            f"{label(method, experiment.settings, without=bands.spread)} {_needs(band, tolerance)}"
            for method, band in sorted(known.items(), key=lambda each: _first(each[1].median, tolerance))
            if np.isfinite(_first(band.median, tolerance))
        ]
        goal = of_initial_gap(power_text(round(np.log10(tolerance))))
        reached = f"Iterations of the median to {goal}, and where the band comes there: {'; '.join(needs)}. "
    rules = f"{OWN_GAP}; {ENDED}." if bands.spread == "starts" else f"{ENDED.capitalize()}."
    return f"{opening}{reached}{rules} {NO_BOUND}"


def _runs(known: Mapping[str, Band], method: str) -> int:
    return known[method].runs if method in known else 0


def _strictest(experiment: Experiment, known: Mapping[str, Band]) -> float | None:
    """The strictest tolerance, no stricter than the target, that a median reaches."""
    target = experiment.settings.target
    levels = [10.0**exponent for exponent in reversed(EXPONENTS) if 10.0**exponent >= target * (1 - 1e-9)]
    there = (t for t in levels if any(np.isfinite(_first(band.median, t)) for band in known.values()))
    return next(there, None)


def _first(values: Array, tolerance: float) -> float:
    """The first k at or below it; infinite if there is none."""
    below = np.flatnonzero(values <= tolerance)
    return float(below[0]) if below.size else np.inf


def _needs(band: Band, tolerance: float) -> str:
    """Iterations of the median, and of both edges."""
    middle, early, late = (_first(edge, tolerance) for edge in (band.median, band.low, band.high))
    last = count_text(int(late)) if np.isfinite(late) else f"> {count_text(band.high.size - 1)}"
    return f"{count_text(int(middle))} ({count_text(int(early))} to {last})"


def band_summary(names: Mapping[str, str], known: Mapping[str, Band]) -> str:
    """The chart as text: where each band ends."""
    ends = (
        f"{names[method]}: median {number_text(float(band.median[-1]))}, band from "
        f"{number_text(float(band.low[-1]))} to {number_text(float(band.high[-1]))}"
        for method, band in known.items()
    )
    return f"Relative gaps at the end. {'; '.join(ends)}."
