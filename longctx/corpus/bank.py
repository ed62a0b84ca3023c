"""The bank that the QA tests draw from: a corpus, questions about it, and a model's filter."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from pathlib import Path

from longctx.corpus.documents import bank_files, load_corpus, read_settings
from longctx.corpus.filters import Filter, choose_filter
from longctx.corpus.questions import load_questions
from longctx.vocabulary.bank import SHIPPED, Bank, Item, Section
from longctx.workspace import Workspace


@functools.lru_cache(maxsize=16)
def load_bank(
    workspace: Workspace,
    documents: Path | None,
    questions: Path | None,
    model: str,
    name: str = SHIPPED,
    frozen: tuple[Filter, ...] | None = None,
) -> Bank:
    """Load the sections of a folder and the questions of a file, by default those of the bank of this name.

    The bank keeps the questions that the filter of `model` keeps; all of them if it has none. frozen: the filters of a
    baseline, which replace the model's own; None without a baseline. Raises UserError.
    """
    if documents is None or questions is None:
        folder, file = bank_files(workspace, name)
        documents, questions = documents or folder, questions or file
    bank = _read(documents, questions)
    known = choose_filter(workspace, frozen, model, bank.filter_key)
    if known is None:
        return bank
    kept, decided = frozenset(known.kept), {*known.kept, *known.dropped}
    if bank.version > 1:  # one filter for all banks
        own = frozenset(bank.item_name(index) for index in range(len(bank.items)))
        kept, decided = kept & own, decided & own
    return dataclasses.replace(bank, kept=kept, asked=len(decided)) if decided else bank


@functools.lru_cache(maxsize=4)
def _read(documents: Path, questions: Path) -> Bank:
    """Read the bank without a filter, once for all models."""
    corpus = load_corpus(documents)
    asked = load_questions(questions, corpus)
    settings = read_settings(documents)
    items = tuple(
        Item(question.id, question.section, question.question, question.right, question.wrong, question.accepted)
        for question in asked.questions
    )
    bank = Bank(
        sections={section.id: Section(section.id, section.text, section.tokens) for section in corpus.sections},
        items=items,
        digest=hashlib.sha256(f"{corpus.digest}/{asked.digest}".encode()).hexdigest(),
        kept=frozenset(item.id for item in items),
        rounds=settings.rounds,
        literal=settings.literal,
        version=settings.version,
    )
    if bank.version == 1:
        return bank
    return dataclasses.replace(bank, kept=frozenset(map(bank.item_name, range(len(items)))))
