"""What differs between a run and its baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from longctx.gate.changed import changed
from longctx.gate.verdict import give_verdict
from longctx.vocabulary.both import Both
from tests.gate.examples import RULES
from tests.here import HERE
from tests.report.sample import MANIFEST
from tests.rows import joined, row, run

RUN = replace(MANIFEST, version="1.0", profile="paper", profile_digest="a" * 64, seed=0)


def between(manifest: dict[str, Any] | None = None, **fields: Any) -> list[str]:
    before, after = (
        joined(run("correct", band="all", model_returned="m")),
        joined(run("correct", **{"model_returned": "m", "band": "all"} | fields)),
    )
    return changed(Both(RUN, replace(RUN, **manifest or {})), Both(before, after), give_verdict(before, after, RULES))


def test_nothing() -> None:
    assert between() == []


def test_of_the_run() -> None:
    assert between({"version": "1.1", "seed": 3}) == ["longctx: 1.0 → 1.1", "seed: 0 → 3"]


def test_a_profile_that_was_edited_keeps_its_name() -> None:
    assert between({"profile_digest": "b" * 64}) == [
        "profile paper: its file has changed (aaaaaaaaaaaa → bbbbbbbbbbbb)"
    ]


def test_of_the_trials() -> None:
    assert between(model="new", source="live") == ["model: some-model → new"]
    assert between(model_returned="m-2", source="live") == ["model that answered: m → m-2"]
    assert "`model that answered: m → m-2`" in (HERE.root / "docs/ci.md").read_text(encoding="utf-8")
    assert between(prompt_set="mine", prompt_digest="ffff") == [
        "prompt set: protocol → mine",
        "prompt templates of line_retrieval: 0123456789ab → ffff",
    ]
    assert between(version=2) == ["version of the test of line_retrieval: 1 → 2"]


def test_a_parameter() -> None:
    fields = {"cell": "lines-3", "params": {"lines": 3, "block_size": None}}
    assert between(**fields) == ["lines of line_retrieval: 5 → 3"]


def test_a_label_such_as_the_strategy() -> None:
    before, after = (
        joined(run("correct", band="all", labels={"strategy": name, "commit": "a"})) for name in ("none", "truncate")
    )
    assert changed(Both(RUN, RUN), Both(before, after), give_verdict(before, after, RULES)) == [
        "strategy: none → truncate"
    ]


def test_requests() -> None:
    """A baseline keeps the beginning of a digest; where it keeps none, nothing is said of the request."""
    digests = {"a" * 12: ["a" * 64, "a" * 64, "b" * 64, None], None: ["a" * 64]}
    before, after = (
        [row(trial=trial, band="all", model_returned="m", prompt_sha256=digest) for trial, digest in enumerate(side)]
        for side in (
            [was for was, of in digests.items() for _ in of],
            [now for of in digests.values() for now in of],
        )
    )
    given = give_verdict(before, after, RULES)
    assert changed(Both(RUN, RUN), Both(before, after), given) == ["1 of 3 requests differs"]
    assert given.tests[0].requests.unknown == 2


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("messages=aaaa system=bbbb tools=cccc", "messages=aaaa0000 system=dddd0000 tools=cccc0000", True),
        (None, "messages=aaaa0000 system=dddd0000 tools=cccc0000", False),
        ("messages=aaaa system=bbbb tools=cccc", "messages=aaaa0000 system=bbbb0000 tools=cccc0000", False),
    ],
)
def test_the_parts_of_requests(before: str | None, after: str, said: bool) -> None:
    """Of 60 requests, whose digests differ, all have another system prompt; what is not known is not said."""
    rows = [
        [
            row(trial=trial, band="all", model_returned="m", prompt_sha256=digest, request_parts=parts)
            for trial in range(60)
        ]
        for digest, parts in (("a" * 12, before), ("b" * 64, after))
    ]
    [sentence] = changed(Both(RUN, RUN), Both(*rows), give_verdict(*rows, RULES))
    assert sentence == "60 of 60 requests differ" + (": system; tools and messages are the same" if said else "")


@pytest.mark.parametrize(
    ("differs", "said"),
    [
        ([{"messages": 1, "model": 0}] * 3, ": messages; model is the same"),
        (
            [{"messages": 1, "model": 0}, {"messages": 0, "model": 1}, {"messages": 1, "model": 0}],
            ": model in 1 and messages in 2",
        ),
        ([{}, {"messages": 1}, {"messages": 1}], ""),
    ],
)
def test_stale_trials(differs: list[dict[str, int]], said: str) -> None:
    before, after = ([row(trial=trial, band="all", model_returned="m") for trial in range(4)] for _ in range(2))
    after = [
        *(
            replace(each, outcome="not_asked", error="stale", trace=of)
            for each, of in zip(after, differs, strict=False)
        ),
        after[3],
    ]
    given = give_verdict(before, after, RULES)
    assert changed(Both(RUN, RUN), Both(before, after), given) == [
        f"3 of 4 trials are stale, recorded for another request{said}"
    ]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [("a", "b", ["the code of passkey changed since the baseline"]), ("a", "a", []), (None, "b", []), ("a", None, [])],
)
def test_the_code_of_a_test(before: str | None, after: str | None, said: list[str]) -> None:
    """What is unknown of one of them has not changed. The code of its checks is the test's own."""
    sides = [
        [replace(row, code=code, test=test) for test in ("passkey", "passkey.cites") for row in both]
        for code in (before, after)
        for both in [joined(run("correct", band="all"))]
    ]
    rows = Both(sides[0], sides[1])
    verdict = give_verdict(*rows, RULES)
    assert changed(Both(RUN, RUN), rows, verdict) == said
    assert verdict.verdict == give_verdict(rows.before, rows.before, RULES).verdict


def test_tests_of_other_code_are_named_in_their_order() -> None:
    names = [f"passkey_{letter}" for letter in "hgfedcba"]
    rows = Both(*([replace(row, code=code, test=name) for name in names for row in run("correct")] for code in "ab"))
    said = changed(Both(RUN, RUN), rows, give_verdict(*rows, RULES))
    assert said == [f"the code of {name} changed since the baseline" for name in names]
