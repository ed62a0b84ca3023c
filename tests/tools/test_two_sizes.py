"""The accuracies of two sizes of a model in docs/protocols/long-context-qa.md are those of the recorded answers.

`python -m tests.tools.test_two_sizes` writes them to the page.
"""

from __future__ import annotations

from longctx import Run
from longctx.views.answers import CellSummary
from tests.here import HERE
from tests.tools.tables import table

PAGE = HERE.root / "docs/protocols/long-context-qa.md"
HEAD = "| record, examples |"
ROWS = {"1,300 tokens, none": (1300, "none"), "2,600 tokens, none": (2600, "none"), "2,600 tokens, two": (2600, "two")}
PROFILES = {"qwen2.5-coder-0.5b": "recorded", "qwen2.5-coder-1.5b": "recorded"}


def measured(model: str) -> dict[tuple[int, str, int], CellSummary]:
    """Return the collages of a model by budget, variant and depth (percent)."""
    run = Run(PROFILES[model], model, root=HERE.root)
    collages = [cell for cell in run.plan.cells if cell.point.test == "collage"]
    cells = run.measure(collages).summary.cells
    return {(each.params["budget"], each.params["variant"], each.params["depth"]): each for each in cells}


def written() -> str:
    of_models = {model.rpartition("-")[2]: measured(model) for model in PROFILES}
    rows = []
    for name, (budget, variant) in ROWS.items():
        for model, cells in of_models.items():
            places = (cells.get((budget, variant, depth)) for depth in (0, 50, 100))
            rows.append([name, model, *(str(each.rate) if each else "-" for each in places)])
    return table([*HEAD.strip("| ").split(" | "), "model", "beginning", "middle", "end"], rows)


def on_page() -> str:
    text = PAGE.read_text(encoding="utf-8")
    return text[text.index(HEAD) :].partition("\n\n")[0]


def test_the_page_has_what_was_recorded_of_both_sizes() -> None:
    assert on_page() == written().strip()


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(on_page(), written().strip()), encoding="utf-8")
