"""The grid of line retrieval: numbers of lines, and orders of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from longctx import Bank, Count, Grid, Scenario
from longctx.families.line_retrieval.protocol import OTHER_TOKENS, LineRetrieval
from longctx.vocabulary.grid import Size


def _order(value: Any) -> str | int:
    if value in ("ordered", "shuffled") or (type(value) is int and value >= 1):
        return value  # type: ignore[no-any-return]
    raise ValueError(
        'an order is "ordered", "shuffled", or a number of lines: the size of the blocks that are shuffled'
    )


Order = Annotated[Any, BeforeValidator(_order)]


class LineRetrievalGrid(Grid):
    """Every number of lines in every order, except blocks that are not smaller than the file."""

    sizes: ClassVar[str] = "lines"
    lines: tuple[Size, ...] = Field(min_length=1)
    """Lengths of the files, in lines; or shares of the model's window."""
    orders: tuple[Order, ...] = Field(default=("ordered", "shuffled"), min_length=1)
    """`"ordered"`, `"shuffled"`, or a number: the lines of the blocks that are shuffled."""
    max_tokens: Count = 10
    """The most tokens of a reply: 10 fit a bare number; a model that answers in a sentence needs about 64."""

    def size_in(self, room: int, tokens: Mapping[str, float]) -> float:
        return (room - self.max_tokens - OTHER_TOKENS) / tokens["line"]

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        block_sizes = [{"ordered": None, "shuffled": 1}.get(order, order) for order in self.orders]
        if all(size is not None and size >= max(self.lines) for size in block_sizes):
            raise ValueError(
                f"blocks of {block_sizes[0]} lines are not smaller than the longest file, of {max(self.lines)}: give "
                "longer files or smaller blocks."
            )
        for block_size in block_sizes:
            for lines in self.lines:
                if block_size is None or block_size < lines:
                    yield LineRetrieval(lines, block_size, max_tokens=self.max_tokens)
