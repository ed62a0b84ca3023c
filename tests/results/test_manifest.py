"""run.json: written and read as it was."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from longctx.results.manifest import RecordedTerms, load_manifest, require_manifest
from tests.refusals import refused
from tests.report.sample import MANIFEST


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    manifest = replace(MANIFEST, labels={"steps": "200"}, about='ü "quoted"\n<b>')
    manifest.write(tmp_path)
    assert load_manifest(tmp_path) == manifest


def test_a_manifest_may_have_no_terms(tmp_path: Path) -> None:
    replace(MANIFEST, terms=RecordedTerms(margin=0.1, alpha=0.05)).write(tmp_path)
    content = json.loads((tmp_path / "run.json").read_text())
    assert content.pop("terms") == {"margin": 0.1, "alpha": 0.05, "run_margin": None}
    (tmp_path / "run.json").write_text(json.dumps(content))
    assert load_manifest(tmp_path).terms is None


def test_a_folder_without_a_run_has_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_manifest(tmp_path)
    with refused("manifest-missing"):
        require_manifest(tmp_path)


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "http://a.example/b", "https://u@a.example/b", "//a.example/b"]
)
def test_a_link_that_is_no_page_is_refused(tmp_path: Path, address: str) -> None:
    replace(MANIFEST, ci_run=address).write(tmp_path)
    with refused("damaged-run", "ci_run"):
        load_manifest(tmp_path)
