"""Write an issue of the fictional register, or several, with questions: python -m tools.register --seed N --out DIR."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from longctx.config.arguments import number
from longctx.errors import UserError
from tools.register.issue import generate
from tools.register.ship import ship, ship_meanings


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.register", description=__doc__)
    parser.add_argument(
        "--seed", type=int, nargs="+", required=True, metavar="N", help="random seed of an issue, or of several"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write to")
    parser.add_argument("--questions", type=Path, metavar="FILE", help="default: DIR/questions.jsonl")
    parser.add_argument(
        "--each", type=number(int, 1), metavar="N", help="questions about a section (default: all five)"
    )
    parser.add_argument(
        "--meanings",
        metavar="NAME",
        help="write questions that matching words does not answer instead, about the issues that the folder NAME has",
    )
    options = parser.parse_args(arguments)
    options.questions = options.questions or options.out / "questions.jsonl"
    issues = [generate(seed) for seed in dict.fromkeys(options.seed)]
    try:
        if options.meanings:
            paths = ship_meanings(issues, options.out, options.questions, options.meanings)
        else:
            paths = ship(issues, options.out, options.questions, options.each)
    except UserError as error:
        parser.exit(2, f"{error}\n")
    for path in paths:
        print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
