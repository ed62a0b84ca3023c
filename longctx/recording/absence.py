"""The sentence on why trials of a case have no reply on the tape, and how to record one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from vcr.record_mode import RecordMode

from longctx.cases.case import Case
from longctx.config.models import as_lines
from longctx.errors import closest
from longctx.recording.tape import Tape, Wanted
from longctx.recording.versions import of_other_versions, why_unused
from longctx.results.store import differing
from longctx.results.store import sentence as parts_sentence
from longctx.visible import visible


def sentence(
    case: Case,
    tape: Tape,
    absent: Sequence[Wanted],
    failed: Sequence[str],
    changed: Callable[[Wanted], str] | None = None,
) -> str:
    """Explain all of a case's trials without a reply.

    Args:
        absent: A request of each trial.
        failed: The messages of the asking pass, if it tried them.
        changed: Returns what may have changed in a request with the recorded prompts and headers; by default, what may
            have changed in a request of a test.
    """
    again = tape.record_mode == RecordMode.ALL
    stale = [wanted for wanted in absent if not again and tape.status(wanted) == "stale"]
    missing = len(absent) - len(stale)
    parts = [*dict.fromkeys(failed)]
    if stale:
        parts.append(f"{len(stale)} of {case.size} trials are stale: {_change(case, tape, stale[0], changed)}")
        parts.append(_how("new_episodes"))
    if missing and not failed and (again or any(map(tape.was_not_sent_again, absent))):
        parts.append(f"{missing} of {case.size} trials were not sent again, and their earlier answers do not count.")
        parts.append(_how("once"))
    elif missing and not failed:
        parts.append(f"{missing} of {case.size} trials have no recording in {_place(case, tape)}.")
        if similar := _similar_model(case, tape):
            parts.append(f"There are recordings of {similar}: did you mean that model?")
        if case.file in tape.not_accepted:
            parts.append("It has answers that are not on the base branch, which LONGCTX_TRUST=base does not accept.")
        elif others := of_other_versions(tape, case, (wanted.trial for wanted in absent if wanted not in stale)):
            version, trials = others.popitem()
            reason, advice = why_unused(trials[0], version)
            parts.append(f"It has answers to trials of version {version} of its family, and {reason}.")
            parts += [advice] if advice else []
        elif missing == case.size and tape.has_any(case.file, case.model.model):
            parts.append("It has other trials only: of another seed, other questions or other documents.")
        if any(str(path).endswith(case.file) for path in tape.cut_short):
            parts.append("Its last line was cut short by a run that was killed.")
        parts.append(_how("once"))
    return " ".join(parts)


def _place(case: Case, tape: Tape) -> str:
    """Return the file that a case has no recording in; it is below the root folder or, of some tests, below another."""
    home = tape.homes.get(case.cell.test)
    return f"{os.path.relpath(home) if home else 'cassettes'}/{case.file}"


def _similar_model(case: Case, tape: Tape) -> str:
    """Return the folder of a model with a similar name, if the model itself has no recording."""
    own, names = case.file.partition("/")[0], tape.folders_of_models()
    return "" if own in names else closest(own, names)


def _change(case: Case, tape: Tape, wanted: Wanted, changed: Callable[[Wanted], str] | None) -> str:
    recorded, now, model = tape.recorded_wording(wanted), case.wording, case.model.model
    if recorded["digest"] == now.digest:
        sent = as_lines(case.model.treatments)
        if recorded["headers"] != sent:
            return (
                f"it was recorded with {_named(recorded['headers'])}, and the profile of {model} sends {_named(sent)}."
            )
        if changed is not None:
            return f"{changed(wanted)}{_parts(tape, wanted)}"
        return (
            "the request changed since the recording, though not its wording: max_tokens, or what the profile of "
            f"{model} sends (system, thinking, effort, prefill, extra_body).{_parts(tape, wanted)}"
        )
    was = f"{recorded['prompt_set']!r} ({recorded['digest']})"
    documents = f", which calls the documents {now.document!r}" if now.document else ""
    return (
        f"the recorded prompt set is {was}, this one is {now.prompt_set!r} ({now.digest}){documents}."
        f"{_parts(tape, wanted)}"
    )


def _parts(tape: Tape, wanted: Wanted) -> str:
    """Return a sentence on the parts in which a request differs from the recorded one; empty if they are not known."""
    differ = differing(tape.recorded_parts(wanted), wanted.parts)
    return f" What differs: {parts_sentence(differ, 1)}." if any(differ.values()) else ""


def _named(headers: str) -> str:
    """Return headers, given as lines, as text in a sentence."""
    return f"the headers {'; '.join(map(visible, headers.splitlines()))}" if headers else "no betas and no headers"


def _how(mode: str) -> str:
    return f"Record them: run this again with --ctx-record {mode} (and --ctx-base-url URL for a server of your own)."
