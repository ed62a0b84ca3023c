"""What a genre is: facts drawn for all its documents at once, prose around them, and questions about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from longctx.corpus.register.country import Country
from longctx.corpus.register.pen import Pen
from longctx.corpus.register.sheet import Sheet

Facts = dict[str, Any]
"""What the slots of one document's templates name."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that every document of a genre answers, each in its own way.

    All strings are the pen's templates over the facts of a document; in `forms`, {name} is one of the genre's names
    for it. right: the answer, which stands in the document. The same template gives the wrong answers from the
    facts of its siblings, and so do those in `near`, templates for neighbouring facts of the siblings that would
    answer just as well. traps: where a question gives away its topic, the name of a fact that holds the wrong answers.
    """

    fact: str
    right: str
    forms: tuple[str, ...]
    numerical: bool = False
    near: tuple[str, ...] = ()
    traps: str = ""


@dataclass(frozen=True, slots=True)
class Genre:
    """One kind of document. `draw` gives the facts of `count` documents, `compose` writes one of them.

    names: templates that tell a document from every other, for use within a question.
    """

    name: str
    count: int
    draw: Callable[[Country, Pen, int], Sequence[Facts]]
    compose: Callable[[Facts, Country, Pen], Sheet]
    names: tuple[str, ...]
    asks: tuple[Ask, ...]
