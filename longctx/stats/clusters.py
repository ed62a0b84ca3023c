"""How much less trials that share something tell than independent ones."""

from __future__ import annotations

from collections.abc import Sequence


def design_effect(clusters: Sequence[Sequence[float]]) -> float:
    """Return how many clustered trials carry as much information as one independent trial; at least 1.

    If no trial changed, the correlation within clusters cannot be estimated, and each cluster counts as one trial.
    """
    sizes = [size for size in map(len, clusters) if size]
    trials = sum(sizes)
    if len(sizes) == trials:
        return 1.0
    sums = [sum(cluster) for cluster in clusters if cluster]
    squares = sum(change * change for cluster in clusters for change in cluster)
    mean = sum(sums) / trials
    independent = squares - trials * mean * mean
    if len(sizes) < 2 or independent < 1e-9:
        return trials / len(sizes)
    clustered = sum((total - size * mean) ** 2 for total, size in zip(sums, sizes, strict=True))
    return max(1.0, clustered / independent * len(sizes) / (len(sizes) - 1))
