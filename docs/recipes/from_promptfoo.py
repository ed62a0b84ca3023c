"""Rows for `longctx gate` from promptfoo: promptfoo eval -o results.json, then

python from_promptfoo.py results.json > rows.jsonl
"""

import json
import sys
from pathlib import Path

UNMEASURED = 2  # promptfoo's failureReason of a result that ended with an error

results = json.loads(Path(sys.argv[1]).read_text("utf-8"))["results"]["results"]
for result in results:
    variables = result.get("vars") or result["testCase"].get("vars", {})
    failed = result.get("failureReason") == UNMEASURED or result.get("success") is None
    row = {"id": str(variables.get("id", result["testIdx"])), "correct": None if failed else result["success"]}
    row |= {name: str(variables[name]) for name in ("band", "cluster") if name in variables}
    print(json.dumps(row | ({"cost": result["cost"]} if result.get("cost") is not None else {})))
