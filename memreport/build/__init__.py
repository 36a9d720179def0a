"""`memreport build`: every scenario through the five steps, whole files only, unchanged ones left alone."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memreport.build.planning import PlannedBuild, asked_for, file_stamps, planned
from memreport.build.run import REPORTS, Run, failed, read_manifest, say, write_manifest
from memreport.build.stamps import Stamp, Stamps, stamp
from memreport.build.together import documented_first, made_together
from memreport.errors import DONE, FINDING
from memreport.files import sole_writer

if TYPE_CHECKING:  # a build of what has not changed needs none of these
    from memreport.build.workers import Outcome

STAMPS = ".stamps.json"
SECONDS_BETWEEN_MANIFESTS = 2.0
"""A build that is stopped loses no more than what it made in that time."""


def build(options: Namespace) -> int:
    """Publish the scenarios.  Returns 1 where --fail-if-does-not-fit is given and a first variant does not fit.

    Raises InputError for bad input before anything is written.  A scenario that cannot be published stops the build
    after those under way.  With --keep-going neither stops the others; the code is then that of the worst failure.
    """
    began, asked = time.monotonic(), asked_for(options)
    with sole_writer(Path(options.out)):
        stamps = Stamps(Path(options.out) / STAMPS)
        if not options.force and stamps.nothing_changed(asked):
            return _left_alone(stamps, options, began)
        run = Run(options, stamps, read_manifest(options.out), began)
        return _built(run, asked, file_stamps(options))


def _built(run: Run, asked: str, seen: dict[str, Stamp]) -> int:
    plans = planned(run)
    todo = [plan for plan in plans if plan.reason]
    _keep_unchanged(run, plans)
    documented = documented_first(run, plans, len(todo))
    _publish(run, todo)
    reports = made_together(run, plans, documented)
    unchanged = len(plans) - len(todo)
    say(f"{run.built} built, {unchanged} unchanged, in {time.monotonic() - run.began:.1f} s: {run.out}/")
    _say_failures(run, [plan.id for plan in todo if plan.id not in run.entries and plan.id not in run.failed])
    if not run.failed:
        files = (name for plan in plans for name in run.entries[plan.id]["files"])
        _remember(run, asked, seen, [*reports, *files])
    return max([_verdict_code(run.entries, run.options), *run.failed.values()])


def _keep_unchanged(run: Run, plans: Iterable[PlannedBuild]) -> None:
    """What need not be made stays as it was; every reason is said where it is asked for."""
    for plan in plans:
        if run.options.explain:
            say(f"{plan.id}: {plan.reason or 'unchanged'}")
        if not plan.reason:
            run.entries[plan.id] = run.before["scenarios"][plan.id]


def _say_failures(run: Run, left: Sequence[str]) -> None:
    """The last lines of a build in which something failed."""
    if left:
        say(f"stopped there; not built: {len(left)} ({', '.join(left[:5])}{', ...' if len(left) > 5 else ''})")
    if run.failed:
        say(f"failed: {', '.join(run.failed)}{'' if run.options.keep_going else '; --keep-going builds the others'}")


def _left_alone(stamps: Stamps, options: Namespace, began: float) -> int:
    """What is said of a build that has nothing to do."""
    for line in (*stamps.warnings, *(f"{name}: unchanged" for name in stamps.names if options.explain)):
        say(line)
    say(f"0 built, {len(stamps.names)} unchanged, in {time.monotonic() - began:.1f} s: {options.out}/")
    known = read_manifest(options.out)["scenarios"] if options.fail_if_does_not_fit else {}
    return _verdict_code({name: known[name] for name in stamps.names if name in known}, options)


def _publish(run: Run, todo: Sequence[PlannedBuild]) -> None:
    """Publish what has to be; a manifest is written now and then, so that little is lost when the build is stopped."""
    from memreport.build import workers

    kinds = tuple(run.options.formats)
    tasks = [workers.Task(plan.resolved.loaded, plan.resolved.catalogue.folders, kinds, run.out) for plan in todo]
    with _saved_when_interrupted(run), closing(workers.publish(tasks, run.processes)) as outcomes:
        _take_in(run, outcomes, {plan.id: plan.key for plan in todo})


def _take_in(run: Run, outcomes: Iterable[Outcome], keys: Mapping[str, str]) -> None:
    """Note what the workers publish, until one fails, or all of it where the others are to go on."""
    written = time.monotonic()
    _progress(0, len(keys), "", written)
    for number, done in enumerate(outcomes, 1):
        _progress(number, len(keys), done.task.id, run.began)
        if done.fault:
            failed(run, done.task.id, done.fault, done.code)
            if not run.options.keep_going:
                return
            continue
        _note(run, done, keys[done.task.id])
        if time.monotonic() - written > SECONDS_BETWEEN_MANIFESTS:
            write_manifest(run, {name: run.before[name] for name in REPORTS})
            written = time.monotonic()


@contextmanager
def _saved_when_interrupted(run: Run) -> Iterator[None]:
    """What was published before an interrupt need not be made again."""
    try:
        yield
    except KeyboardInterrupt:
        write_manifest(run, {name: run.before[name] for name in REPORTS})
        raise


def _note(run: Run, done: Outcome, key: str) -> None:
    for name, digest in done.files.items():
        run.stamps.made(run.out / name, digest)
    sha = done.task.loaded.sha256
    run.entries[done.task.id] = {"key": key, "sha256": sha, "files": done.files, "summary": done.summary}
    run.built += 1


def _remember(run: Run, asked: str, seen: dict[str, Stamp], outputs: Sequence[str]) -> None:
    """Note how inputs looked and outputs look, so that the next build can tell at a glance that nothing has changed."""
    made = [run.out / name for name in outputs]
    out = f"{run.out.absolute()}{os.sep}"
    inputs = {path: was for path, (was, _) in run.stamps.hashes.items() if not path.startswith(out)}
    folders = {path.parent for path in made} - {run.out}
    now = {str(path): stamp(path) for path in (*made, *folders)}
    run.stamps.keep(asked, inputs | seen | now, list(run.entries), run.warnings)


def _verdict_code(entries: Mapping[str, Any], options: Namespace) -> int:
    misfits = [name for name, entry in entries.items() if not entry["summary"]["variants"][0]["fits"]]
    if options.fail_if_does_not_fit and misfits:
        say(f"does not fit: {', '.join(misfits)}")
        return FINDING
    return DONE


def _progress(index: int, whole: int, name: str, began: float) -> None:
    """One line that is written over, on terminals only: how many are done, the latest, and the time left."""
    if not sys.stderr.isatty():
        return
    left = f" {name}, about {(time.monotonic() - began) / index * (whole - index):.0f} s left" if index else ""
    sys.stderr.write(f"\r\x1b[K{index}/{whole}{left}" if index < whole else "\r\x1b[K")
    sys.stderr.flush()
