"""Reports of tools that are lists of records with scores by name: each is an entry of REPORTS."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longctx.results.foreign.choice import Choice, OpenChoice
from longctx.results.foreign.result import ForeignResult, once
from longctx.results.foreign.values import digest_of, error_in, listed, name_in, plain, question_in, shown, value_in

ReportRecord = Mapping[str, Any]
NUMBER = re.compile(r"[+-]?\d*\.?\d+(?:e[+-]?\d+)?", re.IGNORECASE)
OF_PHOENIX = re.compile(r"""['"]score['"]: ([+-]?[0-9.]+(?:e[+-]?[0-9]+)?)""", re.IGNORECASE)
PLACE = "their place"
"""What identifies the records of a report that have no ids."""


def _numbers(record: ReportRecord) -> dict[str, object]:
    """Return the numbers of a record, also as a table writes them; an empty cell is one that is missing."""
    return {name: None if value == "" else value for name, value in record.items() if _is_number(value)}


def _is_number(value: object) -> bool:
    if not isinstance(value, str):
        return isinstance(value, int | float) or value is None
    return not value or value.lower() in ("true", "false", "nan") or bool(NUMBER.fullmatch(value))


@dataclass(frozen=True, slots=True)
class ToolReport:
    """A report of a tool: how it is known, where its records are, and what their scores are."""

    name: str
    dated: str
    """The version and the date of the format that is read."""
    knows: Callable[[ReportRecord], bool]
    """Whether a file is of this form, by its first record."""
    scores: Callable[[ReportRecord], Mapping[str, object]]
    """Returns the scores of a record by their metrics."""
    lists: Sequence[str] = ()
    """The names that the list of records may have; none if each record of the file is one."""
    failed: str = ""
    """The name of the list with those that ended with an error, if it is another one."""
    unit: str = "item"
    id: Sequence[str] = ()
    """The fields that identify an item, the first one that a record has; none if its place does."""
    outcome: str = "{metric}"
    """What a score is called."""
    answer: str = ""
    expected: str = ""
    error: str = "error"
    asked: str = ""
    """The field of what is asked, which results that are paired by their place must share."""
    repeats: Sequence[str] = ()
    """The fields that count repeats."""
    has_direction: bool = True
    """Whether the name of a metric may say that less is better; not if the score states whether a test passed."""

    @property
    def by(self) -> str:
        return self.id[-1] if self.id else PLACE

    def outcome_of(self, of: Mapping[str, str]) -> str:
        return self.outcome.replace("{metric}", of["metric"])

    def results(self, record: ReportRecord, choice: Choice) -> Iterator[ForeignResult]:
        """Yield the results of a record of the file, one for each metric. Raises ValueError."""
        listed = next((record[name] for name in self.lists if isinstance(record.get(name), list)), [record])
        failed = record.get(self.failed) if self.failed else None
        for number, each in enumerate([*listed, *(failed if isinstance(failed, list) else ())]):
            if not isinstance(each, dict):
                raise ValueError(f"its entry {number + 1:,} is no object")
            yield from self._of(each, number >= len(listed), choice)

    def _of(self, record: ReportRecord, has_failed: bool, choice: Choice) -> Iterator[ForeignResult]:
        error = "an error" if has_failed else None
        for name in (self.error, "error_message"):
            error = error_in(record.get(name)) or error
        identity = next((name for name in self.id if record.get(name) not in (None, "")), None)
        result = ForeignResult(
            id=name_in(record, identity) if identity else "",
            value=None,
            answer=shown(_at(record, self.answer)),
            expected=shown(_at(record, self.expected)),
            question=question_in(record) or shown(text if isinstance(text := _at(record, self.asked), str) else None),
            document=digest_of([_at(record, self.asked)]),
            error=error,
            number=next((value for name in self.repeats if isinstance(value := record.get(name), int)), 0),
        )
        try:
            named = choice.read(record)
        except ValueError as error:
            raise self._unnamed(record, str(error), choice) from None
        if "correct" in choice.named:
            yield replace(result, **named, of={"metric": choice.named["correct"]})
            return
        for metric, value in self.scores(record).items():
            yield replace(result, **{"value": plain(value), "of": {"metric": metric}, **named})
        if has_failed or (error and not self.scores(record)):
            yield replace(result, **named)

    def _unnamed(self, record: ReportRecord, fault: str, choice: Choice) -> ValueError:
        """Return what to say of a field that a record does not have."""
        if "correct" not in choice.named:
            return ValueError(fault)
        metrics = [*self.scores(record)]
        options = [("--select", f"metric={name}") for name in metrics] if len(metrics) > 1 else [()]
        scores = listed([self.outcome_of({"metric": metric}) for metric in metrics])
        return OpenChoice(f"{fault}. Leave out --correct, since its scores are {scores}", options, instead="--correct")

    def numbered(self, results: Sequence[ForeignResult], choice: Choice) -> Sequence[ForeignResult]:
        """Return the results, with their places if nothing else identifies them, and failed ones of each metric.

        Raises ValueError for one that occurs twice.
        """
        metrics = [*dict.fromkeys(metric for result in results for metric in result.of.values())] or ["outcome"]
        places: Counter[str] = Counter()
        found = []
        for result in results:
            labels = [result.of] if result.of else [{"metric": metric} for metric in metrics]
            for of in labels:
                places[of["metric"]] += 1
                place = f"row {places[of['metric']]}"
                found.append(replace(result, of=of, id=result.id or place))
        return once(found)


