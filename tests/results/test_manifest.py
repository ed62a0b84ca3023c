"""run.json: written and read as it was."""

from dataclasses import replace
from pathlib import Path

import pytest

from longctx.results.manifest import load_manifest, require_manifest
from tests.refusals import refused
from tests.report.sample import MANIFEST


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    manifest = replace(MANIFEST, labels={"steps": "200"}, about='ü "quoted"\n<b>')
    manifest.write(tmp_path)
    assert load_manifest(tmp_path) == manifest


def test_a_folder_without_a_run_has_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_manifest(tmp_path)
    with refused("manifest-missing"):
        require_manifest(tmp_path)
