"""Changes of test code that judge as before pass without an alarm, together with a product that is as good as before.

A further one is a function that edits the project: add it to one of GROUPS, whose functions are applied to one checkout
in their order. See judged_project.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.integration import judged_project
from tests.integration.conftest import Checkout, needs_git
from tests.integration.judged_project import BETTER, T, add, answered, change_prompt, edit, gate, send
from tests.servers import SimulatedServer

pytestmark = needs_git
TESTS, HELPER, CONFTEST = f"{T}/test_codes.py", f"{T}/helper.py", f"{T}/conftest.py"
Change = Callable[[Checkout], object]


@pytest.fixture
def project(judged_once: Checkout, tmp_path: Path) -> Checkout:
    """Return the project with another prompt, to which all answers are right."""
    changed = judged_once.copied(tmp_path / "checkout")
    change_prompt(changed, BETTER)
    return changed


def rename_a_local(project: Checkout) -> None:
    edit(project, TESTS, ("answer = ctx", "reply = ctx"), ("assert answer.integer()", "assert reply.integer()"))


def add_a_message(project: Checkout) -> None:
    edit(project, HELPER, ("== code", '== code, f"{answer.text} is not {code}"'))


def add_docstrings(project: Checkout) -> None:
    edit(project, TESTS, ("def test_code(ask, code):\n", 'def test_code(ask, code):\n    """It finds the code."""\n'))


def add_type_hints(project: Checkout) -> None:
    edit(project, HELPER, ("(answer, code):", "(answer: object, code: int) -> None:"))


def reorder_the_ids_of_parameters(project: Checkout) -> None:
    edit(project, TESTS, ('["", "Thanks!"], ids=["plain", "polite"]', '["Thanks!", ""], ids=["polite", "plain"]'))


def extract_a_helper(project: Checkout) -> None:
    add(project, HELPER, "\n\ndef digits(text):\n    return text.isdigit()\n")
    edit(project, TESTS, ("from helper import must_be", "from helper import digits, must_be"))
    edit(project, TESTS, ("assert text.isdigit()", "assert digits(text)"))


def move_a_fixture_to_the_tests(project: Checkout) -> None:
    text = project.file(CONFTEST).read_text()
    project.file(CONFTEST).write_text("")
    edit(project, TESTS, ("must_be\n\n", f"must_be\n\n{text}\n"))


def name_a_constant(project: Checkout) -> None:
    edit(project, TESTS, ("trials=30", "trials=TRIALS"), ("must_be\n\n", "must_be\n\nTRIALS = 30\n\n"))


def split_an_assertion(project: Checkout) -> None:
    edit(project, HELPER, ("    assert answer.integer() ==", "    found = answer.integer()\n    assert found =="))


def import_from_the_product(project: Checkout) -> None:
    edit(project, TESTS, ("import product\n", "from product import prompt, read\n"), ("product.", ""))


def rename_the_helper(project: Checkout) -> None:
    project.file(HELPER).rename(project.file(f"{T}/judging.py"))
    edit(project, TESTS, ("from helper import", "from judging import"))


def rename_the_file_of_tests(project: Checkout) -> None:
    project.file(TESTS).rename(project.file(f"{T}/test_answers.py"))


def add_an_unused_fixture(project: Checkout) -> None:
    add(project, CONFTEST, "\n\n@pytest.fixture\ndef later():\n    return None\n")


def add_an_ordinary_test(project: Checkout) -> None:
    add(project, f"{T}/test_product.py", "import product\n\n\ndef test_prompt():\n    assert product.prompt(1)\n")


def add_a_conftest(project: Checkout) -> None:
    add(project, "conftest.py", "\n\ndef pytest_report_header():\n    return 'a header'\n")


def move_the_helper_into_a_package(project: Checkout) -> None:
    project.file(f"{T}/support").mkdir()
    project.file(f"{T}/support/__init__.py").write_text("")
    project.file(HELPER).rename(project.file(f"{T}/support/judging.py"))
    edit(project, TESTS, ("from helper import", "from support.judging import"))


def reorder_the_tests(project: Checkout) -> None:
    head, *tests = project.file(TESTS).read_text().split("@pytest.mark.longctx")
    project.file(TESTS).write_text("@pytest.mark.longctx".join([head, *reversed(tests)]))


def use_ctx(project: Checkout) -> None:
    edit(project, TESTS, ("def test_code(ask, code)", "def test_code(ctx, code)"), ("must_be(ask(", "must_be(ctx.ask("))


def subtests_in_a_loop(project: Checkout) -> None:
    old = (
        '    with subtests.test("digits"):\n        assert text.isdigit()\n    with subtests.test("same"):\n'
        "        assert text == str(code)\n"
    )
    new = (
        '    for name, holds in (("digits", text.isdigit()), ("same", text == str(code))):\n'
        "        with subtests.test(name):\n            assert holds\n"
    )
    edit(project, TESTS, (old, new))


def annotations_of_the_future(project: Checkout) -> None:
    project.file(TESTS).write_text("from __future__ import annotations\n" + project.file(TESTS).read_text())


GROUPS: list[Sequence[Change]] = [
    [rename_a_local, add_a_message, add_docstrings, add_type_hints, reorder_the_ids_of_parameters],
    [extract_a_helper, move_a_fixture_to_the_tests, name_a_constant, split_an_assertion],
    [import_from_the_product, rename_the_helper, rename_the_file_of_tests, add_an_unused_fixture],
    [add_an_ordinary_test, add_a_conftest, move_the_helper_into_a_package, reorder_the_tests],
    [use_ctx, subtests_in_a_loop, annotations_of_the_future],
]


@pytest.mark.parametrize("changes", GROUPS, ids=lambda group: "-".join(each.__name__ for each in group))
def test_a_refactoring_raises_no_alarm(project: Checkout, changes: Sequence[Change]) -> None:
    for change in changes:
        change(project)
    result = gate(project)
    assert result.code == 0, result.out
    assert result.says("code that judges differs from main")
    assert not result.says("main's test code"), result.out


def test_a_new_test_is_judged_by_this_branch_alone(project: Checkout) -> None:
    add(project, f"{T}/test_new.py", judged_project.NEW_TEST)
    with SimulatedServer(answered) as server:
        assert send(project, server).code == 0
    result = gate(project, "-n2")
    assert result.code == 0, result.out
    assert result.says("test_new is not on main: only this branch's test code judges it."), result.out
    assert not result.says("main's test code"), result.out
