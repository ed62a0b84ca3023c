"""What differs between a run and its baseline, found by comparing the two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from longctx.gate.verdict import Rules, RunVerdict
from longctx.results.grouping import grouped
from longctx.results.manifest import Manifest, RecordedTerms
from longctx.results.request_parts import PARTS, request_difference
from longctx.results.row import Row, Subject
from longctx.results.server_says import ServerSays
from longctx.text import count, some_of
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import is_check

OF_A_RUN = {"version": "longctx", "profile": "profile", "seed": "seed"}
"""The compared fields of a run's manifest, and their names for people."""
OF_ROWS = {
    "model": "model",
    "model_returned": "model that answered",
    "prompt_set": "prompt set",
    "shape": "shape",
    "prompt_digest": "prompt templates",
    "version": "version of the test",
}
"""The compared fields of the rows, and their names for people."""

NO_NAME = "without a name"
"""What a server is called that was given no name."""
SHOWN_DOCUMENTS = 5
"""The most documents of a kind that a sentence names."""


def changed(manifests: Both[Manifest], rows: Both[Sequence[Row]], verdict: RunVerdict) -> list[str]:
    """Return a sentence, without its full stop, for each difference."""
    return [
        *_of_run(*manifests),
        *_of_headers(*manifests),
        *_of_documents(manifests, rows),
        *dict.fromkeys(_of_rows(*rows, verdict)),
        *dict.fromkeys(_of_servers(manifests, verdict)),
        *_of_cases(verdict),
        *_of_code(*rows),
        *_of_requests(verdict),
    ]


def _of_cases(verdict: RunVerdict) -> Iterator[str]:
    """Yield how many cases entered and left, by test."""
    for what, number_of in (
        ("added", lambda test: len(test.added)),
        ("removed", lambda test: sum(trial.answers for trial in test.vanished)),
    ):
        numbers = {test.test: number for test in verdict.tests if (number := number_of(test))}
        if numbers:
            yield f"cases {what}: {', '.join(f'{number:,} of {name}' for name, number in numbers.items())}"
    if verdict.retired:
        yield f"cases retired: {len(verdict.retired):,}"


def _of_code(before: Sequence[Row], after: Sequence[Row]) -> Iterator[str]:
    """Yield which tests have other code than those of the baseline. Only what is known of both counts."""
    was, now = (
        grouped((row for row in rows if row.code and not is_check(row.test)), lambda row: row.test)
        for rows in (before, after)
    )
    for test, earlier in was.items():
        if test in now and {row.code for row in earlier}.isdisjoint(row.code for row in now[test]):
            yield f"the code of {test} changed since the baseline"


def changed_terms(before: RecordedTerms | None, used: RecordedTerms | Rules) -> Iterator[str]:
    """Yield which terms the earlier run had where others are used. before: None if it recorded none."""
    named = ("margin", "margin"), ("alpha", "alpha"), ("run_margin", "margin of all bands together")
    for field, name in named if before else ():
        was, now = (getattr(terms, field) for terms in (before, used))
        if was != now:
            yield f"{name}: {_term(was)} → {_term(now)}, which is used"


