"""What the rail shows for given settings: groups of fields, landmarks, what does not apply."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import polyak_core as pc

from .fields import Bounds
from .figures import true_mu
from .look import in_page_order, method_look
from .numbers import count_text
from .settings import Settings

GROUPS = (
    ("Problem", False, ("problem", "spectrum", "eigenvalues", "condition_number")),
    ("Parameters", False, ("mu0", "gamma", "iterations")),
    ("Methods", False, ("methods",)),
    ("More: size, start, estimate", True, ("n", "seed", "estimator")),
)
FIELDS = {each.name: each for each in fields(Settings)}


def rail(settings: Settings, problem: pc.Problem) -> list[dict[str, Any]]:
    """The groups of controls, for `polyak_widgets.controls.Controls`."""
    return [
        {"title": title, "folded": folded, "fields": [describe(name, settings, problem) for name in names]}
        for title, folded, names in GROUPS
    ]


def describe(name: str, settings: Settings, problem: pc.Problem) -> dict[str, Any]:
    """One field of the rail."""
    metadata = FIELDS[name].metadata
    shown: dict[str, Any] = {
        "name": name,
        "kind": metadata["kind"],
        "label": metadata["label"],
        "help": metadata["help"],
    }
    shown |= {
        "hidden": is_hidden(name, settings),
        "disabled": why_disabled(name, settings),
        "unit": metadata.get("unit", ""),
    }
    if metadata["kind"] == "choice":
        shown["options"] = [[value, text] for value, text in metadata["options"].items()]
    if metadata["kind"] == "methods":
        looks = {method: method_look(method) for method in in_page_order(pc.METHODS)}
        shown["options"] = [[m, pc.METHODS[m].label, look.colour, look.dash] for m, look in looks.items()]
    if metadata["kind"] == "slider":
        bounds: Bounds = metadata["bounds"]
        shown |= {
            "scale": bounds.scale,
            "min": bounds.slider_low,
            "max": bounds.slider_high,
            "integer": bounds.whole,
        }
        shown["landmarks"] = landmarks(name, problem)
    return shown


def landmarks(name: str, problem: pc.Problem) -> list[list[Any]]:
    """Values of a slider worth a click."""
    if name == "mu0":
        mu = true_mu(problem)
        return [[0.5, "½"]] + ([[mu / problem.L, "μ"]] if mu is not None and mu < problem.L else [])
    fixed: dict[str, list[list[Any]]] = {
        "condition_number": [[1.0, "1"], [1e4, "10⁴"], [1e8, "10⁸"]],
        "gamma": [[1.0, "1"], [2.0, "2"], [5.0, "5"]],
        "iterations": [[k, count_text(k)] for k in (500, 1500, 10_000)],
    }
    return fixed.get(name, [])


def is_hidden(name: str, settings: Settings) -> bool:
    """Fields that mean nothing for the problem."""
    if name in ("spectrum", "seed"):
        return settings.problem != "quadratic"
    if name == "eigenvalues":
        return settings.problem != "quadratic" or settings.spectrum != "own"
    if name in ("condition_number", "n"):
        return settings.problem != "quadratic" or settings.spectrum == "own"
    return False


def why_disabled(name: str, settings: Settings) -> str:
    """Why a field that is shown has no effect, or nothing."""
    if name == "mu0" and "adapt_apg" not in settings.methods:
        return "Only AdaptAPG starts from μ₀, and it is not drawn."
    if name == "gamma" and "restart" not in settings.methods:
        return "Only the restarted method uses γ, and it is not drawn."
    if name == "estimator" and not {"adapt_apg", "adapt_apg_v2"} & set(settings.methods):
        return "Only AdaptAPG and v2 use it, and neither is drawn."
    return ""
