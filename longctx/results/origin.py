"""Where a run comes from: the pages of its commit and of its CI run."""

from __future__ import annotations

import re
from collections.abc import Mapping

WEB = r"^(https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~+-]+)+)?$"
"""The address of a page: https, a host, a path; no user, no query. Empty for none."""


def origin(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the addresses of the commit and of the CI run; each is empty unless it is one of the server that is named.

    GitHub's variables come first, then GitLab's.
    """
    server, repository = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_REPOSITORY", "")
    if server and repository:
        project = f"{server.rstrip('/')}/{repository}"
        commit, run = environment.get("GITHUB_SHA", ""), environment.get("GITHUB_RUN_ID", "")
        return _page(project, "/commit/", commit), _page(project, "/actions/runs/", run)
    project, job = environment.get("CI_PROJECT_URL", ""), environment.get("CI_JOB_URL", "")
    name = job.removeprefix(f"{project}/-/jobs/")
    return _page(project, "/-/commit/", environment.get("CI_COMMIT_SHA", "")), _page(project, "/-/jobs/", name)


def _page(project: str, kind: str, name: str) -> str:
    """Return the address of a commit or a run of a project; empty if it is not one."""
    address = f"{project}{kind}{name}"
    return address if re.fullmatch("[0-9a-f]{1,64}", name) and re.fullmatch(WEB, address) else ""
