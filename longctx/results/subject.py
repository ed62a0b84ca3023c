"""The subject of a measurement: a model, a prompt set, the labels of the run, and the shape of its requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from longctx.vocabulary.shapes import TEXT, Shape


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """What a rate belongs to: a model, a prompt set, the labels of the run, and the shape of its requests.

    Example:
        >>> str(Subject.of("my-model", "protocol", {"steps": "200"}))
        'my-model, prompts protocol, steps=200'
    """

    model: str
    prompt_set: str
    labels: tuple[tuple[str, str], ...] = ()
    """Pairs of name and value, sorted by name; often none."""
    shape: Shape = TEXT

    @classmethod
    def of(cls, model: str, prompt_set: str, labels: Mapping[str, str], shape: Shape = TEXT) -> Subject:
        return cls(model, prompt_set, tuple(sorted(labels.items())), shape)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the subject in JSON files."""
        shape = {} if self.shape == TEXT else {"shape": self.shape}
        return {"model": self.model, "prompt_set": self.prompt_set, "labels": dict(self.labels), **shape}

    @property
    def label(self) -> str:
        """The shape, unless it is the text, and the labels, such as `shape=chat steps=200`; empty without any."""
        shape = [] if self.shape == TEXT else [("shape", self.shape)]
        return " ".join(f"{name}={value}" for name, value in (*shape, *self.labels))

    def __str__(self) -> str:
        """Return, for instance, `some-model, prompts protocol, method=PI steps=200`."""
        return ", ".join([self.model, f"prompts {self.prompt_set}", *([self.label] if self.label else [])])


def short_names(subjects: Iterable[Subject]) -> dict[Subject, str]:
    """Return what a reader needs to tell these subjects apart: the model, and what else is not the same for all.

    Example:
        >>> both = [Subject.of("my-model", prompts, {"steps": "200"}) for prompts in ("protocol", "brief")]
        >>> list(short_names(both).values())
        ['my-model, prompt set protocol', 'my-model, prompt set brief']
    """
    known = list(dict.fromkeys(subjects))
    prompts = len({subject.prompt_set for subject in known}) > 1
    labels = len({subject.label for subject in known}) > 1
    names: dict[Subject, str] = {}
    for subject in known:
        parts = subject.model, f"prompt set {subject.prompt_set}" * prompts, subject.label * labels
        names[subject] = ", ".join(filter(None, parts))
    return names
