"""The bank that the QA families draw from: a corpus, questions about it, and a model's filter."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from longctx.corpus.documents import load_corpus
from longctx.corpus.filters import Filter, choose_filter
from longctx.corpus.questions import load_questions
from longctx.vocabulary.bank import Bank, Item, Section
from longctx.workspace import Workspace


@functools.lru_cache(maxsize=4)
def load_bank(
    workspace: Workspace,
    documents: Path | None,
    questions: Path | None,
    model: str,
    frozen: tuple[Filter, ...] | None = None,
) -> Bank:
    """The sections of a folder and the questions of a file, the shipped register's by default.

    kept: the questions that the filter of `model` keeps; all of them where it has none. frozen: the filters of a
    baseline, which count instead of the model's own; None without a baseline. Raises UserError.
    """
    corpus = load_corpus(documents or workspace.find("register"))
    asked = load_questions(questions or workspace.find("questions", "register.jsonl"), corpus)
    digest = hashlib.sha256(f"{corpus.digest}/{asked.digest}".encode()).hexdigest()
    items = tuple(Item(one.id, one.section, one.question, one.right, one.wrong) for one in asked.questions)
    known = choose_filter(workspace, frozen, model, digest)
    return Bank(
        sections={one.id: Section(one.id, one.text, one.tokens) for one in corpus.sections},
        items=items,
        digest=digest,
        kept=frozenset(known.kept if known else (item.id for item in items)),
        asked=len(known.kept) + len(known.dropped) if known else 0,
    )
