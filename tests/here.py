"""The workspace of this checkout, for tests of what it ships."""

from pathlib import Path

from longctx.workspace import Workspace

HERE = Workspace(Path(__file__).resolve().parents[1])
