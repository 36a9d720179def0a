"""`memreport fit MODEL GPU [xN]`: one line in, the answer in five."""

from __future__ import annotations

from memreport.commands import KEPT, answer, path

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from memreport.build.cached_answers import CommandOutput

METHODS = {
    "full": "train all weights (the default)",
    "lora": "train adapters on a frozen base",
    "qlora": "train adapters on a base of four bits",
    "serve": "serve it",
}


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.epilog = KEPT
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="a model, a repository, a tag of Ollama, or a path to a config.json; or a job of another program: its "
        "configuration, its script, its command line in quotes",
    )
    parser.add_argument("accelerator", metavar="GPU", help="a GPU of the catalogue: memreport list accelerators")
    parser.add_argument("count", nargs="?", default="", metavar="xN", help="how many (default: as a job states, or x1)")
    method = parser.add_mutually_exclusive_group()
    for name, about in METHODS.items():
        method.add_argument(f"--{name}", dest="method", action="store_const", const=name, help=about)
    parser.add_argument("--model", dest="named", default="", help="the model of a job that names none which is known")
    parser.add_argument("--save", type=path, metavar="JOB.yaml", help="write the scenario to this file")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    asked = (given.model, given.accelerator, given.count, given.method or "", given.named)
    return answer(given, asked, lambda save: _fitted(asked, save))


def _fitted(asked: tuple[str, str, str, str, str], save: Path | None) -> CommandOutput:
    from memreport.build.answers.fitting import fitted
    from memreport.build.cached_answers import CommandOutput, files_of
    from memreport.catalogue.programs.job import is_stated_job
    from memreport.catalogue.programs.table import refuse_misspelt
    from memreport.errors import Fault, InputError

    model, gpu, count, method, named = asked
    if is_stated_job(model):
        return _of_stated(asked, save)
    refuse_misspelt(model)
    if model.endswith(".py"):
        instead = "its configuration, its command line in quotes, or memreport ask with what it sets"
        raise InputError([Fault("is a program, which is not read", model, expected=instead)])
    if named:
        raise InputError([Fault("names the model of a job of another program", field="--model", found=named)])
    text, code = fitted(model, gpu, count, method or "full", save)
    return CommandOutput(text, code, files_of([model] if model.endswith(".json") else []))


def _of_stated(asked: tuple[str, str, str, str, str], save: Path | None) -> CommandOutput:
    from pathlib import Path

    from memreport.build.cached_answers import CommandOutput, files_of
    from memreport.build.stated.answer import answer_on
    from memreport.catalogue.programs.job import stated_job
    from memreport.errors import DONE, Fault, InputError
    from memreport.files import lies

    text, gpu, count, method, named = asked
    if method:
        stated_job(text)  # what is no job at all is told as such
        raise InputError([Fault("is of a model: a job says itself how it trains or serves", text, found=f"--{method}")])
    said, files = answer_on(text, gpu, count, named, save)
    return CommandOutput(said, DONE, files_of([*files, *(name for name in (text, named) if lies(Path(name)))]))
