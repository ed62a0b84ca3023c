"""Model profiles: one that was measured, and those that are shipped."""

import datetime

from longctx.config.models import TokenCounts
from longctx.workspace import packaged

SHIPPED = [path.stem for path in sorted((packaged() / "models").glob("*.toml"))]
MEASURED = TokenCounts(
    test="passkey",
    wording="0123456789ab",
    on=datetime.date(2026, 11, 21),
    values={"filler": 24.0167, "fixed": 94, "after_key": 15},
)
