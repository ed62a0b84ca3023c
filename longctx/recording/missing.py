"""The trials of a run that have no valid recording, and why: never recorded, stale, or recorded for another version."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from longctx.cells.cell import Cell, Trial
from longctx.config.file_names import servers_in, servers_sentence
from longctx.config.models import header_lines
from longctx.errors import closest
from longctx.recording.request import Place, Request
from longctx.recording.tape import Tape
from longctx.results.request_parts import parts_that_differ
from longctx.results.request_parts import request_difference as parts_sentence
from longctx.text import visible
from longctx.vocabulary.shapes import SHAPES

KEPT = 64_000_000
"""The most characters of prompts that are kept until they are sent, rather than built a second time."""
EARLY = 400_000
"""The characters of prompts that a direct run builds before it asks; it builds the others when it sends them."""

PassedOver = Callable[[Trial, Place], object]


def missing(
    tape: Tape, cells: Sequence[Cell], passed_over: PassedOver | None = None, build: bool = True, early: int = 0
) -> list[Request]:
    """Return the requests that the tape's record mode asks, ordered so that neighbours share a prefix.

    Longer shared prefixes come last, so that each prompt extends what the server has cached of the one before. Repeats
    of a trial, whose prompts are equal, are neighbours.

    passed_over: called with each trial that is not sent. build: whether to build all prompts, so that an error is
    raised before any request is sent and all digests are known; an estimate builds only the first prompt of each cell.
    early: the characters of prompts that are built all the same.
    """
    ordered: list[tuple[tuple[object, ...], Request]] = []
    room = KEPT
    for index, cell in enumerate(cells):
        group = cell.model.model, cell.wording.prompt_set, SHAPES.index(cell.shape)
        for number, request in enumerate(_asked(tape, cell, passed_over)):
            trial, built = request.trial, request.built
            if built is None and (build or not number or KEPT - room < early):
                built = trial.build()
                request = dataclasses.replace(request, built=built, place=Place.of(trial, built))
            if built is not None and (room := room - len(built.user)) < 0:
                request = dataclasses.replace(request, built=None)
            prefix = built.prefix if built else trial.prefix or ""
            ordered.append(((*group, prefix, index, trial.index, trial.repeat), request))
    return [request for _, request in sorted(ordered, key=lambda pair: pair[0])]


def _asked(tape: Tape, cell: Cell, passed_over: PassedOver | None) -> Iterator[Request]:
    """Yield the requests of a cell that are sent. Prompts are built only if the digest matters."""
    tokens = cell.tokens
    for trial in cell.each_trial():
        is_asked, built = tape.sends(trial), None
        if is_asked is None or (passed_over and not is_asked):
            built = trial.build()
            place = Place.of(trial, built)
            is_asked = tape.asks_request(place)
            if passed_over and not is_asked:
                passed_over(trial, place)
        if is_asked:
            yield Request(trial, cell.model, tokens, place if built else Place.of(trial), built=built)


def stale(tape: Tape, cells: Sequence[Cell]) -> int:
    """Return how many trials of these fitted cells are stale. The prompts of all that have a recording are built.

    Raises UserError if a prompt cannot be built.
    """
    return sum(
        tape.status(Place.of(trial, trial.build())) == "stale"
        for cell in cells
        for trial in cell.each_trial()
        if tape.has_trial(trial)
    )


def stale_sentence(number: int, trials: int, arguments: Sequence[str]) -> str:
    """Return what to do about stale trials. arguments: those that chose the trials."""
    command = shlex.join(["pytest", "--ctx-record=new_episodes", *arguments])
    return (
        f"{number:,} of {trials:,} trials are stale: their recordings answer other requests, so a replay cannot use "
        f"them. To record them: {command}"
    )


TRIAL = re.compile(
    r"(?P<test>[^/]+)\.v(?P<version>[0-9]+)/(?P<cell>[^/]+)(?:/(?P<item>[^/]+))?"
    r"/(?P<seed>seed-[0-9]+)/(?P<trial>trial-[0-9]+)/(?P<repeat>repeat-[0-9]+)"
)
"""The identity of a trial as text."""


def of_other_versions(tape: Tape, cell: Cell, trials: Iterable[str]) -> dict[int, list[str]]:
    """Return, by another version, which of a cell's trials it has answers about. trials: their identities."""
    recorded: dict[object, set[int]] = defaultdict(set)
    for version, asked in map(_parsed, tape.trials(cell.file, cell.model.model, cell.wording.prompt_set)):
        recorded[asked].add(version)
    found: dict[int, list[str]] = defaultdict(list)
    for trial in trials:
        own, asked = _parsed(trial)
        for version in recorded[asked] - {own}:
            found[version].append(trial)
    return dict(sorted(found.items()))


def _parsed(trial: str) -> tuple[int, object]:
    """Return the version of a trial, and what it asks about whatever its version."""
    match = TRIAL.fullmatch(trial)
    if match is None:
        return 0, trial
    question = (match["item"] or "").rpartition("@")[0]
    return int(match["version"]), (match["cell"], question or match["trial"], match["seed"], match["repeat"])


def of_earlier_trials(tape: Tape, cell: Cell, trials: Iterable[str]) -> tuple[str, list[str]]:
    """Return which of a cell's trials have answers to an earlier version of themselves, and the entries of the
    profile's table that build it. trials: their identities."""
    point = cell.point
    added: dict[str, Any] = {name: None for name in point.declared.earlier if getattr(point, name) is not None}
    if not added:
        return "", []
    earlier = dataclasses.replace(cell, point=dataclasses.replace(point, **added))
    recorded = {*tape.trials(earlier.file, cell.model.model, cell.wording.prompt_set)}
    found = [each for each in trials if each.replace(f"/{point.slug}/", f"/{earlier.point.slug}/", 1) in recorded]
    return ", ".join(point.declared.earlier[name] for name in added), found


