"""The QR code of a link, for a projector: phones read it off the screen."""

from __future__ import annotations

import re
from typing import Any

LONGEST = 2000
"""Letters of a link; a code of more has modules too small for a projector."""


def qr_path(link: Any) -> dict[str, Any]:
    """The dark parts of a link's code, ``{"link", "path", "side"}``: a path of SVG in a square of that side.

    >>> code = qr_path("https://example.org/polyak/?v=1&gamma=5")
    >>> code["side"], code["path"][:14]
    (37, 'M4,4h7v1h-7zM1')

    Raises:
        ValueError: it is no link, or too long.
    """
    import segno

    if not isinstance(link, str) or not re.fullmatch(r"https?://\S+", link):
        raise ValueError("This picture has no address for a QR code; copy the code instead (Export).")
    if len(link) > LONGEST:
        raise ValueError("This address is too long for a QR code that a projector shows: send it as a link.")
    code = segno.make(link, error="m", micro=False, boost_error=False)
    border = code.default_border_size
    rows = [bytes(row) for row in code.matrix]
    path = "".join(
        f"M{run.start() + border},{y + border}h{run.end() - run.start()}v1h-{run.end() - run.start()}z"
        for y, row in enumerate(rows)
        for run in re.finditer(rb"\x01+", row)
    )
    return {"link": link, "path": path, "side": len(rows) + 2 * border}
