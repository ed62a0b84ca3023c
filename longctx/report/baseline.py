"""What a baseline holds, as a table."""

from __future__ import annotations

import pandas as pd

from longctx.compare.pairs import by_family
from longctx.report.table import Table
from longctx.stats.rates import Rate
from longctx.vocabulary.scenario import MEASURED


def rates(rows: pd.DataFrame) -> Table:
    """The rate of each scenario of each subject, and its band. rows: of a baseline."""
    found = [
        {
            "family": family,
            "subject": str(subject),
            "band": group["band"].iloc[0] or "not gated",
            "scenario": str(name),
            "rate": str(Rate(int((group["outcome"] == "correct").sum()), int(group["outcome"].isin(MEASURED).sum()))),
        }
        for family, subjects in by_family(rows).items()
        for subject, of_subject in subjects.items()
        for name, group in of_subject.groupby("scenario", sort=False)
    ]
    return Table("Rates [95% interval]", pd.DataFrame(found).set_index("family"))
