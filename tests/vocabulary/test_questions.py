"""The questions of a bank as the items of a protocol of one's own."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from longctx import BankAxes, Outcome, protocol
from longctx.vocabulary.protocol import cells_of
from longctx.vocabulary.questions import BankItems
from tests.given import reply
from tests.protocols.bank import small_bank

BANK = small_bank(version=2)
FILTERED = small_bank(kept=frozenset({"s3-toll", "s5-hour", "s9-toll"}))


class NoticesGrid(BankAxes):
    def cells(self):  # type: ignore[no-untyped-def]
        yield {"longest": self.longest}


class Tolls(BankItems):
    def asked(self) -> Iterable[int]:
        return (index for index in super().asked() if self.bank.items[index].id.endswith("toll"))


@protocol(
    axes=NoticesGrid,
    title="Notices",
    templates={"system": (), "question": ("notice", "question")},
    size=lambda cell, tokens: cell.longest,
    items=Tolls,
    apart=("share",),
)
def notices(ask, prompt, bank, trial, longest: int, share: tuple[int, int] | None = None):  # type: ignore[no-untyped-def]
    item, needle = bank.items[trial.index], bank.needle(trial.index)
    text = prompt("question", notice=needle.text, question=item.question)
    reply = ask(text, expected=item.right, needle=needle.text, documents=[needle])
    return Outcome("correct" if item.right in reply.text else "wrong", reply.text)


Notices = cells_of(notices)
WORDS = {"system": "", "question": "{notice} {question}"}


def test_a_table_asks_about_the_sections_of_its_bank() -> None:
    grid = NoticesGrid(bank="notices", longest=35, trials=20)
    assert grid.draws_on == "notices"
    [cell] = grid.made_cells(lambda: BANK)
    asked = [BANK.items[index] for index in cell.indices(20)]
    assert sorted(item.id for item in asked) == [f"s{number}-toll" for number in range(6)]
    assert [cell.cluster(index) for index in cell.indices(20)] == [item.section for item in asked]


def test_a_question_keeps_its_name_and_a_trial_the_digest_of_its_documents() -> None:
    cell = Notices(5000, bank=lambda: BANK)
    trial = cell.build(WORDS, 0, 4)
    assert str(trial.identity) == f"notices.v2/longest-5000/{BANK.item_name(4)}/seed-0/trial-0/repeat-0"
    assert cell.index_of("s2-toll") == 4
    assert len(trial.documents) == 12
    assert trial.judge(reply("It is right toll 2.")).kind == "correct"
    with pytest.raises(ValueError, match="did you mean 's2-toll'"):
        cell.index_of("s2-tol")


def test_the_filter_of_the_model_decides_unless_the_items_say_otherwise() -> None:
    cell = Notices(5000, bank=lambda: FILTERED)
    assert sorted(FILTERED.items[index].id for index in cell.indices(20)) == ["s3-toll", "s9-toll"]
    assert cell.items.facts == {"filter_asked": 0, "filter_kept": 3}
    assert Notices.declared.items.filtered
    assert not Notices(20, bank=lambda: FILTERED).indices(20)
    assert "at most 20 tokens" in Notices(20, bank=lambda: FILTERED).items.why_empty


def test_cells_share_questions_out() -> None:
    parts = [Notices(5000, share=(place, 3), bank=lambda: BANK).indices(100) for place in range(3)]
    assert sorted(index for part in parts for index in part) == sorted(Notices(5000, bank=lambda: BANK).indices(100))
