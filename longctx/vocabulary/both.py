"""What a comparison has twice: of the baseline or the earlier run, and of the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Both(NamedTuple, Generic[T]):
    """One thing of each side of a comparison."""

    before: T
    after: T

    def map(self, function: Callable[[T], U]) -> Both[U]:
        """Return what a function returns for each side."""
        return Both(function(self.before), function(self.after))
