"""Rows for `longctx gate` from a log of inspect_ai: python from_inspect_ai.py LOG.json SCORER > rows.jsonl

An .eval log becomes JSON by `inspect log dump LOG.eval > LOG.json`.
"""

import json
import sys
from pathlib import Path

CORRECT = {"C": True, "I": False, 1: True, 0: False}  # True and False are found as 1 and 0

log = json.loads(Path(sys.argv[1]).read_text("utf-8"))
for sample in log["samples"]:
    value = sample.get("scores", {}).get(sys.argv[2], {}).get("value")
    usage = sample.get("model_usage", {}).values()
    costs = [used["total_cost"] for used in usage if used.get("total_cost") is not None]
    metadata = sample.get("metadata", {})
    row = {"id": str(sample["id"]), "correct": None if sample.get("error") else CORRECT.get(value)}
    row |= {name: str(metadata[name]) for name in ("band", "cluster") if name in metadata}
    print(json.dumps(row | ({"cost": sum(costs)} if costs else {})))
