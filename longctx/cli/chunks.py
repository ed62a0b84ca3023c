"""`chunks`: from a folder of documents to a test of how many chunks to retrieve."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.cli.shared_options import add_task, print_at_once
from longctx.cli.written_test import NewTest, add_options, confirmed, run_of
from longctx.config.arguments import number
from longctx.errors import UserError
from longctx.extras import require
from longctx.text import count

if TYPE_CHECKING:
    from longctx.engine.drafting import Draft
    from longctx.functions.chunks import Chunks

NAME = "chunks"
NUMBERS = (1, 4, 16, 64)
"""The numbers of chunks, besides that of all."""
WHOLE = 1000
"""Documents of at most so many tokens are one chunk each by default."""
SIZE = 400
"""About the tokens of a chunk of longer documents."""
FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
TEST = '''"""How many chunks should be retrieved? Written by `longctx chunks`; edit it as you like."""

import longctx
import pytest
{imported}
BASE = longctx.chunks("{documents}"{tokens})


@pytest.mark.longctx(cases="{name}/questions.jsonl", own_profile=True)
@pytest.mark.parametrize("chunks", {numbers})
def test_{name}(ask, case, chunks):
    """The same question with more and more chunks; {all} are all.

    A chunk is a text, or an object with a text: let your own function retrieve them.
    """
    ask.chunks({retrieved}, case)
'''
PROFILE = """about = "How many chunks should be retrieved? {all} are all there are."

[test_{name}]
models = ["{model}"]
chunks = {numbers}
"""


def add(commands: Any) -> None:
    parser = add_task(
        commands,
        NAME,
        "write a test of how many chunks to retrieve, from a folder of documents",
        ". Its profile is written, too. A model drafts the questions; those that need the text are kept.",
    )
    option = parser.add_argument
    option("folder", type=Path, metavar="DIR", help="Markdown and text files")
    option(
        "--chunk", type=number(int, 20), metavar="TOKENS", help="the size of a chunk (default: a file, or about 400)"
    )
    option("--questions", type=Path, metavar="FILE", help="your own questions, JSON lines, instead of drafting")
    option(
        "--retrieve", metavar="MODULE:FUNCTION", help="your function that takes a question and a number (default: BM25)"
    )
    option(
        "--chunks", type=number(int, 1), action="append", metavar="N", help="how many chunks to retrieve (repeatable)"
    )
    add_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from longctx.config.models import load_model
    from longctx.corpus.documents import copies
    from longctx.engine.drafting import Drafting, in_words
    from longctx.functions.chunks import read_chunks

    if options.retrieve is None:
        require("BM25", "bm25s")
    elif not FUNCTION.fullmatch(options.retrieve):
        raise UserError(
            "bad-function", f"--retrieve {options.retrieve!r}: write MODULE:FUNCTION, as in search:retrieve."
        )
    new = NewTest.of(options, NAME, "questions.jsonl")
    model = load_model(options.workspace, options.model)
    base, tokens = read_chunks(options.folder, options.chunk), options.chunk
    if tokens is None and any(chunk.tokens > WHOLE for chunk in base.sections):
        base, tokens = read_chunks(options.folder, SIZE), SIZE
    size = sum(chunk.tokens for chunk in base.sections)
    print_at_once(f"{options.folder}: {count(len(base.sections), 'chunk')}, {size:,} tokens.")
    if twice := copies(options.folder):
        print_at_once(twice)
    drafts = _own(options.questions, base) if options.questions else []
    work = Drafting(run_of(options), model, base.sections, options.number)
    if not confirmed(work.doing(drafts, "question"), options):
        return 1
    tried = work.kept(drafts or work.drafted())
    if not tried.drafts:
        raise UserError(
            "no-question-kept",
            f"No question can be used: {tried.sentence('the documents')} Use other documents, another model, or your "
            "own questions with --questions FILE.",
        )
    numbers = sorted({*(options.chunks or [*NUMBERS, len(base.sections)])})
    numbers = [each for each in numbers if each <= len(base.sections)]
    module, function = (options.retrieve or ":").split(":")
    values: dict[str, Any] = {
        "name": new.name,
        "model": options.model,
        "numbers": numbers,
        "all": len(base.sections),
        "documents": Path(os.path.relpath(options.folder.absolute(), new.test.parent)).as_posix(),
        "tokens": f", tokens={tokens}" if tokens else "",
        "imported": f"from {module} import {function}\n" if module else "",
        "retrieved": f"{function or 'BASE.retrieve'}(case.question, chunks)",
    }
    lines = [_line(draft) for draft in tried.drafts]
    text = TEST.format_map(values)
    if module:
        text = text.replace(f'BASE = longctx.chunks("{values["documents"]}"{values["tokens"]})\n\n\n', "\n").replace(
            "import longctx\n", ""
        )
    new.write(lines, text, PROFILE.format(**values), {})
    sizes = f"{count(len(lines), 'question')} × {count(len(numbers), 'number')} of chunks"
    price = _price(model, base, numbers, len(lines))
    costs = "price not known" if price is None else in_words(*price)
    command = new.recorded(options.base_url, price and price[1])
    new.print_next_steps(tried.sentence("the documents"), sizes, costs, command)
    return 0


def _own(path: Path, base: Chunks) -> list[Draft]:
    """Return the user's own questions. Raises UserError for one whose evidence is in no chunk."""
    from longctx.engine.drafting import Draft, own_probes

    drafts = []
    for case, probe in own_probes(path, "question"):
        held = [chunk for chunk in base.sections if chunk.id == case.get("chunk") or probe.is_in(chunk.text)]
        if not held:
            raise UserError(
                "question-without-chunk",
                f"{path}, the question {case['id']}: no chunk is its `chunk` {str(case.get('chunk', ''))[:60]!r} or "
                f"contains its evidence {probe.evidence[:60]!r}: quote a document exactly.",
            )
        drafts.append(Draft(str(case["id"]), held[0].id, probe, held[0].text))
    return drafts


def _line(draft: Draft) -> dict[str, Any]:
    from longctx.engine.drafting import accepted
    from longctx.functions.transcript import quotes

    probe = draft.probe
    quoted = probe.evidence or next(quotes(draft.evidence, probe), "")
    evidence = {"evidence": quoted} if quoted else {}
    name = re.sub(r"[^A-Za-z0-9_.:@+-]", "-", draft.id)
    line = {"id": name, "question": probe.question, "accept": accepted(probe), "kind": probe.kind or "fact"}
    return {**line, **evidence, "chunk": draft.section, "alone": True}


def _price(model: Any, base: Chunks, numbers: list[int], questions: int) -> tuple[float, float] | None:
    from longctx.functions.ask import PROBE_TOKENS
    from longctx.live.cost.money import cost

    if model.prices is None:
        return None
    each = sum(chunk.tokens for chunk in base.sections) / len(base.sections) * model.tokens.reference
    usual, most = (
        questions * sum(cost(model.prices, number * each + 60, PROBE_TOKENS + thinking) for number in numbers)
        for thinking in (0, model.thinking_tokens)
    )
    return usual, most
