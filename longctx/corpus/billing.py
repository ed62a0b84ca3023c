"""Where the documents of an issue end: at their billing codes.

Source: seeds/long-context-qa.md, cell 3 (`text.split("BILLING CODE")`), which leaves each code's number to the document
after it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

SEPARATOR = "BILLING CODE"
"""Ends each document. Presidential documents have "Billing code" instead: like the notebook, no split is made there."""

Reading = Literal["notebook", "documents"]
"""How an issue is read: by the notebook's program, or so that each document ends with its own billing code."""


def documents(text: str, reading: Reading, begins: int = 0, codes: Sequence[slice] = ()) -> list[slice]:
    """The places of the documents in a text that begins at `begins`.

    codes: where the markup has billing codes; one outside of them is the rest of its line. What follows the last code
    is a document where it has words; in the notebook's reading it is one in any case.
    """
    found = []
    for match in re.compile(SEPARATOR).finditer(text, begins):
        if match.start() < begins:  # within the line of the code before
            continue
        if reading == "notebook":
            ends, goes_on = match.span()
        else:
            ends = _end_of_code(text, match.start(), codes)
            goes_on = _after(r"\s*", text, ends)
        found.append(slice(begins, ends))
        begins = goes_on
    if begins < len(text) or reading == "notebook" or not found:
        found.append(slice(begins, len(text)))
    return found


def _end_of_code(text: str, start: int, codes: Sequence[slice]) -> int:
    return next((code.stop for code in codes if code.start <= start < code.stop), _after(".*", text, start))


def _after(pattern: str, text: str, place: int) -> int:
    match = re.compile(pattern).match(text, place)
    return match.end() if match else place