def _term(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"


def _of_requests(verdict: RunVerdict) -> Iterator[str]:
    """Yield how many requests differ from those of the baseline, with their tests if these are a part."""
    tests = [test for test in verdict.tests if not is_check(test.test)]
    differ = {test.test: test.requests.differ for test in tests if test.requests.differ}
    compared = sum(test.requests.compared for test in tests)
    if differ:
        where = (
            f" ({some_of(list(differ), SHOWN_DOCUMENTS)})" if len(differ) < len({test.test for test in tests}) else ""
        )
        number = sum(differ.values())
        verb = "differs" if number == 1 else "differ"
        parts = _parts([test.requests.parts for test in tests if test.requests.differ], number)
        yield f"{number:,} of {count(compared, 'request')} {verb}{where}{parts}"
    if stale := sum(test.requests.stale for test in tests):
        parts = _parts([test.requests.stale_parts for test in tests if test.requests.stale], stale)
        verb = "is" if stale == 1 else "are"
        trials = count(sum(test.in_common for test in tests), "trial")
        yield f"{stale:,} of {trials} {verb} stale, recorded for another request{parts}"


def _parts(of_each: Sequence[Mapping[str, int]], number: int) -> str:
    """Return which parts of requests differ, and which do not; empty unless that is known of all of them."""
    if not all(of_each):
        return ""
    names = [name for name in PARTS if any(name in parts for parts in of_each)]
    return f": {request_difference({name: sum(parts.get(name, 0) for parts in of_each) for name in names}, number)}"


def _of_run(before: Manifest, after: Manifest) -> Iterator[str]:
    for field, name in OF_A_RUN.items():
        was, now = getattr(before, field), getattr(after, field)
        if was != now:
            yield f"{name}: {was} → {now}"
    if before.hooks != after.hooks:
        yield f"hooks: {', '.join(before.hooks) or 'none'} → {', '.join(after.hooks) or 'none'}"
    was, now = before.profile_digest, after.profile_digest
    if before.profile == after.profile and was != now:
        yield f"profile {after.profile}: its file has changed ({was[:12]} → {now[:12]})"


def _of_headers(before: Manifest, after: Manifest) -> Iterator[str]:
    for model in sorted({*before.headers, *after.headers}):
        was, now = ("; ".join(manifest.headers.get(model, "none").splitlines()) for manifest in (before, after))
        if was != now:
            yield f"headers of {model}: {was} → {now}"


def _of_documents(manifests: Both[Manifest], rows: Both[Sequence[Row]]) -> Iterator[str]:
    """Yield what changed in the documents of each bank, and how many trials have one of them in their prompts."""
    for name in sorted({*manifests.before.documents, *manifests.after.documents}):
        was, now = (manifest.documents.get(name, {}) for manifest in manifests)
        changes = [(how, names) for how, names in changed_names(was, now).items() if names]
        if was and now and changes:
            said = ", ".join(f"{len(names):,} {how} ({some_of(names, SHOWN_DOCUMENTS)})" for how, names in changes)
            yield f"documents of {name}: {said}"
    held = {_item(row): row.documents for row in rows.before if row.documents}
    asked = [row for row in rows.after if row.documents and _item(row) in held and not is_check(row.test)]
    if touched := sum(held[_item(row)] != row.documents for row in asked):
        yield f"documents in the prompts of {touched:,} of {count(len(asked), 'trial')}"


def changed_names(was: Mapping[str, object], now: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the names whose values changed, those that were added, and those that were removed."""
    return {
        "changed": [name for name in now if name in was and was[name] != now[name]],
        "added": [name for name in now if name not in was],
        "removed": [name for name in was if name not in now],
    }


def _item(row: Row) -> tuple[object, ...]:
    return (row.test, row.cell, row.seed, row.item, row.trial, row.repeat)


def _of_rows(before: Sequence[Row], after: Sequence[Row], verdict: RunVerdict) -> Iterator[str]:
    """Yield what the two subjects of each compared test differ in."""
    for test in verdict.tests:
        if test.before.server != test.after.server:
            yield f"server {test.before.server or NO_NAME} → {test.after.server or NO_NAME}"
        was, now = dict(test.before.labels), dict(test.after.labels)
        yield from (f"{name}: {was[name]} → {now[name]}" for name in was if was[name] != now.get(name, was[name]))
        rows_before = _of_subject(before, test.test, test.before)
        rows_after = _of_subject(after, test.test, test.after)
        for field, name in OF_ROWS.items():
            earlier, later = _values(rows_before, field), _values(rows_after, field)
            if earlier != later and earlier and later:
                shared = field in ("model", "model_returned", "prompt_set", "shape")
                yield f"{name}{'' if shared else f' of {test.test}'}: {earlier} → {later}"
        for cells in test.across:
            yield f"{cells.parameter} of {test.test}: {cells.change}"


def _of_servers(manifests: Both[Manifest], verdict: RunVerdict) -> Iterator[str]:
    """Yield what the servers of each compared test say of themselves, if both say it and say it differently."""
    for test in verdict.tests:
        was, now = (
            ServerSays.of(manifest.servers.get(subject.model, {}).get(subject.server))
            for manifest, subject in zip(manifests, (test.before, test.after), strict=True)
        )
        yield from (f"the server says: {difference}" for difference in was.differences(now))


def _of_subject(rows: Sequence[Row], test: str, subject: Subject) -> list[Row]:
    """Return the rows of a subject whatever its labels: a run's differ from its baseline's if they name the change."""
    key = test, subject.model, subject.prompt_set, subject.shape, subject.server
    return [row for row in rows if (row.test, row.model, row.prompt_set, row.shape, row.server or "") == key]


def _values(rows: Sequence[Row], field: str) -> str:
    values = {getattr(row, field) for row in rows} - {None}
    return ", ".join(sorted(map(str, values)))
