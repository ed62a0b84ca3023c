"""Rows for `longctx gate` from an experiment of Braintrust that was exported as JSON:

python from_braintrust.py experiment.json SCORE > rows.jsonl
"""

import json
import sys
from pathlib import Path

events = json.loads(Path(sys.argv[1]).read_text("utf-8"))
for event in events.get("events", []) if isinstance(events, dict) else events:
    if event.get("span_id") != event.get("root_span_id"):
        continue  # a step of a trace, and not a case
    score, metadata = (event.get("scores") or {}).get(sys.argv[2]), event.get("metadata") or {}
    item = metadata.get("id") or event.get("dataset_record_id") or json.dumps(event["input"], sort_keys=True)
    row = {"id": str(item), "correct": None if event.get("error") or score is None else score >= 0.5}
    row |= {name: str(metadata[name]) for name in ("band", "cluster") if name in metadata}
    cost = (event.get("metrics") or {}).get("estimated_cost")
    print(json.dumps(row | ({"cost": cost} if cost is not None else {})))
