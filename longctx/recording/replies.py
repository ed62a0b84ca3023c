"""How long a model's replies are: by what it has answered, or, before that, as long as they may be."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence

from longctx.cases.case import Case
from longctx.cases.replies import ReplyTokens
from longctx.recording.tape import Tape

MOST = 200
"""The most recorded answers that are read of a scenario."""


def with_recorded_replies(
    tape: Tape, cases: Sequence[Case], known: Mapping[tuple[str, str], ReplyTokens] | None = None
) -> list[Case]:
    """Return the cases with what their model has answered so far to their family, if that says how long replies are.

    known: of a model and family, in place of what the tape has.
    """
    groups: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.model.model, case.scenario.family].append(case)
    replies = {
        group: (known or {}).get(group)
        or ReplyTokens.of([tokens for case in of_group for tokens in tape.output_tokens(case.file, group[0], MOST)])
        for group, of_group in groups.items()
    }
    return [dataclasses.replace(case, replies=replies[case.model.model, case.scenario.family]) for case in cases]
