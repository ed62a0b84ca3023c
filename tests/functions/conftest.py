from pathlib import Path

import pytest

from longctx.recording.tape import Tape


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    return Tape(tmp_path, "once", run="first")
