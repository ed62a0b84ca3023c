"""`questions write`: have a model write questions about every section of your documents."""

from __future__ import annotations

from typing import Any


def add(tasks: Any) -> None:
    text = "write questions about your documents with a model"
    tasks.add_parser("write", help=text, description=f"{text[0].upper()}{text[1:]}.")
