"""Running the project's tests by pytest from any of its folders."""

from __future__ import annotations


def run_tests(*arguments: str) -> int:
    """Run pytest with these arguments, by default on all tests of the project; return its exit status."""
    import pytest

    from longctx.plugin.selected_tests import USUAL

    return int(pytest.main([*USUAL, *arguments]))
