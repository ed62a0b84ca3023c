"""How commands run the project's tests: by pytest, from any folder of the project."""

from __future__ import annotations

IMPORTED = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"
"""What pytest says of an installed longctx, which the command itself has imported."""


def run_tests(*arguments: str) -> int:
    """pytest with these arguments, on the project's own tests where none names a path. Its exit status."""
    import pytest

    return int(pytest.main(["-plongctx.plugin", f"-W{IMPORTED}", "--ctx-project-tests", *arguments]))
