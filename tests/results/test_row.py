"""A row as a line of JSON, its subject, and the addresses of a run's commit and CI run, which others may have set."""

from __future__ import annotations

import dataclasses
import json

import pytest

from longctx.results.origin import origin
from longctx.results.row import Row, Subject
from tests.rows import bare

ROW = bare(trial=3, outcome="wrong", returned='ü "quoted"\nand more', trace={"line": 2})


def test_a_row_is_one_line_with_every_field() -> None:
    text = ROW.to_json()
    assert "\n" not in text
    kept = json.loads(text)
    assert set(kept) == {field.name for field in dataclasses.fields(Row)} - {"answers"}
    assert Row.of(kept) == ROW


def test_what_was_never_known_is_null() -> None:
    written = json.loads(ROW.to_json())
    assert (written["error"], written["depth"], written["params"]["block_size"]) == (None, None, None)


@pytest.mark.parametrize(
    ("test", "version", "item", "name"),
    [
        ("line_retrieval", 1, None, "3"),
        ("collage", 1, "q7@0123456789ab", "3"),
        ("collage", 2, "q7@0123456789ab", "q7"),
        ("collage", 2, "q@7@0123456789ab", "q@7"),
        ("test_review", 1, "contract-1@home", "contract-1@home"),
        ("test_review", 1, None, "3"),
    ],
)
def test_what_a_trial_is_called(test: str, version: int, item: str | None, name: str) -> None:
    assert dataclasses.replace(ROW, test=test, version=version, item=item).name == name


SHA = "0123456789abcdef0123456789abcdef01234567"
GITHUB = {
    "GITHUB_SERVER_URL": "https://github.example:8443",
    "GITHUB_REPOSITORY": "an-owner/a.repo",
    "GITHUB_SHA": SHA,
    "GITHUB_RUN_ID": "77",
}
GITLAB = {
    "CI_PROJECT_URL": "https://gitlab.example/group/sub/project",
    "CI_COMMIT_SHA": SHA,
    "CI_JOB_URL": "https://gitlab.example/group/sub/project/-/jobs/5",
}


def test_github_and_gitlab_name_their_pages() -> None:
    repository = "https://github.example:8443/an-owner/a.repo"
    assert origin(GITHUB) == (f"{repository}/commit/{SHA}", f"{repository}/actions/runs/77")
    project = "https://gitlab.example/group/sub/project"
    assert origin(GITLAB) == (f"{project}/-/commit/{SHA}", f"{project}/-/jobs/5")
    assert origin({}) == ("", "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("GITHUB_SERVER_URL", value)
            for value in ("http://github.example", "javascript:alert(1)", "https://a@b", "")
        ),
        *(("GITHUB_REPOSITORY", value) for value in ("o/r?x", 'o/r"><b>', "o/r#", "o r", "")),
        ("CI_PROJECT_URL", "http://gitlab.example/p"),
        ("CI_PROJECT_URL", "https://user:secret@gitlab.example/p"),
    ],
)
def test_what_is_no_page_of_a_server_gives_no_link(name: str, value: str) -> None:
    environment = GITHUB if name.startswith("GITHUB") else GITLAB
    assert origin({**environment, name: value}) == ("", "")


def test_a_run_on_another_host_gives_no_link() -> None:
    assert origin({**GITLAB, "CI_JOB_URL": "https://elsewhere.example/group/sub/project/-/jobs/5"})[1] == ""
    assert origin({**GITHUB, "GITHUB_RUN_ID": "../../../x", "GITHUB_SHA": "main"}) == ("", "")


def test_labels_are_shown_in_the_order_of_their_names() -> None:
    subject = Subject.of("m", "protocol", {"steps": "200", "method": "PI"})
    assert subject == Subject.of("m", "protocol", {"method": "PI", "steps": "200"})
    assert str(subject) == "m, prompts protocol, method=PI steps=200"
    assert str(Subject.of("m", "mine", {})) == "m, prompts mine"
