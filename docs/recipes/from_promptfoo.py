"""Rows for `longctx gate` from promptfoo: promptfoo eval -o results.json, then

python from_promptfoo.py results.json [PROVIDER PROMPT] > rows.jsonl     # PROMPT: its number, from 0
"""

import json
import sys
from pathlib import Path

UNMEASURED = 2  # promptfoo's failureReason of a result that ended with an error

results = json.loads(Path(sys.argv[1]).read_text("utf-8"))["results"]["results"]
parts = [(result.get("provider", {}).get("id", "-"), str(result["promptIdx"])) for result in results]
if len(wanted := {tuple(sys.argv[2:])} if sys.argv[2:] else {*parts}) != 1 or not wanted <= {*parts}:
    sys.exit(f"Add one PROVIDER and PROMPT of these: {'; '.join(sorted({' '.join(part) for part in parts}))}.")
for result in (result for result, part in zip(results, parts, strict=True) if part in wanted):
    variables = result.get("vars") or result["testCase"].get("vars", {})
    failed = result.get("failureReason") == UNMEASURED or result.get("success") is None
    row = {"id": str(variables.get("id", result["testIdx"])), "correct": None if failed else result["success"]}
    row |= {name: str(variables[name]) for name in ("band", "cluster") if name in variables}
    print(json.dumps(row | ({"cost": result["cost"]} if result.get("cost") is not None else {})))
