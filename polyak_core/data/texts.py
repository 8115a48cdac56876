"""From bytes to text: UTF-8, and the name of what it is instead."""

from __future__ import annotations

MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""First bytes of a text, the longer ones first."""
LOOKED_AT = 10_000
"""How many bytes are read to recognise an encoding."""
SAVE = "save it as plain text in UTF-8"


def decoded(content: bytes, name: str) -> str:
    """The text of a file in UTF-8, with or without a mark at its beginning.

    Raises:
        ValueError: it is in another encoding, which is named where it can be told, or no text.
    """
    wide = _wide(content)
    if wide:
        raise ValueError(f"{name} is not text in UTF-8 but in {wide}: {SAVE}")
    if b"\0" in content:
        raise ValueError(f"{name} is not text in UTF-8, since it has bytes that are 0: {SAVE}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{name} is not text in UTF-8{_narrow(content)}: the byte {content[error.start]:#04x} in line "
            f"{line} is none of its letters; {SAVE}"
        ) from None


def _wide(content: bytes) -> str:
    """UTF-16 or UTF-32, told by its mark or by where its zero bytes are; "" for neither."""
    for mark, kind in MARKS.items():
        if content.startswith(mark):
            return kind
    start = content[:LOOKED_AT]
    zeros = [start[place::4].count(0) / max(len(start[place::4]), 1) for place in range(4)]
    many = [share > 1 / 2 for share in zeros]
    if sum(many) == 3:
        return "UTF-32"
    return "UTF-16" if sum(many) == 2 and many[0] == many[2] else ""


def _narrow(content: bytes) -> str:
    """A guess: what Western spreadsheets write, unless bytes stand there that it does not have."""
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:
        return ""
    return ", perhaps in Windows-1252 (Latin-1)"
