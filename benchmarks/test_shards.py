"""Shards killed in their middle and resumed: no trial is missing, and only what was in flight is paid twice."""

from benchmarks.live.shards import shards


def test_shards(small, capsys):
    figures = dict(shards(400, 2) if small else shards(2000))
    with capsys.disabled():
        print("", *(f"{what}: {figure}" for what, figure in figures.items()), sep="\n")
    assert figures["killed while asking, and resumed"] == f"{2 if small else 8}; shards that failed otherwise: 0"
    assert figures["answers paid for"].endswith("without one: 0")
    assert figures["paid twice"].endswith("beyond these 0")
    assert figures["missing after the merge, there twice"] == "0, 0"