def _at(record: ReportRecord, name: str) -> Any:
    try:
        return value_in(record, name) if name else None
    except ValueError:
        return None


def _list_of(name: str, *fields: str) -> Callable[[ReportRecord], bool]:
    """Return whether a record has a list whose first object has these fields."""

    def knows(first: ReportRecord) -> bool:
        listed = first.get(name)
        return bool(isinstance(listed, list) and listed and isinstance(listed[0], dict) and {*fields} <= {*listed[0]})

    return knows


def _named(listed: object, value: str) -> dict[str, object]:
    """Return the values of a list of objects, or of an object of them, by their names."""
    objects = listed.values() if isinstance(listed, dict) else listed if isinstance(listed, list) else ()
    return {
        one["name"]: one.get(value) for one in objects if isinstance(one, dict) and isinstance(one.get("name"), str)
    }


def _deepeval(record: ReportRecord) -> dict[str, object]:
    found = record.get("metricsData") or record.get("metrics_data")
    errors = _named(found, "error")
    return {name: None if errors[name] else value for name, value in _named(found, "success").items()}


def _is_of_mlflow(column: str) -> bool:
    return column.endswith("/value") and not column.startswith("expected_")


def _phoenix(record: ReportRecord) -> dict[str, object]:
    """Return the scores of a row, each of which is the text of an object; one of which less is better says so."""
    found: dict[str, object] = {}
    for column in filter(_is_of_phoenix, record):
        text = str(record[column])
        less = " (minimize)" if "minimize" in text else ""
        score = OF_PHOENIX.search(text)
        found[column.removesuffix("_score") + less] = float(score[1]) if score else None
    return found


def _is_of_phoenix(column: str) -> bool:
    return column.endswith("_score")


def strands(record: ReportRecord, choice: Choice) -> Iterator[ForeignResult]:
    """Yield the results of an evaluation report of Strands, whose scores are a list next to its cases.

    Raises ValueError.
    """
    cases, scores = record["cases"], record["scores"]
    if len(cases) != len(scores):
        raise ValueError(f"it has {len(cases):,} cases and {len(scores):,} scores")
    for case, score in zip(cases, scores, strict=True):
        if not isinstance(case, dict):
            raise ValueError("one of its cases is no object")
        result = ForeignResult(
            id=name_in(case, "name"),
            value=plain(score),
            of={"metric": str(case.get("evaluator"))},
            answer=shown(case.get("actual_output")),
            expected=shown(case.get("expected_output")),
            question=shown(case.get("input")),
            document=digest_of([case.get("input")]),
        )
        yield replace(result, **choice.read(case))


