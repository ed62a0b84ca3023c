"""Output of promptfoo: `promptfoo eval -o results.json`.

As version 0.121.20 writes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from longctx.fields import Amount
from longctx.results.foreign.result import ForeignResult, text_in

ERROR = 2
"""The failureReason of a result that ended with an error."""
LONGEST_ID = 80
"""The length from which on variables are cut where they identify a test."""


class _Provider(BaseModel):
    id: str
    label: str | None = None


class _Prompt(BaseModel):
    label: str = "-"


class _Test(BaseModel):
    description: str | None = None
    vars: dict[str, Any] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)


class _Result(BaseModel):
    testIdx: int
    promptIdx: int
    provider: _Provider | str = "-"
    prompt: _Prompt = Field(default_factory=_Prompt)
    testCase: _Test = Field(default_factory=_Test)
    vars: dict[str, Any] = Field(default_factory=dict)
    success: bool | None = None
    score: Any = None
    namedScores: dict[str, Any] | None = None
    failureReason: int | None = None
    cost: Amount | None = None
    response: Any = None
    gradingResult: Any = None


class _Results(BaseModel):
    results: list[_Result] = Field(fail_fast=True)


class _Output(BaseModel):
    results: _Results


def of_output(content: object) -> list[ForeignResult]:
    """Return the results of an output. Raises ValueError."""
    found = _Output.model_validate(content).results.results
    graded = any(result.score != result.success for result in found)
    items = [_item(result, result.testCase.vars or result.vars) for result in found]
    names: dict[str, set[str]] = {}
    """The items that each metric measures; those that have no such assertion are no failures of it."""
    for item, result in zip(items, found, strict=True):
        for name in result.namedScores or ():
            names.setdefault(name, set()).add(item)
    results = []
    for item, result in zip(items, found, strict=True):
        values = {**(result.namedScores or {}), "success": result.success, "score": result.score}
        provider = result.provider if isinstance(result.provider, str) else result.provider.label or result.provider.id
        treatment = {"provider": provider, "prompt": result.prompt.label, "column": str(result.promptIdx)}
        results += [
            ForeignResult(
                id=item,
                number=result.testIdx,
                of={**treatment, "scorer": scorer},
                value=None if result.failureReason == ERROR else values.get(scorer),
                fields={**result.testCase.metadata, **(result.testCase.vars or result.vars)},
                cost=result.cost,
                answer=text_in(result.response, "output"),
                reason=text_in(result.gradingResult, "reason"),
            )
            for scorer in (
                *(name for name, of in names.items() if item in of),
                "success",
                *(["score"] if graded else []),
            )
        ]
    return results


def _item(result: _Result, variables: Mapping[str, Any]) -> str:
    """Return what identifies a test: its variable `id`, or all variables. Its number changes with its neighbours."""
    if not variables:
        return result.testCase.description or f"test {result.testIdx}"
    if isinstance(of_test := variables.get("id"), str | int):
        return str(of_test)
    text = json.dumps(variables, sort_keys=True)
    if len(text) <= LONGEST_ID:
        return text
    return f"{text[:LONGEST_ID]}… {hashlib.sha256(text.encode()).hexdigest()[:8]}"
