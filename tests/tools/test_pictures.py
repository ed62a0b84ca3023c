"""The pictures in README and the docs show what is recorded: `python -m tools.pictures` takes them again."""

from __future__ import annotations

from tests.browser import needs_browser
from tools.pictures import IMAGES, take, words_of

SHOWN = {"overview.png": "regression", "report.png": "line retrieval"}


@needs_browser
def test_pictures_show_the_words_of_todays_pages() -> None:
    shown = {name: words_of((IMAGES / name).read_bytes()) for name in SHOWN}
    assert all(word in shown[name].lower() for name, word in SHOWN.items())
    assert {name: words_of(picture) for name, picture in take().items()} == shown
