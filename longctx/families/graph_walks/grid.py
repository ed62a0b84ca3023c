"""The grid of graph walks: walks, and sizes of the context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from longctx import Bank, Count, Grid, Scenario
from longctx.families.graph_walks.protocol import OTHER_TOKENS, GraphWalks
from longctx.vocabulary.grid import QUESTIONS, Size, questions_of


def _walk(value: Any) -> str | int:
    if value == "parents" or (type(value) is int and value >= 1):
        return value  # type: ignore[no-any-return]
    raise ValueError('a walk is "parents", or a number: the depth of a breadth-first search')


class GraphWalksGrid(Grid):
    """Every walk in every context."""

    sizes: ClassVar[str] = "contexts"
    contexts: tuple[Size, ...] = Field(min_length=1)
    """Tokens that the list of edges takes, by the model's own tokenizer; or shares of the model's window."""
    walks: tuple[Annotated[Any, BeforeValidator(_walk)], ...] = Field(default=("parents", 1, 2, 3), min_length=1)
    """`"parents"`, or a number: the depth of a breadth-first search."""
    questions: int = QUESTIONS
    """How many trials of a walk ask about one graph, each from another node."""
    max_tokens: Count = 4096
    """The most tokens of a reply, which reasons first."""

    def size_in(self, room: int, tokens: Mapping[str, float]) -> float:
        return room - self.max_tokens - OTHER_TOKENS

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for context in self.contexts:
            for walk in self.walks:
                operation, depth = ("parents", None) if walk == "parents" else ("bfs", walk)
                yield GraphWalks(
                    context, operation, depth, questions=questions_of(self.questions), max_tokens=self.max_tokens
                )
