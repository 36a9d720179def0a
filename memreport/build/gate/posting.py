"""One comment on a pull or merge request that replaces itself: found by its mark, changed in place, by no older job.

Sources: GitHub REST API, "Issue comments"; GitLab REST API, "Notes API", merge requests.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from memreport.errors import Fault, InputError, MachineError
from memreport.frozen import frozen
from memreport.publish.text.changes.gate import is_same_comment, replacement

TRIES, FIRST_WAIT, PATIENCE = 5, 1.0, 30.0
"""How often a server that fails is asked, seconds before the second time (then doubled), seconds for an answer."""
A_PAGE, MOST_PAGES = 100, 100
PASSING = (429, 500, 502, 503, 504)


@frozen
class Forge:
    """Where comments of a request lie in an API, by names of the environment of a job, and who wrote one."""

    api: str
    token: str
    header: tuple[str, str]
    comments: str
    comment: str
    change: str
    author: tuple[str, str]


FORGES = {
    "GITHUB_API_URL": Forge(
        "GITHUB_API_URL", "GITHUB_TOKEN", ("Authorization", "Bearer "),
        "repos/{GITHUB_REPOSITORY}/issues/{NUMBER}/comments", "repos/{GITHUB_REPOSITORY}/issues/comments/{id}",
        "PATCH", ("user", "login"),
    ),
    "CI_API_V4_URL": Forge(
        "CI_API_V4_URL", "GITLAB_TOKEN", ("PRIVATE-TOKEN", ""),
        "projects/{CI_PROJECT_ID}/merge_requests/{NUMBER}/notes",
        "projects/{CI_PROJECT_ID}/merge_requests/{NUMBER}/notes/{id}",
        "PUT", ("author", "username"),
    ),
}  # fmt: skip


class _NotFollowed(HTTPRedirectHandler):
    """A token is never sent where an answer leads."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def post(body: str, author: str, job: Mapping[str, str]) -> str:
    """Post a comment in place of the one with its mark that `author` wrote; what was done, in words.

    `job` is the environment of a job.  Raises InputError where it is none of a request or may not comment, MachineError
    where the server does not answer.
    """
    forge, words = _forge(job)
    there = next((comment for comment in _comments(forge, words) if _is_ours(comment, body, author, forge)), None)
    text, why = replacement(body, there["body"] if there else "")
    if not text:
        return why
    path = forge.comment.format(**words, id=there["id"]) if there else forge.comments.format(**words)
    _asked(forge, words, forge.change if there else "POST", path, {"body": text})
    return "the comment is replaced" if there else "the comment is posted"


def _forge(job: Mapping[str, str]) -> tuple[Forge, dict[str, str]]:
    forge = next((known for name, known in FORGES.items() if job.get(name)), None)
    if forge is None:
        raise InputError([Fault(f"this is no job of GitHub or GitLab: neither {' nor '.join(FORGES)} is set")])
    of_ref = re.fullmatch(r"refs/pull/(\d+)/\w+", job.get("GITHUB_REF", ""))
    words = dict(job) | {"NUMBER": of_ref[1] if of_ref else job.get("CI_MERGE_REQUEST_IID", "")}
    needed = [forge.token, "NUMBER", *re.findall(r"{([A-Z_]+)}", forge.comments)]
    if missing := sorted({name for name in needed if not words.get(name)}):
        known = {"NUMBER": "the number of the pull or merge request"}
        raise InputError([Fault(f"lacks {known.get(name, name)} in the job's environment") for name in missing])
    return forge, words


def _comments(forge: Forge, words: Mapping[str, str]) -> Iterator[Any]:
    for page in range(1, MOST_PAGES + 1):
        found = _asked(forge, words, "GET", f"{forge.comments.format(**words)}?per_page={A_PAGE}&page={page}")
        yield from found
        if len(found) < A_PAGE:
            return


def _is_ours(comment: Any, body: str, author: str, forge: Forge) -> bool:
    """Whoever may comment may write the mark, so that the author counts too."""
    holder, name = forge.author
    return is_same_comment(body, comment["body"]) and (comment.get(holder) or {}).get(name) == author


def _asked(forge: Forge, words: Mapping[str, str], method: str, path: str, data: Any = None) -> Any:
    """The answer of the server, asked again where it fails for a while."""
    name, before = forge.header
    headers = {name: f"{before}{words[forge.token]}", "Content-Type": "application/json", "User-Agent": "memreport"}
    sent = None if data is None else json.dumps(data).encode()
    request = Request(f"{words[forge.api].rstrip('/')}/{path}", sent, headers, method=method)  # noqa: S310  # of the job
    for wait in (*(FIRST_WAIT * 2**index for index in range(TRIES - 1)), 0.0):
        try:
            with build_opener(_NotFollowed).open(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except HTTPError as error:
            said = f"{words[forge.api]} answers {error.code} to {method}"
            if error.code not in PASSING:
                raise InputError([Fault(f"{said}: may {forge.token} write comments?")]) from error
        except (URLError, OSError, ValueError) as error:
            said = f"{words[forge.api]} does not answer {method}: {error}"
        time.sleep(wait)
    raise MachineError(said)
