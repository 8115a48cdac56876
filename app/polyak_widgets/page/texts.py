"""What the page says before it is there, beside questions, of states that it refuses, and of its files."""

from __future__ import annotations

from collections.abc import Iterable

# Before the page is there
NOTHING_YET = "The curves were not there yet when this notebook was saved: run the cell again."
PAPER, HELP, NOTATION_CARD = "Paper", "Help and symbols", "Notation"
ALL_CONTROLS = "All controls"
START_FROM = "Start from"
WHAT_DO_YOU_EXPECT = "What do you expect?"

# Questions of notebooks
PREDICT_FIRST = "Predict first"
OPTIONS_ALLOWED = "give at least two different texts, or the two ends of a slider, such as (10, 1e5)"
ENDS_ALLOWED = "two numbers above 0"

# States that a page sends
NO_NAMES = "A state of this page maps names to values; reload the page."
NO_PLAIN_VALUES = "A state of this page is made of numbers, texts and lists of them; reload the page."
TOO_LONG = "This state is too long: shorten its texts."


def not_measured(kind: str, why: str) -> str:
    """The answer to a question could not be had."""
    return f"The answer could not be measured ({kind}: {why}). Run this cell again."


def not_writable(name: str) -> str:
    """A page has written what is not its own."""
    return f"A page may not write {name}; reload it."


def folder_written(folder: str, megabytes: str) -> str:
    """The page without a server is there."""
    return f"{folder} holds the page, {megabytes} MB. To look at it: python -m http.server -d {folder}"


def files_by_hand(names: Iterable[str], variable: str, version: str) -> str:
    """How to come by Pyodide's files where they cannot be fetched."""
    return (
        f"Without a network: put {', '.join(names)} into one folder or several, and name them in "
        f"{variable}. The npm package pyodide {version} holds the first four; the release holds all of them."
    )
