"""The test of a row: the name of a protocol, of a test function or one of its checks, or IMPORTED."""

from __future__ import annotations


def is_check(test: str) -> bool:
    """Return whether rows of this test are those of a check, which are called TEST.CHECK."""
    return "." in test


def name_of_test(test: str) -> str:
    """Return the name of the test of this test, which may be that of one of its checks.

    Example:
        >>> name_of_test("test_code.polite")
        'test_code'
    """
    return test.partition(".")[0]


IMPORTED = "imported"
"""The test of rows of other tools, which no cell may have."""


def gives_credit(test: str) -> bool:
    """Return whether rows of this test count their partial credit: those of checks and of other tools."""
    return is_check(test) or test == IMPORTED
