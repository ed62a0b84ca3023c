"""Hooks of a project."""

from __future__ import annotations

from tests.integration.conftest import Checkout


def implement(project: Checkout, *code: str) -> None:
    """Add hooks to the project's conftest.py."""
    with project.file("conftest.py").open("a") as file:
        file.write("\n\n".join(["", *code]))
