"""The programs `pytest` and `python` for a shell, whose runs are forked as those of other tests (see forking.py)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler, UnixStreamServer
from threading import Thread

from tests.integration.conftest import IMPORTED, Launcher

PROGRAM = """\
#!{python} -IS
import json, os, socket, sys

output = f"/proc/{{os.getpid()}}/fd/"
run = {{"cwd": os.getcwd(), "env": {{**os.environ}}, "stdout": output + "1", "stderr": output + "2"}}
with socket.socket(socket.AF_UNIX) as launcher:
    launcher.connect({address!r})
    launcher.sendall(json.dumps({{"command": {command!r} + sys.argv[{first}:], **run}}).encode() + b"\\n")
    sys.exit(int(launcher.makefile().readline()))
"""
"""Asks for a run and ends with its exit code. `python` knows only -m MODULE."""


@contextmanager
def programs(folder: Path, launcher: Launcher) -> Iterator[Path]:
    """Write the programs to a folder, and serve them."""
    address = str(folder / "launcher")

    class Starting(StreamRequestHandler):
        def handle(self) -> None:
            launcher.start(json.loads(self.rfile.readline()))
            self.wfile.write(f"{launcher.wait()}\n".encode())

    for name, command, first in (("pytest", ["pytest", "-W", IMPORTED], 1), ("python", [], 2)):
        program = folder / name
        program.write_text(PROGRAM.format(python=sys.executable, address=address, command=command, first=first))
        program.chmod(0o755)
    with UnixStreamServer(address, Starting) as server:
        serving = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        serving.start()
        yield folder
        server.shutdown()
        serving.join()
