"""The terms of a gate where the base branch has no such profile: no looser than the default's."""

from __future__ import annotations

import subprocess

from longctx.config.profiles import load_profile
from longctx.engine.base_terms import terms_at
from longctx.workspace import Workspace

TABLE = '[line_retrieval]\nmodels = ["toy"]\nlines = [3]\ntrials = 1\n'


def test_a_new_profile_widens_no_margin_and_states_none_of_all_bands(mine: Workspace) -> None:
    def git(*arguments: str) -> None:
        author = "-c", "user.name=a", "-c", "user.email=a@example.org"
        subprocess.run(["git", *author, *arguments], cwd=mine.root, check=True, capture_output=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "base")
    path = mine.own("profiles", "new.toml")
    for stated, kept in ((0.25, 0.05), (0.04, 0.04)):
        path.write_text(f"margin = {stated}\nrun_margin = 0.04\n{TABLE}")
        terms = terms_at(mine, "new", "HEAD", load_profile(mine, "new"))
        assert (terms.margin, terms.run_margin) == (kept, None)
    git("add", ".")
    git("commit", "-q", "-m", "profile")
    own = load_profile(mine, "new")
    path.write_text(f"margin = 0.5\nrun_margin = 0.5\n{TABLE}")
    assert terms_at(mine, "new", "HEAD", load_profile(mine, "new")) == own
