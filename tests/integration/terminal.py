"""Runs pytest on a pseudo-terminal, and keeps what the run writes and what the screen shows at the end."""

from __future__ import annotations

import os
import pty
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass

from tests.integration.conftest import Checkout

SIGN = re.compile(r"\x1b\[(?P<number>[0-9;]*)(?P<letter>[A-Za-z])|\x1b\[\?\d+[hl]|\x1b\].*?\x1b\\|.", re.DOTALL)
"""Matches a control sequence or one character."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The exit code and the output of a run on a terminal. written: the output with its control sequences."""

    code: int
    written: str

    @property
    def text(self) -> str:
        """All text that was ever shown, without control sequences."""
        return "".join(sign[0] for sign in SIGN.finditer(self.written) if sign[0][0] != "\x1b")

    @property
    def screen(self) -> list[str]:
        """The lines that the screen shows at the end."""
        lines, row, column = [""], 0, 0
        for sign in SIGN.finditer(self.written):
            match sign["letter"] or sign[0]:
                case "\n" if sign["letter"] is None:
                    row += 1
                    lines += [""] * (row + 1 - len(lines))
                case "\r":
                    column = 0
                case "A" if sign["letter"]:
                    row -= int(sign["number"] or 1)
                case "K" if sign["letter"]:
                    lines[row] = ""
                case _ if sign[0][0] != "\x1b":
                    lines[row] = lines[row][:column].ljust(column) + sign[0] + lines[row][column + 1 :]
                    column += 1
        return [line.rstrip() for line in lines]


def on_terminal(
    checkout: Checkout,
    *arguments: object,
    env: dict[str, str] | None = None,
    heard: Callable[[str], object] = lambda written: None,
) -> Shown:
    """Run pytest on a terminal. heard: called with all output so far whenever there is more."""
    written = bytearray()
    controller, terminal = pty.openpty()

    def read() -> None:
        """Read to the end, which Linux reports as an OSError once no process has the terminal open."""
        try:
            while chunk := os.read(controller, 65536):
                written.extend(chunk)
                heard(written.decode(errors="replace"))
        except OSError:
            pass

    reader = threading.Thread(target=read)
    reader.start()
    try:
        checkout.start(*arguments, env={"TERM": "xterm", **(env or {})}, terminal=os.ttyname(terminal))
        code = checkout.launcher.wait()
    finally:
        os.close(terminal)
        reader.join()
        os.close(controller)
    return Shown(code, written.decode())
