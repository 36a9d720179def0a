"""A server that answers as GitHub and GitLab do where comments of a request are read and written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

AUTHOR, TOKEN = "github-actions[bot]", "t"
PATHS = {
    "all": r"/(repos/o/r/issues/7/comments|projects/5/merge_requests/7/notes)",
    "one": r"/(?:repos/o/r/issues/comments|projects/5/merge_requests/7/notes)/(\d+)",
}


@dataclass
class FakeForge:
    """Comments by number, every request that came, and answers that come before any other."""

    url: str = ""
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    fails: list[int] = field(default_factory=list)

    def add(self, body: str, author: str = AUTHOR) -> None:
        number = max(self.comments, default=0) + 1
        self.comments[number] = {"id": number, "body": body, "user": {"login": author}, "author": {"username": author}}

    def answer(self, method: str, target: str, token: str, data: Any) -> tuple[int, Any]:
        self.asked.append(method)
        if self.fails:
            return self.fails.pop(0), {}
        if token != TOKEN:
            return 401, {}
        parts, one = urlsplit(target), re.fullmatch(PATHS["one"], urlsplit(target).path)
        changes = "PATCH" if target.startswith("/repos") else "PUT"
        if one and method == changes and int(one[1]) in self.comments:
            self.comments[int(one[1])]["body"] = data["body"]
            return 200, self.comments[int(one[1])]
        if re.fullmatch(PATHS["all"], parts.path) and method == "POST":
            self.add(data["body"])
            return 201, {}
        if re.fullmatch(PATHS["all"], parts.path) and method == "GET":
            asked = {name: int(value[0]) for name, value in parse_qs(parts.query).items()}
            begin = asked["per_page"] * (asked["page"] - 1)
            return 200, list(self.comments.values())[begin : begin + asked["per_page"]]
        return 404, {}


@contextmanager
def serving() -> Iterator[FakeForge]:
    """The server on a free port of this machine."""
    forge = FakeForge()

    class Handler(BaseHTTPRequestHandler):
        def _all(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            token = self.headers.get("PRIVATE-TOKEN") or self.headers.get("Authorization", "").removeprefix("Bearer ")
            code, data = forge.answer(self.command, self.path, token, json.loads(sent or b"{}"))
            self.send_response(code)
            self.end_headers()
            self.wfile.write(json.dumps(data).encode())

        do_GET = do_POST = do_PUT = do_PATCH = _all  # noqa: N815  # names of the library

        def log_message(self, *_: Any) -> None:
            """Nothing on the screen."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    forge.url = f"http://127.0.0.1:{server.server_address[1]}"
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield forge
    server.shutdown()
    server.server_close()


def github(forge: FakeForge) -> dict[str, str]:
    """What the environment of a job of GitHub says."""
    return {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "o/r", "GITHUB_REF": "refs/pull/7/merge",
            "GITHUB_TOKEN": "t", "CI_API_V4_URL": ""}  # fmt: skip


def gitlab(forge: FakeForge) -> dict[str, str]:
    """The same of GitLab."""
    return {"CI_API_V4_URL": forge.url, "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "7", "GITLAB_TOKEN": "t",
            "GITHUB_API_URL": ""}  # fmt: skip
