"""What is measured: a model, in a wording, under the labels its run was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """labels: (name, value) pairs in the order of their names, such as ("steps", "200"); often none."""

    model: str
    prompt_set: str
    labels: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, model: str, prompt_set: str, labels: Mapping[str, str]) -> Subject:
        return cls(model, prompt_set, tuple(sorted(labels.items())))

    @property
    def fields(self) -> dict[str, Any]:
        """As programs read it."""
        return {"model": self.model, "prompt_set": self.prompt_set, "labels": dict(self.labels)}

    @property
    def label(self) -> str:
        """`method=PI steps=200`; empty without labels."""
        return " ".join(f"{name}={value}" for name, value in self.labels)

    def __str__(self) -> str:
        """`some-model, prompts protocol, method=PI steps=200`."""
        return ", ".join([self.model, f"prompts {self.prompt_set}", *([self.label] if self.labels else [])])
