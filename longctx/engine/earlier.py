"""The baseline's answers to the trials of a run: from its folder, from the baseline itself, or from the recordings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longctx.config.files import file_name
from longctx.engine.terms import trial_of
from longctx.errors import UserError
from longctx.recording.apis import to_reply
from longctx.recording.apis.messages import Receipt
from longctx.recording.episodes import Episode, read_episodes
from longctx.recording.reply import MalformedAnswer
from longctx.report.page.contents import Earlier, RowIdentity, earlier_rows
from longctx.results.baseline import Baseline
from longctx.results.row import Row, grouped
from longctx.results.store import by_group, digest_of_answers, load, with_answers
from longctx.vocabulary.declaration import Protocol


def earlier_answers(
    baseline: Baseline,
    rows: Sequence[Row],
    cassettes: Path | None,
    text: bool = True,
    tests: Mapping[str, Protocol] | None = None,
) -> dict[RowIdentity, Earlier]:
    """Return what the baseline answered to each trial of a run, by the identity of the run's row.

    cassettes: the recordings in which replies are looked up that the baseline does not hold; None for none. text: False
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


def views_of(baseline: Baseline, wanted: Sequence[Row], cassettes: Path | None) -> dict[RowIdentity, Mapping[str, Any]]:
    """Return the views of a baseline's rows, or the replies that are known of them, by the identity of the row.

    wanted: the rows whose cells are looked up in the recordings, if the baseline holds no replies.
    """
    if baseline.folder is not None:
        return {row.identity: view for row, view in load(baseline.folder).seen()}
    kept: Mapping[RowIdentity, str] = baseline.replies
    if not kept and cassettes is not None:
        kept = recorded_replies(baseline.rows, wanted, cassettes, baseline.saved_at)
    return {identity: {"reply": reply} for identity, reply in kept.items()}


def recorded_replies(
    rows: Sequence[Row], wanted: Sequence[Row], cassettes: Path, saved_at: str
) -> dict[RowIdentity, str]:
    """Return the recorded replies behind the rows of a baseline. wanted: the rows whose cells are looked up.

    A group of rows has replies only if the recorded answers have the digest that the baseline kept of its own.
    """
    replies: dict[RowIdentity, str] = {}
    files = {(row.model, row.test, row.cell) for row in wanted}
    for (model, test, name), of_file in grouped(rows, lambda row: (row.model, row.test, row.cell)).items():
        if (model, test, name) not in files:
            continue
        file = f"{file_name(model)}/{test}/{name}.jsonl"
        replaced: list[Episode] = []
        try:
            episodes = [
                episode
                for episode in (*read_episodes(cassettes / file, cassettes, replaced)[0], *replaced)
                if episode[2].get("model", model) == model and episode[2]["recorded_at"] <= saved_at
            ]
        except (UserError, ValueError):  # a damaged file, or a name in the baseline that is no file's or leads away
            continue
        for group in by_group(of_file).values():
            replies |= _of_group(group, episodes)
    return replies


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
    return dict(_texts([(row, episode) for row, episode in found if episode]))


def _answered(row: Row, episode: Episode) -> Row:
    request, _, metadata = episode
    sha256 = request.body.decode().removeprefix("sha256:")
    return replace(row, prompt_sha256=sha256, recorded_at=metadata["recorded_at"], latency_s=metadata["latency_s"])


def _texts(found: Sequence[tuple[Row, Episode]]) -> Iterator[tuple[RowIdentity, str]]:
    for row, (request, response, _) in found:
        try:
            yield row.identity, to_reply(request.path, response["body"]["string"], Receipt()).text
        except MalformedAnswer:
            continue
