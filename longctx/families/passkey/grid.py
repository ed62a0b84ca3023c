"""The grid of passkey retrieval: distances evenly spaced in windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from longctx import Bank, Count, Scenario
from longctx.families.passkey.protocol import Passkey, spaced
from longctx.vocabulary.grid import WindowGrid


class PasskeyGrid(WindowGrid):
    """A grid of `distances` values of k, evenly spaced in each window (tokens)."""

    distances: Count = 32
    """How many values of k are asked in each window, evenly spaced."""
    max_tokens: Count = 16
    """The most tokens of a reply."""
    min_k_max: Count | None = None
    """The smallest k_max (tokens) that a gate accepts, in windows that are at least as large."""

    @property
    def minimums(self) -> int:
        return sum(self.min_k_max is not None and window >= self.min_k_max for window in self.windows)

    def minimum_of(self, window: int) -> int | None:
        """Return the stated minimum of k_max in a window; None if there is none, or the window is smaller."""
        asked = self.has_shares or window in self.windows  # shares give each model windows of its own
        stated = asked and self.min_k_max is not None and window >= self.min_k_max
        return self.min_k_max if stated else None

    def scenarios(self, bank: Callable[[], Bank]) -> Iterator[Scenario]:
        for window in self.windows:
            for k in spaced(window, self.distances):
                yield Passkey(window, k, max_tokens=self.max_tokens)
