"""A real browser for tests of the page: Debian's Chromium, headless, without the network."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = f"no browser: install one of {', '.join(NAMES)} (Debian: apt-get install chromium)"


def installed() -> str | None:
    """Return the path of an installed browser."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """Launch a browser. While it is open, asyncio.run fails in this thread, so only the tests of a module share it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed(), args=["--no-sandbox"])
        yield browser
        browser.close()


def new_tab(browser: Browser, **options: Any) -> Page:
    """Return a new tab, alone in the context with these options, which is reused: a new one takes a second."""
    context = _context(browser, json.dumps(options))
    for earlier in context.pages:
        earlier.close()
    return context.new_page()


@functools.cache
def _context(browser: Browser, options: str) -> BrowserContext:
    return browser.new_context(**json.loads(options))


@dataclass
class Opened:
    """An open page. said: its console messages, errors and dialogs, and requests for anything but the page."""

    page: Page
    said: list[str] = field(default_factory=list)


def open_page(browser: Browser, path: Path, **options: Any) -> Opened:
    """Open a page from disk, and return it once its script has run."""
    page = new_tab(browser, offline=True, **options)
    opened = Opened(page)
    page.on("console", lambda message: opened.said.append(message.text))
    page.on("pageerror", lambda error: opened.said.append(str(error)))
    page.on("dialog", lambda dialog: (opened.said.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: request.url == path.as_uri() or opened.said.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    return opened
