"""Splitting an issue into documents, which end with their billing codes.

Source: the notebook on long-context QA (docs/protocols.md), cell 3 (`text.split("BILLING CODE")`), which leaves each
code's number in the document after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

SEPARATOR = "BILLING CODE"
"""The text that ends a document. Presidential documents have "Billing code", at which the notebook does not split."""

Reading = Literal["notebook", "documents"]
"""How an issue is split: like the notebook's program, or so that each document ends with its own billing code."""


def documents(text: str, reading: Reading, begins: int = 0, codes: Sequence[slice] = ()) -> list[slice]:
    """Return the places of the documents in a text from offset `begins` on.

    codes: the places of the markup's billing codes; a code outside of them extends to the end of its line. Text after
    the last code is a document; in the notebook's reading, even empty text is.
    """
    places = []
    for match in re.compile(SEPARATOR).finditer(text, begins):
        if match.start() < begins:  # on the line of the previous code
            continue
        if reading == "notebook":
            ends, next_begins = match.span()
        else:
            ends = _end_of_code(text, match.start(), codes)
            next_begins = _after(r"\s*", text, ends)
        places.append(slice(begins, ends))
        begins = next_begins
    if begins < len(text) or reading == "notebook" or not places:
        places.append(slice(begins, len(text)))
    return places


def _end_of_code(text: str, start: int, codes: Sequence[slice]) -> int:
    return next((code.stop for code in codes if code.start <= start < code.stop), _after(".*", text, start))


def _after(pattern: str, text: str, place: int) -> int:
    match = re.compile(pattern).match(text, place)
    return match.end() if match else place
