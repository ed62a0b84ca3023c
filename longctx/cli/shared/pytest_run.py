"""Running the project's tests by pytest from any of its folders."""

from __future__ import annotations

IMPORTED = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"
"""The filter for pytest's warning that longctx, which the command has imported, cannot be rewritten."""


def run_tests(*arguments: str) -> int:
    """Run pytest with these arguments, by default on all tests of the project; return its exit status."""
    import pytest

    return int(pytest.main(["-plongctx.plugin", f"-W{IMPORTED}", "--ctx-project-tests", *arguments]))
