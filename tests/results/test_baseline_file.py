"""Saving a run as a baseline, and loading it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from longctx.results.baseline_file import (
    LETTERS,
    add_to_baseline,
    load_baseline,
    load_manifest_of,
    write_baseline,
)
from longctx.results.store import load_rows
from tests.cli.runs import rows, run
from tests.given import written
from tests.refusals import refused
from tests.run_folders import finished

KEPT = ["test", "version", "model", "prompt_set", "prompt_digest", "labels", "cell", "params", "band"]
KEPT += ["cluster", "seed", "trial", "item", "repeat", "outcome"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    qa = [
        row
        for trial in (7, 3)
        for row in rows("correct", item=f"q{trial}@0123456789ab", test="collage", cell="depth-0", cluster="section-1")
    ]
    qa = [replace(row, trial=trial) for row, trial in zip(qa, (7, 3), strict=True)]
    return run(
        tmp_path / "run",
        rows(*LETTERS.values(), band="short"),
        rows("correct", "wrong", repeat=1, band="short"),
        rows("correct", "wrong", cell="of one cluster", cluster="k-128"),
        [replace(row, cluster=f"graph-{row.trial}") for row in rows("correct", "wrong", cell="of several")],
        qa,
        filters=({"model": "some-model", "bank": "bank", "kept": ["q3", "q7"]},),
    )


def saved(tmp_path: Path, folder: Path) -> Path:
    write_baseline(tmp_path / "b.jsonl", "b", folder)
    return tmp_path / "b.jsonl"


def test_outcomes_by_trial_come_back(tmp_path: Path, folder: Path) -> None:
    loaded = load_baseline(saved(tmp_path, folder))
    before, after = (
        sorted(json.dumps([getattr(row, name) for name in KEPT]) for row in rows)
        for rows in (load_rows(folder), loaded.rows)
    )
    assert before == after
    assert (loaded.name, loaded.manifest.filters[0]["kept"]) == ("b", ["q3", "q7"])


def test_the_parts_of_requests_take_a_few_bytes_a_trial(tmp_path: Path) -> None:
    """What all trials of a group share is kept once, and of the rest the beginning of each digest."""
    own = [
        replace(row, request_parts=f"messages={row.trial:04x}ffff system=aaaabbbb") for row in rows(*["correct"] * 500)
    ]
    some, none = rows("correct", "wrong", cell="mixed")
    mixed = [replace(some, request_parts="system=aaaabbbb"), none]
    folder = run(tmp_path / "run", own, rows("correct", cell="unknown"), mixed)
    write_baseline(tmp_path / "b.jsonl", "b", folder)
    kept = {row.identity: row.request_parts for row in load_baseline(tmp_path / "b.jsonl").rows}
    assert [kept[row.identity] for row in own] == [f"messages={trial:04x} system=aaaa" for trial in range(500)]
    assert sorted({*kept.values()} - {kept[row.identity] for row in own}, key=str) == [None, "system=aaaa"]
    groups = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()[1:]]
    assert len(json.dumps(next(group["parts"] for group in groups if len(group["outcomes"]) == 500))) < 500 * 4 + 60


def test_the_code_of_a_test_comes_back(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", [replace(row, code="aaaabbbbcccc") for row in rows("correct", "wrong")])
    file = saved(tmp_path, folder)
    assert {row.code for row in load_baseline(file).rows} == {"aaaabbbbcccc"}
    assert file.read_text().count("aaaabbbbcccc") == 1


def test_what_judges_trials_comes_back(tmp_path: Path) -> None:
    """What all trials of a group share, such as their judge, is kept once."""
    own = [replace(row, judged_by=f"case={row.trial:012x} judge=aaaabbbbcccc") for row in rows(*["correct"] * 500)]
    folder = run(tmp_path / "run", own, rows("correct", cell="unknown"))
    file = saved(tmp_path, folder)
    kept = {row.identity: row.judged_by for row in load_baseline(file).rows}
    assert [kept[row.identity] for row in own] == [row.judged_by for row in own]
    assert len(kept) == 501
    assert file.read_text().count("aaaabbbbcccc") == 1
    file.write_text(file.read_text().replace('"case":["000000000000",', '"case":['))
    with refused("bad-baseline", "do not match 500 trials"):
        load_baseline(file)


def test_a_baseline_with_damaged_parts_is_refused(tmp_path: Path, folder: Path) -> None:
    file = saved(tmp_path, folder)
    file.write_text(file.read_text().replace('"outcomes"', '"parts":{"messages":"aaaabb"},"outcomes"', 1))
    with refused("bad-baseline", "the digests of messages are not those of"):
        load_baseline(file)


def test_a_run_rests_on_the_same_answers_when_it_is_read_back(tmp_path: Path) -> None:
    """Parameters may vary within a cell: a collage has four sections, or five."""
    several = [replace(row, params={"sections": 4 + row.trial % 2}) for row in rows(*["correct"] * 5)]
    others = rows("wrong", cell="lines-9"), rows("not_asked", cell="lines-12", prompt_sha256=None)
    folder = run(tmp_path / "run", several, *others)
    runs = [load_baseline(path).rows for path in (folder, saved(tmp_path, folder))]
    before, after = ({(row.cell, row.trial, row.outcome): row.answers for row in run_rows} for run_rows in runs)
    assert before == after
    assert len({digest for digest in before.values() if digest}) == 3


def test_no_text_is_kept(tmp_path: Path, folder: Path) -> None:
    text = saved(tmp_path, folder).read_text()
    assert '"returned"' not in text
    assert '"expected"' not in text
    assert "second line" not in text


def test_one_line_a_cell_one_letter_a_trial(tmp_path: Path, folder: Path) -> None:
    head, *lines = map(json.loads, saved(tmp_path, folder).read_text().splitlines())
    assert (head["schema"], head["questions"]) == (
        1,
        {"0123456789ab": {"3": ["q3", "section-1"], "7": ["q7", "section-1"]}},
    )
    assert [(line["cell"], line["repeat"], line["outcomes"], line["trials"]) for line in lines] == [
        ("depth-0", 0, "cc", [3, 7]),
        ("lines-5", 0, "cwurtin", None),
        ("lines-5", 1, "cw", None),
        ("of one cluster", 0, "cw", None),
        ("of several", 0, "cw", None),
    ]
    assert [line["clusters"] for line in lines] == [None, None, None, "k-128", ["graph-0", "graph-1"]]


def test_a_runs_folder_is_a_baseline_too(folder: Path) -> None:
    loaded = load_baseline(folder)
    assert (loaded.name, len(loaded.rows)) == ("run", 15)
    assert load_manifest_of(folder) == loaded.manifest


@pytest.mark.parametrize(
    ("text", "code", "name"),
    [
        ("", "bad-baseline", "first line"),
        ("{}\n", "bad-baseline", "first line"),
        ("[1]\n", "bad-baseline", "first line"),
        ("{cut", "bad-baseline", "b.jsonl"),
        ('{"schema": 99, "run": {"version": "9.9"}}\n', "baseline-of-other-schema", "9.9"),
    ],
)
def test_an_invalid_baseline_is_named(tmp_path: Path, text: str, code: str, name: str) -> None:
    path = written(tmp_path / "b.jsonl", text)
    with refused(code, name):
        load_baseline(path)


def test_a_damaged_line_is_an_error(tmp_path: Path, folder: Path) -> None:
    path = saved(tmp_path, folder)
    text = path.read_text()
    for damage in (('"outcomes":"cc"', '"outcomes":"cx"'), ('"profile"', '"prfile"'), ('"outcomes":"cc"}', "")):
        path.write_text(text.replace(*damage))
        with refused("bad-baseline"):
            load_baseline(path)


def test_what_each_trial_took_comes_back(tmp_path: Path) -> None:
    took = {"input_tokens": 100, "output_tokens": 5, "thinking_tokens": 3, "latency_s": 0.25, "cost_usd": 0.001}
    batched = rows("correct", cell="batched", cost_usd=0.5, batch_discount=0.5)
    folder = run(tmp_path / "run", rows("correct", "wrong", **took), batched)
    loaded = {row.cell: row for row in load_baseline(saved(tmp_path, folder)).rows}
    kept = next(row for name, row in loaded.items() if name != "batched")
    assert {name: getattr(kept, name) for name in took} == took
    assert (loaded["batched"].cost_usd, loaded["batched"].batch_discount, loaded["batched"].latency_s) == (
        0.5,
        0.5,
        1.0,
    )


def test_partial_credit_comes_back_where_there_is_any(tmp_path: Path) -> None:
    wrong, unread = rows("wrong", "unparseable", cell="credited")
    folder = run(tmp_path / "run", rows("correct", "wrong"), [replace(wrong, trace={"credit": 750, "off": 1}), unread])
    file = saved(tmp_path, folder)
    assert file.read_text().count('"credit"') == 1
    traces = {(row.cell, row.outcome): dict(row.trace) for row in load_baseline(file).rows}
    assert traces["credited", "wrong"] == {"credit": 750}
    assert [trace for name, trace in traces.items() if name != ("credited", "wrong")] == [{}] * 3


def test_replies_are_kept_only_on_demand(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", rows("correct", "wrong"), "The value is 12345.")
    write_baseline(tmp_path / "bare.jsonl", "bare", folder)
    write_baseline(tmp_path / "full.jsonl", "full", folder, with_replies=True)
    assert "12345." not in (tmp_path / "bare.jsonl").read_text()
    assert load_baseline(tmp_path / "bare.jsonl").replies == {}
    full = load_baseline(tmp_path / "full.jsonl")
    assert [full.replies[row.identity] for row in full.rows] == ["The value is 12345."] * 2


def test_usage_of_another_length_than_its_trials_is_refused(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", rows("correct", "wrong", cost_usd=0.001))
    file = saved(tmp_path, folder)
    file.write_text(file.read_text().replace('"cost_usd":[0.001,0.001]', '"cost_usd":[0.001]'))
    with refused("bad-baseline"):
        load_baseline(file)


def test_a_further_run_adds_the_texts_that_an_earlier_one_lacks(tmp_path: Path, folder: Path) -> None:
    texts = {"system": {"0a1b2c3d": "Be brief."}}
    with_texts = run(tmp_path / "texts", rows("correct", repeat=1), texts=texts)
    file, further = saved(tmp_path, folder), tmp_path / "further.jsonl"
    for kept, to in ((file, further), (further, tmp_path / "b.jsonl")):
        add_to_baseline(to, kept, with_texts, load_rows(with_texts))
        assert load_baseline(to).manifest.texts == texts
    write_baseline(file, "b", with_texts)
    add_to_baseline(further, file, with_texts, load_rows(with_texts))
    assert further.read_text().count("Be brief.") == 1, "the same requests need no second copy"
    assert load_baseline(further).manifest.texts == texts
