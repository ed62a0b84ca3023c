"""Several runs as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.results.manifest import RecordedTerms, load_manifest
from longctx.results.merged_manifest import merge_manifests
from longctx.results.merging import merge_rows
from longctx.results.row import Row
from longctx.results.store import load, write
from tests.refusals import refused
from tests.rows import bare as row
from tests.run_folders import finished

ANSWERED: dict[str, Any] = {"prompt_sha256": "ab", "recorded_at": "2026-11-21T10:00:00+00:00", "source": "replayed"}
UNMEASURED: dict[str, Any] = {"outcome": "not_asked", "error": "missing"}


def answered(**fields: Any) -> Row:
    return row(**ANSWERED | fields)


def run(folder: Path, *rows: Row, **fields: Any) -> Path:
    """Return the folder of a finished run; the reply of each view is the folder's name."""
    return finished(folder, rows, folder.name, **{"version": "1", "profile": "p", "about": "a"} | fields)


def test_shards_become_one_run_with_their_views(tmp_path: Path) -> None:
    first = run(tmp_path / "a", answered(trial=1), answered(cell="lines-10"))
    second = run(tmp_path / "b", answered(trial=0))
    (tmp_path / "out").mkdir()
    write(tmp_path / "out", merge_rows([first, second]))
    assert [(row.cell, row.trial) for row in load(tmp_path / "out").rows] == [
        ("lines-5", 0),
        ("lines-5", 1),
        ("lines-10", 0),
    ]
    assert [seen["reply"] for _, seen in load(tmp_path / "out").seen()] == ["b", "a", "a"]


def test_runs_with_labels_stay_apart_and_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    runs = [run(tmp_path / steps, answered(labels={"steps": steps}, prompt_digest=steps)) for steps in ("1000", "200")]
    (tmp_path / "out").mkdir()
    record = write(tmp_path / "out", merge_rows(runs))
    assert [row.labels["steps"] for row in record.rows] == ["200", "1000"]


def test_what_is_reported_once_of_a_cell_is_joined_and_may_not_differ(tmp_path: Path) -> None:
    one, other = {"lines-5 of a": {"kept": 41}}, {"lines-5 of b": {"kept": 38}}
    runs = [run(tmp_path / "a", facts=one), run(tmp_path / "b", facts=other, looks="few"), run(tmp_path / "c")]
    united = merge_manifests(runs, "all")
    assert (united.facts, united.looks) == (one | other, "few")
    runs.append(run(tmp_path / "d", facts={"lines-5 of a": {"kept": 40}}))
    for order in (runs, runs[::-1]):
        with refused("drawn-differently", "lines-5 of a", "kept is 41 in the run a and 40 in the run d"):
            merge_manifests(order, "all")


def test_merged_runs_are_judged_by_the_strictest_terms(tmp_path: Path) -> None:
    lax = RecordedTerms(margin=0.1, alpha=0.01)
    strict = RecordedTerms(margin=0.05, alpha=0.05, run_margin=0.02)
    runs = [run(tmp_path / "a", terms=lax), run(tmp_path / "b", terms=strict)]
    assert merge_manifests(runs, "all").terms == RecordedTerms(margin=0.05, alpha=0.01, run_margin=0.02)
    runs.append(run(tmp_path / "c"))
    assert merge_manifests(runs, "all").terms is None, "those of one are not known"


def test_a_report_is_declared_if_one_of_the_runs_declares_it(tmp_path: Path) -> None:
    declared = {"a": {"test_keys": False, "test_days": False}, "b": {"test_keys": True}, "c": {}}
    runs = [run(tmp_path / name, reports=reports) for name, reports in declared.items()]
    assert merge_manifests(runs, "all").reports == {"test_days": False, "test_keys": True}


def test_one_answer_counts_once(tmp_path: Path) -> None:
    live = run(tmp_path / "live", answered(source="live"))
    replayed = run(tmp_path / "again", answered())
    for runs in ([live, replayed], [replayed, live]):
        [(joined, _)] = merge_rows(runs)
        assert '"source":"live"' in joined


@pytest.mark.parametrize("second", [{}, {"source": "live"}, {"recorded_at": "2026-11-22"}, UNMEASURED])
def test_a_run_that_holds_a_trial_in_two_rows_is_refused(tmp_path: Path, second: dict[str, Any]) -> None:
    twice, other = run(tmp_path / "a", answered()), run(tmp_path / "b", answered(trial=1))
    with (twice / "results.jsonl").open("a") as file:
        file.write(answered(**second).to_json() + "\n")
    for folders in ([twice, other], [other, twice], [twice]):
        with refused("trial-in-two-rows", tmp_path / "a", "trial 0 of line_retrieval lines-5"):
            merge_rows(folders)
    with refused("trial-in-two-rows", tmp_path / "a"):
        load(twice)


def test_what_was_measured_counts_before_what_was_not(tmp_path: Path) -> None:
    runs = [
        run(tmp_path / "a", row(**UNMEASURED)),
        run(tmp_path / "b", answered()),
        run(tmp_path / "c", row(**UNMEASURED)),
    ]
    for order in (runs, runs[::-1]):
        [(joined, _)] = merge_rows(order)
        assert '"outcome":"correct"' in joined


