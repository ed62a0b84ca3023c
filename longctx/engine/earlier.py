"""The baseline's answers to the trials of a run: from its folder, from the baseline itself, or from the recordings."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longctx.engine.places import file_of, trial_of
from longctx.errors import UserError
from longctx.functions.measure import answer_text
from longctx.recording.answer_body import MalformedAnswer
from longctx.recording.apis import to_answer
from longctx.recording.apis.messages import Receipt
from longctx.recording.episodes import Episode, read_episodes
from longctx.report.page.earlier_answers import Earlier, RowIdentity, earlier_rows
from longctx.results.answer_groups import by_group, digest_of_answers, with_answers
from longctx.results.baseline_file import Baseline
from longctx.results.grouping import grouped
from longctx.results.row import Row, digest_of_all, total
from longctx.results.store import load
from longctx.vocabulary.declaration import Protocol


def earlier_answers(
    baseline: Baseline,
    rows: Sequence[Row],
    cassettes: Path | None,
    text: bool = True,
    tests: Mapping[str, Protocol] | None = None,
) -> dict[RowIdentity, Earlier]:
    """Return the baseline's answer to each trial of a run, by the identity of the run's row.

    cassettes: the recordings in which replies are looked up that the baseline does not have; None for none. text: False
    leaves all replies out. tests: the known ones, by default those of longctx.
    """
    before = earlier_rows(baseline.rows, rows, None, tests)
    if not text:
        return {identity: Earlier(row) for identity, row in before.items()}
    answers = {row.identity: row.answers for row in with_answers(rows)}
    same = {
        identity for identity, row in before.items() if row.answers is not None and row.answers == answers[identity]
    }
    views = views_of(baseline, [row for identity, row in before.items() if identity not in same], cassettes)
    return {identity: Earlier(row, views.get(row.identity, {}), identity in same) for identity, row in before.items()}


def views_of(baseline: Baseline, shown: Sequence[Row], cassettes: Path | None) -> dict[RowIdentity, Mapping[str, Any]]:
    """Return the views of a baseline's rows, or the replies that are known of them, by the identity of the row.

    shown: the rows whose cells are looked up in the recordings, if the baseline contains no replies.
    """
    if baseline.folder is not None:
        return {row.identity: view for row, view in load(baseline.folder).seen()}
    kept: Mapping[RowIdentity, str] = baseline.replies
    if not kept and cassettes is not None:
        kept = recorded_replies(baseline.rows, shown, cassettes, baseline.saved_at)
    return {identity: {"reply": reply} for identity, reply in kept.items()}


def recorded_replies(
    rows: Sequence[Row], shown: Sequence[Row], cassettes: Path, saved_at: str
) -> dict[RowIdentity, str]:
    """Return the recorded replies behind the rows of a baseline. shown: the rows whose cells are looked up.

    A row has a reply only if the recorded requests have the digest that the baseline kept of its own. Earlier
    baselines have one digest for each group of rows.
    """
    replies: dict[RowIdentity, str] = {}
    files = {file_of(row) for row in shown}
    for file, filed in grouped(rows, file_of).items():
        if file not in files:
            continue
        name = file.partition("/")[2]
        try:
            paths = {cassettes / file, *cassettes.glob(f"*/{glob.escape(name)}")}  # a judge has a folder of its own
            episodes = [episode for path in sorted(paths) for episode in _before(path, cassettes, saved_at)]
        except (UserError, ValueError):  # a damaged file, or a name in the baseline that is no file's or leads away
            continue
        known = [row for row in filed if row.prompt_sha256]
        by_trial = grouped(episodes, lambda episode: episode[2]["trial"])
        for row in known:
            if reply := _of_trial(row, by_trial.get(trial_of(row), [])):
                replies[row.identity] = reply
        own = [episode for episode in episodes if episode[2].get("model", filed[0].model) == filed[0].model]
        for group in by_group([row for row in filed if not row.prompt_sha256]).values():
            replies |= _of_group(group, own)
    return replies


def _before(path: Path, cassettes: Path, saved_at: str) -> list[Episode]:
    """Return the episodes of a file that were recorded before a baseline was saved, the replaced ones, too."""
    recorded = read_episodes(path, cassettes)
    return [episode for episode in (*recorded.episodes, *recorded.replaced) if episode[2]["recorded_at"] <= saved_at]


MOST_TRIED = 1000
"""The most requests that are tried to find those of a trial, of which several may be recorded in each place."""


def _of_trial(row: Row, episodes: Sequence[Episode]) -> str | None:
    """Return the last reply of the chain of requests whose digest is that of a row; None if there is none."""
    tried = 0
    chains: list[list[Episode]] = [[]]
    latest_first = sorted(episodes, key=lambda episode: str(episode[2]["recorded_at"]), reverse=True)
    while chains and tried < MOST_TRIED:
        chain = chains.pop(0)
        follows = {"", *(hashlib.sha256(_content(episode)).hexdigest() for episode in chain)}
        for episode in latest_first:
            if episode[2].get("request", 0) == len(chain) and episode[2].get("after", "") in follows:
                longer = [*chain, episode]
                tried += 1
                if (reply := _reply_of(row, longer)) is not None:
                    return reply
                chains.append(longer)
    return None


def _reply_of(row: Row, chain: Sequence[Episode]) -> str | None:
    """Return the last reply of a chain of requests if it is that of a row."""
    replies = [(episode, _reply(episode)) for episode in chain]
    answered = [episode for episode, reply in replies if reply is not None]  # the others count tokens
    digest = digest_of_all([_sha256(episode) for episode in answered]) if answered else ""
    if not digest.startswith(row.prompt_sha256 or "-"):
        return None
    latency = total([episode[2]["latency_s"] for episode in answered])
    if row.latency_s is not None and (latency is None or abs(latency - row.latency_s) > SAME):
        return None
    own = [reply for episode, reply in replies if episode[2].get("model", row.model) == row.model]
    return next((reply for reply in reversed(own) if reply is not None), None)


SAME = 1e-3
"""Seconds, within which the latency of an answer is that of a row."""


def _content(episode: Episode) -> bytes:
    content = episode[1]["body"]["string"]
    return content.encode() if isinstance(content, str) else bytes(content)


def _sha256(episode: Episode) -> str:
    return str(episode[0].body.decode().removeprefix("sha256:"))


def _reply(episode: Episode) -> str | None:
    try:
        return answer_text(to_answer(episode[0].path, _content(episode), Receipt()))
    except MalformedAnswer:
        return None


def _of_group(group: Sequence[Row], episodes: Sequence[Episode]) -> dict[RowIdentity, str]:
    """Return the replies of a group's rows if the latest answers in its wording are those that it rests on."""
    latest: dict[str, Episode] = {}
    for episode in episodes:
        metadata = episode[2]
        known = latest.get(metadata["trial"])
        if metadata["wording"] == group[0].prompt_digest and (
            known is None or known[2]["recorded_at"] <= metadata["recorded_at"]
        ):
            latest[metadata["trial"]] = episode
    found = [(row, latest.get(trial_of(row))) for row in group]
    answered = [_answered(row, episode) for row, episode in found if episode]
    if len(answered) < len(group) or digest_of_answers(answered) != group[0].answers:
        return {}
    return {row.identity: reply for row, episode in found if episode and (reply := _reply(episode)) is not None}


def _answered(row: Row, episode: Episode) -> Row:
    metadata = episode[2]
    return replace(
        row,
        prompt_sha256=_sha256(episode),
        recorded_at=metadata["recorded_at"],
        latency_s=metadata["latency_s"],
    )
