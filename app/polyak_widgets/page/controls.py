"""The rail of controls: native inputs described by ``spec``, with one dictionary of values."""

from __future__ import annotations

from typing import Any

import traitlets

from polyak_widgets.front.bundle import bundle, style
from polyak_widgets.page.guarded import Guarded
from polyak_widgets.page.widgets import refuse_unknown


class Controls(Guarded):
    """Asks for values.

    ``spec`` lists groups of fields. ``value`` maps each field's name to its value; it is written on every
    input event, just as typed when that is no number. ``problems`` maps a name to the message below it.
    ``presets`` is the menu on top, ``usual`` says which values follow others until somebody sets them: see
    `polyak_widgets.settings.presets`.
    Nothing is judged here: whoever observes ``value`` does that and answers through ``problems``.
    """

    _esm = bundle("rail/controls.js")
    _css = style()
    written = "value"

    spec: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    value: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    presets: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    usual: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    problems: traitlets.Dict[str, str] = traitlets.Dict().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        """Take traits by name; raises ``TypeError`` for any other keyword."""
        refuse_unknown(self, traits)
        super().__init__(**traits)

    def refuse(self, why: str) -> None:
        """Beside the first control."""
        self.problems = {**self.problems, "problem": why}