def how_to_keep(entries: str) -> str:
    """Return what makes answers to an earlier version of trials count."""
    return f"To use them, write {entries} in the profile's table."


def why_unused(trial: str, version: int) -> tuple[str, str]:
    """Return why answers of another version do not count for a trial, and what would keep them; often empty."""
    test, _, own = trial.partition("/")[0].rpartition(".v")
    if "@" not in trial:
        return f"version {own} of {test} builds other prompts", ""
    return (
        f"these documents are drawn by version {own} now",
        f"If they have not changed since, write version = {version} in their corpus.toml to keep the answers.",
    )


def why_missing(
    cell: Cell,
    tape: Tape,
    absent: Sequence[Place],
    failed: Sequence[str],
    changed: Callable[[Place], str] | None = None,
) -> str:
    """Explain why trials of a cell have no answer.

    Args:
        absent: A request of each trial.
        failed: The messages of the live pass, if it tried them.
        changed: Returns what may have changed in a request with the recorded prompts and headers; by default, what may
            have changed in a request of a test.
    """
    again = tape.record_mode == "all"
    stale = [place for place in absent if not again and tape.status(place) == "stale"]
    missing = len(absent) - len(stale)
    parts = [*dict.fromkeys(failed)]
    if stale:
        parts.append(f"{len(stale)} of {cell.size} trials are stale: {_change(cell, tape, stale[0], changed)}")
        parts.append(_how("new_episodes"))
    if missing and not failed and (again or any(map(tape.was_not_sent_again, absent))):
        parts.append(f"{missing} of {cell.size} trials were not sent again, and their earlier answers do not count.")
        parts.append(_how("once"))
    elif missing and not failed:
        parts.append(f"{missing} of {cell.size} trials have no recording in {_place(cell, tape)}.")
        parts += _similar(cell, tape)
        if cell.file in tape.not_accepted:
            parts.append("LONGCTX_TRUST=base does not accept its answers, which are not on the base branch.")
        elif others := of_other_versions(tape, cell, (place.trial for place in absent if place not in stale)):
            version, trials = others.popitem()
            reason, advice = why_unused(trials[0], version)
            parts.append(f"It has answers to trials of version {version} of its test, and {reason}.")
            parts += [advice] if advice else []
        elif (earlier := of_earlier_trials(tape, cell, (place.trial for place in absent)))[1]:
            parts.append(f"It has answers to an earlier version of its trials. {how_to_keep(earlier[0])}")
        elif missing == cell.size and tape.has_any(cell.file, cell.model.model):
            parts.append("It has only other trials: of another seed, other questions or other documents.")
        if any(str(path).endswith(cell.file) for path in tape.cut_short):
            parts.append("A killed run cut its last line short.")
        parts.append(_how("once"))
    return " ".join(parts)


def _place(cell: Cell, tape: Tape) -> str:
    """Return the file that a cell has no recording in; it is below the root folder or, of some tests, below another."""
    home = tape.homes.get(cell.point.test)
    return f"{os.path.relpath(home) if home else 'cassettes'}/{cell.file}"


def _similar(cell: Cell, tape: Tape) -> list[str]:
    """Return a sentence on what was perhaps meant if the model has no recording: another server, or a similar name."""
    own, names = cell.file.partition("/")[0], tape.folders_of_models()
    if own in names:
        return []
    if servers := servers_in(names, cell.model.model):
        return [f"There are recordings of this model on {servers_sentence(servers)}: did you mean that?"]
    similar = closest(own, names)
    return [f"There are recordings of {similar}: did you mean that model?"] if similar else []


def _change(cell: Cell, tape: Tape, place: Place, changed: Callable[[Place], str] | None) -> str:
    recorded, now, model = tape.recorded_wording(place), cell.wording, cell.model.model
    if recorded["digest"] == now.digest:
        sent = header_lines(cell.model.treatments)
        if recorded["headers"] != sent:
            return (
                f"it was recorded with {_named(recorded['headers'])}, and the profile of {model} sends {_named(sent)}."
            )
        if changed is not None:
            return f"{changed(place)}{_parts(tape, place)}"
        return (
            f"the request changed since the recording, but not its wording: max_tokens, or the profile of {model} "
            f"(system, thinking, effort, prefill, extra_body).{_parts(tape, place)}"
        )
    was = f"{recorded['prompt_set']!r} ({recorded['digest']})"
    documents = f", which calls the documents {now.document!r}" if now.document else ""
    return (
        f"the recorded prompt set is {was}, this one is {now.prompt_set!r} ({now.digest}){documents}."
        f"{_parts(tape, place)}"
    )


def _parts(tape: Tape, place: Place) -> str:
    """Return a sentence on the parts in which a request differs from the recorded one; empty if they are not known."""
    differ = parts_that_differ(tape.recorded_parts(place), place.parts)
    return f" What differs: {parts_sentence(differ, 1)}." if any(differ.values()) else ""


def _named(headers: str) -> str:
    """Return headers, given as lines, as text in a sentence."""
    return f"the headers {'; '.join(map(visible, headers.splitlines()))}" if headers else "no betas and no headers"


def _how(mode: str) -> str:
    return f"Record them: run this again with --ctx-record {mode} (and --ctx-base-url URL for your own server)."
