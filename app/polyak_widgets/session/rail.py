"""What the rail shows for given settings: groups of fields, landmarks, what does not apply and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polyak_core as pc
from polyak_widgets.laboratory.brought import OwnData
from polyak_widgets.laboratory.problems import f_star_in_use, start_in_use, used
from polyak_widgets.laboratory.upload import MOST_BYTES
from polyak_widgets.look import in_page_order, method_look
from polyak_widgets.numbers import count_text
from polyak_widgets.settings.choices import F_STARS, ON_DATA, STARTS, WITH_DUAL, WITH_LAM, WITH_SLOWEST
from polyak_widgets.settings.fields import Bounds
from polyak_widgets.settings.presets import usual_lam
from polyak_widgets.settings.settings import FIELDS, Settings

GROUPS = (
    ("", False, ("problem", "data", "scaling", "lam", "C", "condition_number")),
    ("", False, ("mu0", "gamma", "iterations")),
    ("Methods", False, ("methods",)),
    ("Spectrum and size", True, ("spectrum", "eigenvalues", "n", "rows")),
    ("Loss and kernel", True, ("svm_loss", "kernel", "width")),
    ("Estimate, start and end", True, ("estimator", "start", "seed", "target")),
    ("What if", True, ("f_star", "f_star_delta", "L_factor", "mu_factor")),
)
"""Title, whether it is folded at first, its fields."""
DECIDING = ("choice", "methods")
METHOD_GROUPS = {
    "Told μ": ("apg",),
    "Adaptive: told f*, estimate μ": ("adapt_apg_v2", "adapt_apg", "adapt_apg_free"),
    "Restart: told f* and γ": ("restart",),
    "Rivals: told neither": (
        *("fista", "pgd", "nag_free", "restart_function", "restart_gradient", "fista_printed"),
    ),
}
OF_THE_PROBLEM = frozenset(
    (
        *("data", "scaling", "lam", "C", "svm_loss", "kernel", "width"),
        *("spectrum", "eigenvalues", "condition_number", "n", "rows", "seed"),
    )
)
"""Fields that are hidden where the problem does not depend on them."""
_TOLD_F_STAR = (frozenset({"rule", "seen"}), "No method that is drawn is told f*.")
NEEDS: Mapping[str, tuple[frozenset[str], str]] = {
    "mu0": (frozenset({"mu0"}), "Only AdaptAPG starts from μ₀, and it is not drawn."),
    "gamma": (frozenset({"gamma"}), "Only the restarted method uses γ, and it is not drawn."),
    "estimator": (frozenset({"rule"}), "Only AdaptAPG and v2 use it, and neither is drawn."),
    "f_star": _TOLD_F_STAR,
    "f_star_delta": _TOLD_F_STAR,
    "mu_factor": (frozenset({"mu"}), "Only APG is told μ, and it is not drawn."),
}
"""What a method must take for a field to matter, and what is said where none that is drawn does."""
UPLOAD_HELP = (
    "CSV: a row per observation, the label last. NPZ: arrays X and y. LIBSVM: label index:value … "
    "The content says which, not the name. Two kinds of labels become −1 and +1, numbers of more kinds stay."
)
OWN_SCALED = (
    "An own file is standardised at first, since its features have units of their own. κ is that of AᵀA."
)
Landmarks = Sequence[Sequence[Any]]


def rail(
    settings: Settings,
    problem: pc.Problem,
    found: Mapping[str, Landmarks] | None = None,
    brought: OwnData | None = None,
    preview: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """The groups of controls, for `polyak_widgets.page.widgets.Controls`.

    Args:
        settings: what is shown.
        problem: that of these settings.
        found: more landmarks, by the name of their field: pairs of a value and its name, such as the best
            gamma of a sweep.
        brought: the newest data of one's own.
        preview: of the columns of the file that came last.
    """
    more = dict(found or {})
    weight = brought.usual_lam.get((settings.problem, settings.data)) if brought else None
    if weight is not None:
        more["lam"] = [*more.get("lam", ()), [weight, "usual"]]
    groups = [
        {
            "title": title,
            "folded": folded,
            "fields": [describe(name, settings, problem, more.get(name, ()), brought) for name in names],
        }
        for title, folded, names in GROUPS
    ]
    return [*groups, {"title": "Own data", "folded": True, "fields": [upload_field(brought, preview)]}]


def chosen(settings: Settings) -> tuple[Any, ...]:
    """What decides which fields apply: all choices, none of the numbers."""
    return tuple(
        getattr(settings, name) for name, each in FIELDS.items() if each.metadata["kind"] in DECIDING
    )


def describe(
    name: str,
    settings: Settings,
    problem: pc.Problem,
    found: Landmarks = (),
    brought: OwnData | None = None,
) -> dict[str, Any]:
    """One field of the rail."""
    metadata = FIELDS[name].metadata
    shown: dict[str, Any] = {
        "name": name,
        "kind": metadata["kind"],
        "label": metadata["label"],
        "help": metadata["help"],
        "unit": metadata.get("unit", ""),
        "hidden": is_hidden(name, settings),
        "disabled": why_disabled(name, settings, problem),
        "note": note(name, settings),
    }
    if metadata["kind"] == "choice":
        shown["options"] = [
            [value, text, why_not(name, value, settings)] for value, text in metadata["options"].items()
        ]
    if name == "scaling":
        shown["kind"] = "segments"
        shown["facts"] = conditions(settings, brought)
        shown["note"] = OWN_SCALED if shown["facts"] else ""
    if metadata["kind"] == "methods":
        shown["options"] = [method_row(method) for method in in_page_order(pc.METHODS)]
    if metadata["kind"] == "slider":
        shown |= slider_parts(metadata["bounds"])
        shown["landmarks"] = [*found, *landmarks(name, settings, problem)]
    return shown


def method_row(method: str) -> dict[str, str]:
    """One box of the methods: what it is called, the look of its curve, its heading, what it is."""
    look = method_look(method)
    return {
        "name": method,
        "label": pc.METHODS[method].label,
        "summary": pc.METHODS[method].summary,
        "group": method_group(method),
        "colour": look.colour,
        "dash": look.dash,
        "marker": look.marker,
    }


def method_group(method: str) -> str:
    """The heading that a method stands under: what it must be told."""
    return next((title for title, names in METHOD_GROUPS.items() if method in names), "Your own")


def slider_parts(bounds: Bounds) -> dict[str, Any]:
    """What the slider spans, and how."""
    return {
        "scale": bounds.scale,
        "min": bounds.slider_low,
        "max": bounds.slider_high,
        "integer": bounds.whole,
        "zero": bounds.zero,
    }


def landmarks(name: str, settings: Settings, problem: pc.Problem) -> list[list[Any]]:
    """Values of a slider worth a click, the most important first."""
    if name == "mu0":
        return [[0.5, "L/2"]] + ([[problem.mu / problem.L, "μ"]] if 0 < problem.mu < problem.L else [])
    if name == "lam" and settings.data == "own" and settings.problem in ON_DATA:
        return []
    if name == "lam":
        whose = "the paper’s" if is_the_papers(settings) else "usual"
        return [[usual_lam(settings.problem, settings.data), whose]]
    fixed: dict[str, list[list[Any]]] = {
        "condition_number": [[1.0, "1"], [1e4, "10⁴"], [1e8, "10⁸"]],
        "C": [[1.0, "the paper’s"]],
        "width": [[0.5, "½"], [1.0, "1"]],
        "n": [[k, count_text(k)] for k in (2, 100, 1000)],
        "rows": [[k, count_text(k)] for k in (50, 200, 1000)],
        "seed": [[0, "0"]],
        "gamma": [[1.0, "1"], [2.0, "2"], [5.0, "5"]],
        "iterations": [[k, count_text(k)] for k in (500, 1500, 10_000)],
        "target": [[0.0, "none"], [1e-10, "10⁻¹⁰"], [1e-3, "10⁻³"], [1e-6, "10⁻⁶"]],
        "f_star_delta": [[1e-6, "10⁻⁶"], [1e-10, "10⁻¹⁰"], [1e-3, "10⁻³"]],
        "L_factor": [[1.0, "L"], [0.5, "L/2"], [2.0, "2L"]],
        "mu_factor": [[1.0, "μ"], [0.1, "μ/10"], [10.0, "10μ"]],
    }
    return fixed.get(name, [])


def is_the_papers(settings: Settings) -> bool:
    """Whether the usual weight is one of the paper."""
    return settings.problem == "matrix_completion" or settings.data != "synthetic"


def is_hidden(name: str, settings: Settings) -> bool:
    """Fields that mean nothing for these settings."""
    if name == "f_star_delta":
        return settings.f_star not in ("too_low", "too_high")
    return name in OF_THE_PROBLEM and name not in used(settings)


def why_disabled(name: str, settings: Settings, problem: pc.Problem) -> str:
    """Why a field that is shown has no effect, or nothing."""
    needed, reason = NEEDS.get(name, (frozenset(), ""))
    slots = {slot for method in settings.methods for slot in pc.METHODS[method].parameters}
    if needed and not needed & slots:
        return reason
    if name == "mu_factor" and not problem.mu > 0:
        return "μ = 0 here, and so is every multiple of it."
    return ""


def why_not(name: str, value: str, settings: Settings) -> str:
    """Why an option is not for this problem, or nothing."""
    if (name, value) == ("start", "no_slow") and settings.problem not in WITH_SLOWEST:
        return "only for a quadratic and least squares"
    if (name, value) == ("f_star", "dual") and settings.problem not in WITH_DUAL:
        return "only for logistic, LASSO and SVM"
    return ""


def note(name: str, settings: Settings) -> str:
    """What a field says although it can be used."""
    if name == "start" and start_in_use(settings) != settings.start:
        return (
            f"“{STARTS[settings.start]}” is not for this problem: its curvature differs from place to place, "
            "or a penalty cuts in. The usual start is taken."
        )
    if name == "f_star" and f_star_in_use(settings) != settings.f_star:
        lam = settings.problem in WITH_DUAL
        why = "needs λ > 0" if lam else "is only known for logistic, LASSO and SVM"
        return f"“{F_STARS[settings.f_star]}” {why}; the true f* is given."
    if name == "lam" and settings.problem in WITH_LAM and settings.problem in ON_DATA and settings.lam == 0:
        return "λ = 0: no weight at all."
    return ""


def conditions(settings: Settings, brought: OwnData | None) -> dict[str, str]:
    """The condition number of an own file after each scaling, by its name; empty for other data."""
    if settings.data != "own" or brought is None or brought.sha256 != settings.own:
        return {}
    return {name: f"κ {words.partition(':')[0]}" for name, words in brought.conditions.items()}


def upload_field(brought: OwnData | None, preview: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The control that brings a file, with the card of the newest one."""
    return {
        "name": "upload",
        "kind": "upload",
        "label": "File",
        "help": UPLOAD_HELP,
        "limit": MOST_BYTES,
        "card": [] if brought is None else brought.card,
        "preview": preview,
        "hidden": False,
        "disabled": "",
    }
