"""Output of promptfoo: `promptfoo eval -o results.json`, or `results.jsonl` with a result per line.

As version 0.121.20 writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field

from longctx.fields import Amount, reason
from longctx.results.foreign.choice import Choice
from longctx.results.foreign.result import ForeignResult, once
from longctx.results.foreign.values import name_of, plain, question_in, shown, text_in

ERROR = 2
"""The failureReason of a result that ended with an error."""
SUCCESS, SCORE = "success", "score"
"""The scorers that every result has, besides its named metrics."""


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


def results(record: Mapping[str, Any], choice: Choice) -> Iterator[ForeignResult]:
    """Yield the results of an output, or of a line of one, by each scorer. Raises ValueError."""
    output = record.get("results")
    if not isinstance(output, dict):
        yield from _results(record, choice)
        return
    found = output.get("results")
    for number, each in enumerate(found if isinstance(found, list) else ()):
        try:
            yield from _results(each, choice)
        except ValueError as error:
            raise ValueError(f"results.{number}.{reason(error)}") from None


def _results(content: object, choice: Choice) -> Iterator[ForeignResult]:
    result = _Result.model_validate(content)
    provider = result.provider if isinstance(result.provider, str) else result.provider.label or result.provider.id
    treatment = {"provider": provider, "prompt": result.prompt.label, "column": str(result.promptIdx)}
    variables = result.testCase.vars or result.vars
    named = choice.read({**result.testCase.metadata, **variables})
    for scorer, value in {**(result.namedScores or {}), SUCCESS: result.success, SCORE: result.score}.items():
        found = ForeignResult(
            id=_item(result, variables),
            number=result.testIdx,
            of={**treatment, "scorer": scorer},
            value=None if result.failureReason == ERROR else plain(value),
            cost=result.cost,
            answer=shown(result.response.get("output")) if isinstance(result.response, dict) else None,
            question=question_in(variables),
            reason=text_in(result.gradingResult, "reason"),
        )
        yield replace(found, **named)


def complete(results: Sequence[ForeignResult]) -> Sequence[ForeignResult]:
    """Return the results without scores that repeat `success`, and with those of metrics that an error hides."""
    successes = [result for result in results if result.of["scorer"] == SUCCESS]
    scores = [result for result in results if result.of["scorer"] == SCORE]
    graded = any(score.value != success.value for score, success in zip(scores, successes, strict=True))
    metrics: dict[str, set[str]] = {}
    """The items that each metric measures; those that have no such assertion are no failures of it."""
    for result in results:
        if (scorer := result.of["scorer"]) not in (SUCCESS, SCORE):
            metrics.setdefault(scorer, set()).add(result.id)
    present = {(result.id, result.number, *result.of.values()) for result in results}
    hidden = [
        replace(result, of=of, value=None)
        for result in successes
        for metric, items in metrics.items()
        if result.id in items
        and (result.id, result.number, *(of := {**result.of, "scorer": metric}).values()) not in present
    ]
    return once([*(result for result in results if graded or result.of["scorer"] != SCORE), *hidden])


def _item(result: _Result, variables: Mapping[str, Any]) -> str:
    """Return what identifies a test: its variable `id`, or all variables. Its number changes with its neighbours."""
    if not variables:
        return result.testCase.description or f"test {result.testIdx}"
    if isinstance(name := variables.get("id"), str | int):
        return str(name)
    return name_of(json.dumps(variables, sort_keys=True))
