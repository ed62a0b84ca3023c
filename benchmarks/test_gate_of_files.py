"""`longctx gate OLD NEW` on the files of another tool, beside the standard library's reading of the same lines."""

import json

from benchmarks.ratios import spent

READ = "import json, sys; print(sum(json.loads(line)['correct'] for path in sys.argv[1:] for line in open(path)))"


def test_a_gate_of_two_files(benchmark, small, capsys, tmp_path) -> None:
    """Processor time relative to `json.loads` of each line, and memory, with ten times the rows."""
    per_row = []
    for rows in (200, 2_000) if small else (10_000, 100_000):
        lines = [
            json.dumps({"id": f"q{n}", "correct": n % 10 > 0, "band": f"b{n % 3}", "answer": f"a{n}"})
            for n in range(rows)
        ]
        files = [tmp_path / f"{name}-{rows}.jsonl" for name in ("old", "new")]
        for file in files:
            file.write_text("\n".join(lines))
        paths = [*map(str, files)]
        gate, floor = spent("-m", "longctx", "gate", *paths), spent("-c", READ, *paths)
        assert "Gate: pass" in gate.output
        per_row.append(gate.cpu_s / rows)
        with capsys.disabled():
            print(
                f"\n{rows:,} rows: {gate.cpu_s:.1f} s, {gate.cpu_s / floor.cpu_s:.1f} times json.loads "
                f"({floor.cpu_s:.2f} s), {gate.peak_mb:.0f} MB",
                end="",
            )
    benchmark.extra_info["rows ten times"] = per_row[1] / per_row[0]
    benchmark(lambda: None)