HELMET = ("exact_match", "substring_exact_match", "f1", "rougeL_f1", "rougeLsum_f1", "gpt-4-score", "NDCG@10")
RAGAS = frozenset(("user_input", "response", "reference", "retrieved_contexts", "reference_contexts", "rubrics"))
REPORTS = (
    ToolReport(
        "a report of deepeval",
        "4.3.1, November 2026",
        lambda first: any(
            _list_of(cases, data)(first)
            for cases in ("testCases", "test_cases")
            for data in ("metricsData", "metrics_data")
        ),
        _deepeval,
        lists=("testCases", "test_cases"),
        unit="test case",
        id=("name",),
        outcome="metricsData.{metric}.success",
        answer="actualOutput",
        expected="expectedOutput",
        has_direction=False,
    ),
    ToolReport(
        "a report of pydantic-evals",
        "2.62, November 2026",
        _list_of("cases", "assertions", "scores"),
        lambda record: {
            **_named(record.get("assertions"), "value"),
            **_named(record.get("scores"), "value"),
        },
        lists=("cases",),
        failed="failures",
        unit="case",
        id=("source_case_name", "name"),
        answer="output",
        expected="expected_output",
    ),
    ToolReport(
        "predictions of NeMo Evaluator",
        "0.2.8, November 2026",
        lambda first: first.keys() >= {"sample_id", "scores", "status", "target"},
        lambda record: _numbers(record.get("scores") or {}),
        unit="sample",
        id=("sample_id",),
        outcome="scores.{metric}",
        answer="response",
        expected="target",
    ),
    ToolReport(
        "results of NeMo Evaluator",
        "0.3, November 2026",
        lambda first: first.keys() >= {"problem_idx", "reward"},
        lambda record: {"reward": record.get("reward")},
        unit="problem",
        id=("problem_idx",),
        answer="extracted_answer",
        expected="expected_answer",
        repeats=("repeat",),
    ),
    ToolReport(
        "results of HELMET",
        "February 2025",
        lambda first: "args" in first and _list_of("data", "output", "input_len")(first),
        lambda record: {name: record[name] for name in HELMET if name in record},
        lists=("data",),
        answer="output",
        expected="answer",
        asked="question",
    ),
    ToolReport(
        "results of NoLiMa",
        "April 2025",
        lambda first: "test_name" in first and _list_of("results", "placement_metadata", "metric")(first),
        lambda record: {"metric": record.get("metric")},
        lists=("results",),
        unit="placement",
        answer="response.response",
        asked="placement_metadata.depth",
    ),
    ToolReport(
        "scores of ragas",
        "0.4.3, November 2026",
        lambda first: first.keys() >= {"user_input", "response"} and "id" not in first,
        lambda record: {name: value for name, value in _numbers(record).items() if name not in RAGAS},
        unit="sample",
        id=("user_input",),
        answer="response",
        expected="reference",
    ),
    ToolReport(
        "results of azure-ai-evaluation",
        "1.18, November 2026",
        _list_of("rows", "inputs.query"),
        lambda record: {name[8:]: value for name, value in _numbers(record).items() if name.startswith("outputs.")},
        lists=("rows",),
        id=("inputs.query", "inputs.id"),
        outcome="outputs.{metric}",
        answer="inputs.response",
        expected="inputs.ground_truth",
        asked="inputs.query",
    ),
    ToolReport(
        "results of HumanEval",
        "1.0.3, November 2026",
        lambda first: first.keys() >= {"task_id", "completion", "passed"},
        lambda record: {"passed": record.get("passed")},
        unit="task",
        id=("task_id",),
        answer="completion",
    ),
    ToolReport(
        "an experiment of LangSmith",
        "0.15, November 2026",
        lambda first: "example_id" in first and any(name.startswith("feedback.") for name in first),
        lambda record: {name[9:]: value for name, value in _numbers(record).items() if name.startswith("feedback.")},
        unit="example",
        id=("example_id",),
        outcome="feedback.{metric}",
        answer="outputs.answer",
        expected="reference.answer",
    ),
    ToolReport(
        "an evaluation of MLflow",
        "3.17, November 2026",
        lambda first: {"trace_id", "request", "response"} <= first.keys() and any(map(_is_of_mlflow, first)),
        lambda record: {
            name.removesuffix("/value"): value for name, value in _numbers(record).items() if _is_of_mlflow(name)
        },
        unit="trace",
        id=("request",),
        outcome="{metric}/value",
        answer="response",
    ),
    ToolReport(
        "an evaluation set result of Google's ADK",
        "2.13, November 2026",
        _list_of("eval_case_results", "eval_id", "overall_eval_metric_results"),
        lambda record: {
            str(one.get("metric_name")): one.get("score")
            for one in record.get("overall_eval_metric_results") or ()
            if isinstance(one, dict)
        },
        lists=("eval_case_results",),
        unit="case",
        id=("eval_id",),
        outcome="overall_eval_metric_results.{metric}.score",
    ),
    ToolReport(
        "results of Braintrust",
        "0.48, November 2026",
        lambda first: (
            first.keys() >= {"input", "output", "expected", "scores", "metadata", "error"}
            and isinstance(first["scores"], dict)
            and "id" not in first
        ),
        lambda record: _numbers(record.get("scores") or {}),
        outcome="scores.{metric}",
        answer="output",
        expected="expected",
        asked="input",
    ),
    ToolReport(
        "an evaluation of Phoenix",
        "3.9, November 2026",
        lambda first: any(
            f"{name.removesuffix('_score')}_execution_details" in first for name in filter(_is_of_phoenix, first)
        ),
        _phoenix,
        unit="row",
        id=("id",),
        outcome="{metric}_score",
        answer="output",
        expected="expected",
        asked="input",
    ),
)
"""The reports that are known, each with the version whose format is read."""
