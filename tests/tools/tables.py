"""Tables of Markdown, as pages of the guide have them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    first, *others = (f"| {' | '.join(line)} |" for line in [head, *rows])
    return "\n".join([first, f"|{'---|' * len(head)}", *others])
