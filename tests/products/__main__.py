"""Records ten unchanged products from a local server, replays them without a network, gates them, and kills a run.

    python -m tests.products    # in an environment that has the products: .ci/products makes one

It prints a line for each thing that it has shown, and fails at the first that does not hold.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.here import HERE
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

PROJECT = Path(__file__).with_name("project")
OFFLINE = ("unshare", "-rn", "sh", "-c", 'ip link set lo up; exec "$@"', "sh")
"""Runs a command in a namespace whose only network is the machine itself."""
FILE = re.compile(r"^```\w+\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A file in a page, which begins with its name."""
IN_FLIGHT = 32
BROKEN = "Say nothing."


def answer(body: Body) -> Answer:
    """Answer with the code in the prompt, unless the product's own prompt is broken."""
    prompt = prompt_of(body)
    found = re.search(r"code is (\d+)", prompt)
    return 200, {}, message(found[1] if found and BROKEN not in prompt else "nothing", body)


def pytest(project: Path, *arguments: str, offline: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments, offline=offline), cwd=project, env=environment(env), capture_output=True, text=True
    )


def command(*arguments: str, offline: bool = False) -> list[str]:
    return [*(OFFLINE if offline else ()), sys.executable, "-m", "pytest", "--ctx-profile=products", "-q", *arguments]


def environment(more: dict[str, str]) -> dict[str, str]:
    env = {name: value for name, value in os.environ.items() if not name.lower().endswith(("_proxy", "_api_key"))}
    return {**env, "LONGCTX_PAGE": "0", **more}


def sent(server: SimulatedServer) -> Counter[str]:
    return Counter(json.dumps(request.body, sort_keys=True) for request in server.received if request.body)


def recorded(project: Path) -> int:
    files = (project / "cassettes").rglob("*.jsonl")
    return sum(path.read_bytes().count(b'"interactions":[{') for path in files)


def shown(what: str, holds: bool, run: subprocess.CompletedProcess[str] | None = None) -> None:
    sys.stdout.write(f"{'ok    ' if holds else 'FAILED'} {what}\n")
    sys.stdout.flush()
    if not holds:
        sys.exit(f"{run.stdout}{run.stderr}" if run else 1)


def write_page(project: Path) -> None:
    """Write the files that docs/products.md shows."""
    page = (HERE.root / "docs/products.md").read_text(encoding="utf-8")
    for name, text in FILE.findall(page):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")


def main(folder: Path) -> None:
    first, second = folder / "first", folder / "second"
    for copy in (first, second):
        shutil.copytree(PROJECT, copy, ignore=shutil.ignore_patterns("__pycache__"))
        write_page(copy)
        if modules := os.environ.get("NODE_MODULES"):
            (copy / "node_modules").symlink_to(modules)
    with SimulatedServer(answer) as server:
        record = f"--ctx-base-url={server.url}", "--ctx-record=once"
        run = pytest(first, "-n0", *record)
        shown("ten products are recorded", run.returncode == 0, run)
        requests = sent(server)
        answers = recorded(first)
        shown(f"the server's log is what is recorded: {answers} requests, each once", requests.total() == answers)
    for workers in ("-n0", "-n4"):
        run = pytest(first, workers, offline=True)
        shown(f"they are replayed without a network, {workers}", run.returncode == 0, run)
    save = [sys.executable, "-m", "longctx", "baseline", "save", "main"]
    subprocess.run(save, cwd=first, env=environment({}), check=True, capture_output=True)
    with SimulatedServer(answer) as server:
        record = f"--ctx-base-url={server.url}", "--ctx-record=new_episodes"
        run = pytest(first, "-n0", "--ctx-baseline=main", *record, PRODUCT_SYSTEM=BROKEN)
        shown("a planted regression is found", "GATE: REGRESSION" in run.stdout, run)
    with SimulatedServer(answer) as server:
        record = f"--ctx-base-url={server.url}", "--ctx-record=once"
        killed = subprocess.Popen(
            command("-n0", *record),
            cwd=second,
            env=environment({}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        server.wait_for(2, "/v1/chat/completions")
        killed.kill()
        killed.wait()
        kept = recorded(second)
        run = pytest(second, "-n0", *record)
        shown("a killed run goes on", run.returncode == 0, run)
        counts = sent(server)
        twice = counts.total() - answers
        shown(f"nothing is lost: {kept} answers were kept, {twice} in flight are sent again", twice <= IN_FLIGHT)
        equal = counts.keys() == requests.keys() and recorded(second) == answers
        shown("both recordings hold the same requests", equal)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        main(Path(made))
