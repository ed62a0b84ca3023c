"""Files of the repository as pages of the site."""

from __future__ import annotations

import pytest

from tools.site.repository import REPORT, outside, site_path, with_links

PAGES = {name: site_path(name) for name in ("README.md", "docs/gate.md", "docs/images/report.png", REPORT)}


def test_what_is_in_docs_is_at_the_top_of_the_site_and_the_readme_is_its_first_page() -> None:
    assert PAGES == {
        "README.md": "index.md",
        "docs/gate.md": "gate.md",
        "docs/images/report.png": "images/report.png",
        REPORT: "report.html",
    }
    assert {"README.md", "CHANGELOG.md", "cassettes/README.md", "benchmarks/live/RESULTS.md"} <= {*outside()}


@pytest.mark.parametrize(
    ("file", "text", "shown"),
    [
        ("README.md", "[the gate](docs/gate.md#baselines)", "[the gate](gate.md#baselines)"),
        ("README.md", "![a report](docs/images/report.png)", "![a report](images/report.png)"),
        ("README.md", "[one](reports/reference/), [two](reports/reference)", "[one](report.html), [two](report.html)"),
        ("docs/gate.md", "[start](../README.md)", "[start](index.md)"),
        ("docs/gate.md", "[the script](../.ci/run)", "the script (`.ci/run`)"),
        ("docs/gate.md", "[`.ci/run`](../.ci/run)", "`.ci/run`"),
        ("docs/gate.md", "[lost](nothing.md)", "[lost](nothing.md)"),
        (
            "docs/gate.md",
            "[here](#baselines), [there](https://example.org/a)",
            "[here](#baselines), [there](https://example.org/a)",
        ),
        ("docs/gate.md", "```sh\n[a](../.ci/run)\n```", "```sh\n[a](../.ci/run)\n```"),
    ],
)
def test_links_lead_where_the_site_has_what_they_mean(file: str, text: str, shown: str) -> None:
    assert with_links(text, file, PAGES) == shown