def test_two_answers_are_refused(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", answered()), run(tmp_path / "b", answered(recorded_at="2026-11-22"))
    with refused("answered-twice", "lines-5#0 of some-model, prompts protocol", "--ctx-label"):
        merge_rows([first, second])
    other_request = run(tmp_path / "c", answered(prompt_sha256="cd"))
    with refused("answered-twice"):
        merge_rows([first, other_request])


def test_one_answer_judged_twice_is_refused(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", answered()), run(tmp_path / "b", answered(outcome="wrong"))
    with refused("judged-twice"):
        merge_rows([first, second])


def test_one_name_for_different_words_is_refused_unless_labels_differ(tmp_path: Path) -> None:
    first, second = run(tmp_path / "a", answered()), run(tmp_path / "b", answered(trial=1, prompt_digest="other"))
    with refused("prompt-sets-differ", "line_retrieval", "b (other)"):
        merge_rows([first, second])
    labelled = run(tmp_path / "c", answered(trial=1, prompt_digest="other", labels={"wording": "new"}))
    assert len(list(merge_rows([first, labelled]))) == 2


ROWS = st.lists(
    st.builds(
        lambda trial, seed, steps, measured: (answered if measured else row)(
            trial=trial, seed=seed, labels={"steps": steps} if steps else {}, **({} if measured else UNMEASURED)
        ),
        st.integers(0, 2), st.integers(0, 1), st.sampled_from(["", "9", "10"]), st.booleans(),
    ),
    min_size=1, max_size=5, unique_by=lambda row: (row.trial, row.seed, str(row.labels)),
)  # fmt: skip


@given(st.lists(ROWS, min_size=1, max_size=3), st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_the_order_of_the_runs_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[Row]], random: Any
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    folders = [run(folder / str(place), *rows) for place, rows in enumerate(runs)]
    expected = sorted(merge_rows(folders)), merge_manifests(folders, "all")
    random.shuffle(folders)
    assert (sorted(merge_rows(folders)), merge_manifests(folders, "all")) == expected
    (folder / "out").mkdir()
    write(folder / "out", expected[0])
    expected[1].write(folder / "out")
    assert len(load(folder / "out").rows) == len(
        {(row.trial, row.seed, str(row.labels)) for rows in runs for row in rows}
    )
    assert load_manifest(folder / "out") == expected[1]


def test_a_manifest_says_what_the_runs_share(tmp_path: Path) -> None:
    first = run(tmp_path / "a", answered(), labels={"steps": "200", "method": "PI"}, options=("--ctx-model=a",))
    second = run(
        tmp_path / "b", answered(trial=1), labels={"steps": "400", "method": "PI"}, options=("--ctx-model=b",),
        version="2", profile="other", profile_digest="e", seed=4, finished_at="2027",
    )  # fmt: skip
    united = merge_manifests([second, first], "both")
    assert (united.run, united.version, united.profile, united.profile_digest) == ("both", "1, 2", "other, p", "")
    assert (united.seed, united.labels, united.options, united.finished_at) == (None, {"method": "PI"}, (), "2027")
    assert [(merged["run"], merged["seed"]) for merged in united.merged] == [("a", 0), ("b", 4)]
    same = merge_manifests([first], "one")
    assert (same.seed, same.options, same.profile_digest) == (0, ("--ctx-model=a",), "d")


def test_what_runs_say_of_a_model_is_kept_where_they_agree(tmp_path: Path) -> None:
    first = run(tmp_path / "a", answered(), sent_as={"low": "opus", "high": "opus"}, prices={"toy": {"input": 1}})
    second = run(tmp_path / "b", answered(trial=1), sent_as={"low": "opus", "high": "sonnet"})
    united = merge_manifests([first, second], "both")
    assert (united.sent_as, united.prices) == ({"low": "opus"}, {"toy": {"input": 1}})


def test_merging_what_was_merged_names_the_first_runs(tmp_path: Path) -> None:
    runs = [run(tmp_path / name, answered(trial=place)) for place, name in enumerate("abc")]
    both = tmp_path / "both"
    both.mkdir()
    write(both, merge_rows(runs[:2]))
    merge_manifests(runs[:2], "both").write(both)
    assert sorted(merge_rows([both, *runs])) == sorted(merge_rows(runs))
    assert merge_manifests([both, runs[2]], "all") == merge_manifests(runs, "all")


def test_a_run_without_its_manifest_is_a_sentence(tmp_path: Path) -> None:
    (run(tmp_path / "a", answered()) / "run.json").unlink()
    with refused("manifest-missing", "/a "):
        merge_manifests([tmp_path / "a"], "x")


def test_shards_add_their_tests_and_share_their_commit(tmp_path: Path) -> None:
    commit = {"commit": "https://host/o/r/commit/0"}
    first = run(tmp_path / "a", row(trial=0), tests={"passed": 2}, **commit, ci_run="https://host/o/r/actions/runs/1")
    second = run(tmp_path / "b", row(trial=1), tests={"passed": 1, "failed": 1}, **commit)
    merged = merge_manifests([first, second], "merged")
    assert (merged.tests, merged.commit, merged.ci_run) == ({"passed": 3, "failed": 1}, commit["commit"], "")


def test_the_texts_of_shards_are_kept_once(tmp_path: Path) -> None:
    first = run(tmp_path / "a", texts={"system": {"0a1b2c3d": "A"}})
    second = run(tmp_path / "b", texts={"system": {"0a1b2c3d": "A", "11112222": "B"}})
    united = merge_manifests([first, second], "all")
    assert united.texts == {"system": {"0a1b2c3d": "A", "11112222": "B"}}
    assert not any(part.get("texts") for part in united.merged)
    (tmp_path / "all").mkdir()
    united.write(tmp_path / "all")
    write(tmp_path / "all", [])
    again = merge_manifests([tmp_path / "all", first], "again")
    assert (again.texts, len(again.merged)) == (united.texts, 2)
