"""A real browser for tests of pages: Debian's Chromium, headless."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import pytest
from playwright.sync_api import Dialog, Page, Request, ViewportSize, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = f"no browser: install one of {', '.join(NAMES)} (Debian: apt-get install chromium)"
SCREEN: ViewportSize = {"width": 1280, "height": 720}
ColorScheme = Literal["light", "dark"]
SCHEMES: tuple[ColorScheme, ...] = "light", "dark"


def installed() -> str | None:
    """Return the path of an installed browser."""
    return next(filter(None, map(shutil.which, NAMES)), None)


needs_browser = pytest.mark.skipif(installed() is None, reason=MISSING)


@dataclass
class Tab:
    """The only tab of a browser, in which tests open their pages one after another: a new tab costs more than a page.

    messages: of the open page, its console messages, errors and dialogs, and its requests to other addresses.
    """

    page: Page
    url: str = ""
    messages: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", self._note_request)

    def open(
        self,
        url: str,
        *,
        color_scheme: ColorScheme = "light",
        viewport: ViewportSize = SCREEN,
        ready: str = "html[data-ready]",
    ) -> Page:
        """Open a page as a new tab would, and return it once it has an element `ready`, such as its script leaves.

        Its sections are unfolded.
        """
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.page.emulate_media(media="screen", color_scheme=color_scheme)
        self.page.set_viewport_size(viewport)
        self.url = url.partition("#")[0]
        self.messages.clear()
        self.page.goto(url)
        self.page.wait_for_selector(ready)
        self.page.eval_on_selector_all("section details.fold", "all => all.forEach(fold => { fold.open = true; })")
        return self.page

    def _dismiss(self, dialog: Dialog) -> None:
        self.messages.append(dialog.message)
        dialog.dismiss()

    def _note_request(self, request: Request) -> None:
        beside = f"{self.url.rpartition('/')[0]}/details/"
        if not request.url.startswith((self.url, beside)):
            self.messages.append(request.url)


@contextmanager
def launched(*, offline: bool = False) -> Iterator[Tab]:
    """Launch a browser. While it is open, asyncio.run fails in this thread, so only the tests of a module share it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=["--no-sandbox"])
        yield Tab(browser.new_context(offline=offline).new_page())
        browser.close()
