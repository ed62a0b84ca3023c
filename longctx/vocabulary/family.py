"""The family of a row: the name of a protocol, of a test function or one of its checks, or IMPORTED."""

from __future__ import annotations


def is_check(family: str) -> bool:
    """Return whether rows of this family are those of a check, which are called TEST.CHECK."""
    return "." in family


def name_of_test(family: str) -> str:
    """Return the name of the test of this family, which may be that of one of its checks.

    Example:
        >>> name_of_test("test_code.polite")
        'test_code'
    """
    return family.partition(".")[0]


IMPORTED = "imported"
"""The family of rows of other tools, which no scenario may have."""


def gives_credit(family: str) -> bool:
    """Return whether rows of this family count their partial credit: those of checks and of other tools."""
    return is_check(family) or family == IMPORTED
