"""The case of a trial: a line of the file that the marker names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Case:
    """The fixture `case`: a line of the file that the marker names. Its fields are attributes and items.

    Example:
        >>> def test_fee(ask: Ask, case: Case):
        ...     assert case.answer in ask(case.text, case.question).text
    """

    def __init__(self, current: Callable[[], Mapping[str, Any]]) -> None:
        """current: returns the line of the trial that is running."""
        self._current = current

    def __getattr__(self, name: str) -> Any:
        line = self._current()
        return line[name] if name in line else getattr(line, name)  # a field may be named as a method of dicts is

    def __contains__(self, name: object) -> bool:
        return name in self._current()

    def __iter__(self) -> Iterator[str]:
        return iter(self._current())

    def __getitem__(self, name: str) -> Any:
        return self._current()[name]
