"""The subject of a measurement: a model, a prompt set, and the labels of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """What rates are of: a model, a prompt set, and the labels of the run.

    Example:
        >>> str(Subject.of("my-model", "protocol", {"steps": "200"}))
        'my-model, prompts protocol, steps=200'
    """

    model: str
    prompt_set: str
    labels: tuple[tuple[str, str], ...] = ()
    """Pairs of name and value, sorted by name; often none."""

    @classmethod
    def of(cls, model: str, prompt_set: str, labels: Mapping[str, str]) -> Subject:
        return cls(model, prompt_set, tuple(sorted(labels.items())))

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the subject in JSON files."""
        return {"model": self.model, "prompt_set": self.prompt_set, "labels": dict(self.labels)}

    @property
    def label(self) -> str:
        """The labels as text, such as `method=PI steps=200`; empty without labels."""
        return " ".join(f"{name}={value}" for name, value in self.labels)

    def __str__(self) -> str:
        """Return, for instance, `some-model, prompts protocol, method=PI steps=200`."""
        return ", ".join([self.model, f"prompts {self.prompt_set}", *([self.label] if self.labels else [])])
