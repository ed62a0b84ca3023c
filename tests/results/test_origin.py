"""The addresses of a run's commit and CI run, from the variables of GitHub and GitLab, which others may have set."""

from __future__ import annotations

import pytest

from longctx.results.row import origin

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
