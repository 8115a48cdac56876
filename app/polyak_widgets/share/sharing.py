"""What goes with a picture to share it: its address, its code, a name for files, its settings in words."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.experiment import Experiment
from polyak_widgets.laboratory.problems import used
from polyak_widgets.numbers import iterations_text, number_text
from polyak_widgets.settings.choices import ON_DATA
from polyak_widgets.settings.settings import FIELDS, Settings
from polyak_widgets.settings.view import View
from polyak_widgets.share.address import AddressError, write_query
from polyak_widgets.share.code import notebook_code

NOT_HELD = "This link does not hold your file: whoever opens it must bring the same file."


SIGNS = {
    "lam": "λ", "C": "C", "width": "w", "condition_number": "κ", "n": "n", "rows": "m", "seed": "seed",
    "mu0": "μ₀/L", "gamma": "γ", "iterations": "N", "target": "target", "f_star_delta": "δ",
    "L_factor": "L given / L", "mu_factor": "μ given / μ",
}  # fmt: skip
"""What stands for a number before its value."""
IN_FILES = {
    "condition_number": "kappa",
    "f_star": "f-star",
    "f_star_delta": "delta",
    "L_factor": "L-given",
    "mu_factor": "mu-given",
}
"""What stands for a setting in the name of a file, where that is not its name."""
LONGEST_STEM = 100
"""Letters of a file's name without its ending."""
ASKED_BY = {
    "mu0": ("adapt_apg_v2", "adapt_apg", "adapt_apg_free"),
    "gamma": ("restart",),
    "estimator": ("adapt_apg_v2", "adapt_apg", "adapt_apg_free"),
    "mu_factor": ("apg",),
}
"""Settings of some methods alone."""

OF_PROBLEMS = (
    "problem", "data", "own", "scaling", "lam", "C", "svm_loss", "kernel", "width", "spectrum", "eigenvalues",
    "condition_number", "n", "rows", "seed",
)  # fmt: skip
"""Settings that only some problems have."""


def shared(experiment: Experiment, view: View, own: OwnData | None = None, story: str = "") -> dict[str, str]:
    """For the page: "query", or "trouble" in words; "note" on the link; "code"; "file", a name.

    "words" and "unusual" say what was run; they stand on paper and in files. An address of a story has its
    name alone: whoever opens it is asked first.
    """
    settings = experiment.settings
    try:
        query = write_query(settings, view, story, (settings, view) if story else None)
        address = {"query": query, "trouble": ""}
    except AddressError as error:
        address = {"query": "", "trouble": str(error)}
    held = settings.data != "own" or settings.problem not in ON_DATA
    return address | {
        "note": "" if held else NOT_HELD,
        "code": notebook_code(experiment, view, own),
        "file": file_stem(experiment.settings),
        "words": words(settings),
        "unusual": unusual(settings),
    }


def file_stem(settings: Settings) -> str:
    """A file's name without its ending: the problem, and what differs from the defaults.

    >>> file_stem(Settings(problem="svm_dual", data="musk")), file_stem(Settings())
    ('polyak-musk-svm-dual', 'polyak-log-quadratic')
    >>> file_stem(Settings(condition_number=1e6, gamma=0.5))
    'polyak-log-quadratic-kappa-1000000-gamma-0.5'
    """
    kind = settings.problem.replace("_", "-")
    made_of = {"quadratic": settings.spectrum} | dict.fromkeys(ON_DATA, settings.data)
    stem = "-".join(filter(None, ("polyak", made_of.get(settings.problem, ""), kind)))
    differing = _differing(settings)
    if settings.problem == "quadratic":
        differing.pop("spectrum", None)  # it stands at the front
    short = {
        name: value
        for name, value in differing.items()
        if FIELDS[name].metadata["kind"] in ("choice", "slider")
    }
    parts = [f"{IN_FILES.get(name, _for_file(name))}-{_for_file(value)}" for name, value in short.items()]
    whole = "-".join([stem, *parts])
    if len(differing) == len(parts) and len(whole) <= LONGEST_STEM:
        return whole
    return f"{whole[: LONGEST_STEM - 9]}-{sha256(repr(differing).encode()).hexdigest()[:8]}"


def words(settings: Settings) -> str:
    """What was run, in a line for the foot of a picture.

    >>> words(Settings(iterations=500, methods=("apg",), condition_number=1e6))
    'Quadratic, its spectrum bare; spectrum: log-spaced; κ = 10⁶; n = 100; at most 500 iterations.'
    """
    of_methods = [name for name in ("mu0", "gamma") if _is_asked(settings, name)]
    parts = [_pair(settings, each) for each in [*_problems_own(settings), *of_methods]]
    kind = FIELDS["problem"].metadata["options"][settings.problem]
    return "; ".join([kind, *parts, f"at most {iterations_text(settings.iterations)}"]) + "."


def unusual(settings: Settings) -> str:
    """What methods are given and how they start, where that is not the usual; "" if it is all usual.

    >>> unusual(Settings(mu0=0.1, L_factor=2, methods=("adapt_apg",)))
    'Not as usual: μ₀/L = 0.1; L given / L = 2.'
    """
    in_words = {*_problems_own(settings), "iterations", "methods"}
    parts = [_pair(settings, name) for name in _differing(settings) if name not in in_words]
    return f"Not as usual: {'; '.join(parts)}." if parts else ""


def _problems_own(settings: Settings) -> list[str]:
    """Settings that make the problem, in the order of the page."""
    return [name for name in used(settings) if name not in ("problem", "own", "start", "L_factor")]


def _is_asked(settings: Settings, name: str) -> bool:
    """Whether a method that is chosen asks for a setting of methods."""
    return name not in ASKED_BY or not set(ASKED_BY[name]).isdisjoint(settings.methods)


def _differing(settings: Settings) -> dict[str, Any]:
    """The settings that have a part in the picture and differ from the defaults."""
    usual = Settings.from_values({"problem": settings.problem, "data": settings.data}).values()
    parts = {name for name in FIELDS if name not in OF_PROBLEMS and _is_asked(settings, name)}
    parts = parts.union(used(settings))
    if settings.f_star not in ("too_low", "too_high"):
        parts.discard("f_star_delta")
    return {
        name: value for name, value in settings.values().items() if name in parts and value != usual[name]
    }


def _pair(settings: Settings, name: str) -> str:
    """A setting in words, as "κ = 10⁴" or "features: means taken off"."""
    value, said = getattr(settings, name), FIELDS[name].metadata
    if name in SIGNS:
        return f"{SIGNS[name]} = {number_text(value, 3)}"
    label = said["label"][0].lower() + said["label"][1:]
    return f"{label}: {said['options'][value] if 'options' in said else value}"


def _for_file(value: Any) -> str:
    """A value as it may stand in the name of a file on any system."""
    text = f"{value:.12g}" if isinstance(value, int | float) else str(value)
    return re.sub(r"[^\w.-]", "", text).replace("_", "-")
