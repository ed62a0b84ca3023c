"""The page of the exit statuses of pytest and of the commands."""

from __future__ import annotations

import pytest

from longctx.gate.rules import EXIT
from longctx.plugin.report_folder import EXIT as UNWRITTEN
from tools.site.reference.markdown import table

PAGE = """# Exit statuses

Exit statuses are part of the public API and will not change.

## `pytest`

{runs}
If several apply, the first of these counts: {unwritten}, pytest's own 2 to 5, then {invalid}, {regression}, 1,
{inconclusive}, 0.

## `longctx`

{commands}
"""
OWN = {
    pytest.ExitCode.OK: "all tests passed; with `--ctx-baseline`, the verdict is `pass` too",
    pytest.ExitCode.TESTS_FAILED: "a test failed: a trial was not measured, or accuracy is below its minimum",
    pytest.ExitCode.INTERRUPTED: "it was stopped, by Ctrl-C or by an error while tests were collected",
    pytest.ExitCode.INTERNAL_ERROR: "pytest or a plugin broke",
    pytest.ExitCode.USAGE_ERROR: "a mistake in an option or a file, shown with its [code](errors.md); no test is run",
    pytest.ExitCode.NO_TESTS_COLLECTED: "no test was selected",
}
VERDICTS = {
    "regression": "in some band, accuracy dropped significantly",
    "inconclusive": "not enough evidence; 0 with `--ctx-on-inconclusive pass`",
    "invalid": "too little was measured, or the runs are not comparable",
}
COMMANDS = {
    0: "done",
    1: "`questions check` found faults; or something is left of `questions write` or `batches`, with "
    "which the same command goes on",
    2: "a mistake that a sentence with its [code](errors.md) explains, or Ctrl-C",
}


def page() -> str:
    runs = {int(code): words for code, words in OWN.items()}
    runs |= {EXIT[verdict]: f"the verdict is `{verdict}`: {words}" for verdict, words in VERDICTS.items()}
    runs[UNWRITTEN] = "the report could not be written; what was asked is recorded, and the same command replays it"
    return PAGE.format(
        runs=_table(runs),
        commands=_table(COMMANDS) + "\n`merge` and `record` end as the run of pytest would.",
        unwritten=UNWRITTEN,
        **EXIT,
    )


def _table(statuses: dict[int, str]) -> str:
    return table(("status", "it means"), ((str(code), words) for code, words in sorted(statuses.items())))
