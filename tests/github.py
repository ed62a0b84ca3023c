"""A simulated GitHub server that lists, creates and edits the comments of one issue."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

BOT = "github-actions[bot]"


class GitHub:
    """A server of the comments of issue 7 in o/r.

    comments: the comments of the issue, oldest first. refuses: every request is answered 403.
    """

    def __init__(self, *bodies: tuple[str, str], refuses: bool = False) -> None:
        """bodies: the author and the text of each comment that the issue has from the start."""
        self.comments = [
            {"id": number, "user": {"login": login}, "body": body} for number, (login, body) in enumerate(bodies, 1)
        ]
        self.refuses = refuses
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, method: str, path: str, sent: dict[str, Any]) -> Any:
        self.asked.append(f"{method} {path}")
        if match := re.fullmatch(r"/repos/o/r/issues/7/comments\?per_page=100&page=(\d+)", path):
            return self.comments[100 * int(match[1]) - 100 : 100 * int(match[1])]
        if (method, path) == ("POST", "/repos/o/r/issues/7/comments"):
            self.comments.append({"id": len(self.comments) + 1, "user": {"login": BOT}, "body": sent["body"]})
            return self.comments[-1]
        match = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", path)
        assert match
        assert method == "PATCH"
        self.comments[int(match[1]) - 1]["body"] = sent["body"]
        return self.comments[int(match[1]) - 1]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        github = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
                allowed = self.headers["Authorization"] == "Bearer a-token" and not github.refuses
                answer = github.answer(self.command, self.path, sent) if allowed else {"message": "Forbidden"}
                self.send_response(200 if allowed else 403)
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

            do_GET = do_POST = do_PATCH = _answer

            def log_message(self, *_: object) -> None:
                pass

        return Handler
