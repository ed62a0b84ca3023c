"""The bounds of asking."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.live.bounds import SPARED, Bounds, Terms

resource = pytest.importorskip("resource")


@pytest.mark.parametrize(
    ("free", "most"), [(SPARED + 10, 10), (SPARED, 1), (2, 1), (100_000, 64)], ids=["some", "spared", "none", "many"]
)
def test_as_many_are_in_flight_as_there_are_files_to_open(
    monkeypatch: pytest.MonkeyPatch, free: int, most: int
) -> None:
    opened = len(list(Path("/dev/fd").iterdir()))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (opened + free, resource.RLIM_INFINITY))
    said = list[str]()
    Terms(in_flight=64).say_few(said.append)
    assert Bounds.of(64).limits.ceiling == most
    assert [sentence.partition(" at once")[0] for sentence in said] == (
        [] if most == 64 else [f"At most {most} request{'s' if most > 1 else ''}"]
    )
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert Bounds.of(64).limits.ceiling == 64
