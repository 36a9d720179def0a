"""`memreport show`: the answer on one screen; every figure where it is asked for."""

from __future__ import annotations

from memreport.commands import KEPT, emit, engines, formats, path, table_of
from memreport.errors import DONE, FINDING, Fault, InputError, nearest

TYPE_CHECKING = False  # spares --help the import of typing
if TYPE_CHECKING:
    import argparse

    from memreport.advise.decide import Decision
    from memreport.build.cached_answers import CommandOutput
    from memreport.compute import Computed


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.epilog = KEPT
    parser.add_argument("scenario", type=path, nargs="+", help="scenario files or folders, or a portfolio.yaml")
    parser.add_argument("--variant", action="append", default=[], help="only this variant (may be repeated)")
    parser.add_argument("--all", action="store_true", help="every figure instead of the answer")
    parser.add_argument("--figures", metavar="LIST", default="", help="these figures, such as peak_bytes,step_seconds")
    engines(parser, "portfolios are computed")
    parser.add_argument("--fail-if-does-not-fit", action="store_true", help="exit 1 when a shown variant does not fit")
    formats(parser, "table", "json", "markdown")


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if _is_one_answer(given):
        from memreport.build.cached_answers import cached_answer
        from memreport.publish.text.width import columns

        said_how = (given.format, str(columns()), str(given.fail_if_does_not_fit))
        asked = ("show", str(given.scenario[0]), *said_how, *given.variant)
        said = cached_answer(asked, given.scenario[0], lambda: _one(given))
        emit(said.text, colour=True)
        return said.code
    return _several(given)


def _is_one_answer(given: argparse.Namespace) -> bool:
    """Whether the answer of one scenario is asked for, which is kept for each width of a terminal."""
    from memreport.portfolio import is_portfolio

    alone = len(given.scenario) == 1 and given.scenario[0].is_file() and not is_portfolio(given.scenario[0])
    return alone and not given.all and not given.figures


def _one(given: argparse.Namespace) -> CommandOutput:
    """The answer of one scenario file."""
    from memreport.build.cached_answers import CommandOutput, files_of
    from memreport.frame import computed_of

    computed, chosen = computed_of(given.scenario[0]), tuple(given.variant)
    known = _known(computed, chosen)
    fits = all(computed.values["fits"][known.index(name)] for name in chosen or known)
    text = _text(given, computed, chosen or known, several=False)
    code = FINDING if given.fail_if_does_not_fit and not fits else DONE
    return CommandOutput(text, code, files_of(case.card.file for case in computed.resolved.cases))


def _several(given: argparse.Namespace) -> int:
    """All figures, folders, portfolios."""
    from memreport.frame import computed_in
    from memreport.portfolio import is_portfolio, portfolio_files

    if given.format == "markdown" and (given.all or given.figures):
        raise InputError([Fault("--format markdown holds the answer; leave out --all and --figures")])
    chosen, fits = tuple(given.variant), True
    for file in portfolio_files(given.scenario):
        from memreport.build.portfolios import show_portfolio

        whole = given.all or given.format == "markdown"
        emit(show_portfolio(file, given.format, whole=whole, table=table_of(given)))
    scenarios = [path for path in given.scenario if not is_portfolio(path)]
    everything = computed_in(scenarios) if scenarios else ()
    for index, computed in enumerate(everything):
        known = _known(computed, chosen)
        fits &= all(computed.values["fits"][known.index(name)] for name in chosen or known)
        emit("\n" if index and given.format == "markdown" else "")
        emit(_text(given, computed, chosen or known, several=len(everything) > 1), colour=True)
    return FINDING if given.fail_if_does_not_fit and not fits else DONE


def _text(given: argparse.Namespace, computed: Computed, names: tuple[str, ...], *, several: bool) -> str:
    """What is asked for of one scenario: data, figures, or the answer; of several, one line each."""
    if given.format == "json":
        from memreport.publish.json.answer import shown_data
        from memreport.publish.json.scenario import to_json

        return to_json(shown_data(_decided(computed, tuple(given.variant)), tuple(given.variant)))
    if given.figures:
        from memreport.publish.text.figures import figures_text

        return figures_text(computed, names, _figures(computed, given.figures))
    if given.all:
        return _everything(computed, names, tuple(given.variant))
    return _answer(computed, tuple(given.variant), several=several, style=given.format)


def _everything(computed: Computed, names: tuple[str, ...], chosen: tuple[str, ...]) -> str:
    from memreport.publish.text.figures import all_figures_text
    from memreport.report.answer.answered import answered

    decision = _decided(computed, chosen)
    return all_figures_text(decision, names, answered(decision)[0])


def _decided(computed: Computed, chosen: tuple[str, ...]) -> Decision:
    """The advice on the one variant that is chosen, or on the first."""
    from memreport.advise.decide import decide

    return decide(computed, chosen[0] if len(chosen) == 1 else "", sensitivity=False)


def _answer(computed: Computed, chosen: tuple[str, ...], *, several: bool, style: str) -> str:
    from memreport.publish.text.answer import blocks_text, one_line
    from memreport.report.answer.answered import answered
    from memreport.report.answer.screen import screen_of

    decision = _decided(computed, chosen)
    if style == "markdown":
        from memreport.publish.markdown.blocks import blocks_markdown

        return blocks_markdown(screen_of(decision, chosen))
    if several:
        return one_line(computed.resolved.loaded.scenario.id, answered(decision)[0])
    return blocks_text(screen_of(decision, chosen))


def _figures(computed: Computed, listed: str) -> tuple[str, ...]:
    """The names in the list; none for all.  Raises InputError for names that are no figure."""
    names = tuple(name.strip() for name in listed.split(",") if name.strip())
    known = [line.name for line in computed.lines]
    file = str(computed.resolved.loaded.path)
    every = f"memreport show {file} --all"
    faults = [
        Fault("is no figure", file, 0, 0, "--figures", repr(name), every, nearest(name, known))
        for name in names
        if name not in known
    ]
    if faults:
        raise InputError(faults)
    return names


def _known(computed: Computed, chosen: tuple[str, ...]) -> tuple[str, ...]:
    """The variants that there are.  Raises InputError where another one is chosen."""
    known = tuple(case.name for case in computed.resolved.variants)
    for name in chosen:
        if name not in known:
            found, expected = repr(name), ", ".join(known)
            file = str(computed.resolved.loaded.path)
            raise InputError(
                [Fault("no such variant", file, found=found, expected=expected, nearest=nearest(name, known))]
            )
    return known
