"""A small bank of sections and questions, written for the tests."""

from __future__ import annotations

from dataclasses import replace

from longctx.vocabulary.bank import Bank, Item, Section


def no_bank(*_: object) -> Bank:
    raise AssertionError("no bank is needed")


def small_bank(sections: int = 12, kept: frozenset[str] | None = None, version: int = 1) -> Bank:
    """Return a bank with two questions for each section; the sections have 30 tokens, 31 tokens, and so on."""
    texts = {
        f"s{number}": f"Notice {number}. The harbour office of district {number} collects {number * 7} crowns a barge "
        f"and closes its gates at hour {number % 24}."
        for number in range(sections)
    }
    items = tuple(
        Item(f"s{number}-{kind}", f"s{number}", f"What is the {kind} of district {number}?", f"right {kind} {number}",
             (f"{kind} wrong one", f"{kind} wrong two", f"{kind} wrong three"))
        for number in range(sections)
        for kind in ("toll", "hour")
    )  # fmt: skip
    bank = Bank(
        sections={name: Section(name, text, 30 + place) for place, (name, text) in enumerate(texts.items())},
        items=items,
        digest="0123456789abcdef",
        kept=frozenset(item.id for item in items) if kept is None else kept,
        version=version,
    )
    names = frozenset(map(bank.item_name, range(len(items))))
    return replace(bank, kept=names) if kept is None and version > 1 else bank
