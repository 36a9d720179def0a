"""How much memory a job takes, or a part of it that is asked for: of what was submitted, whether it fits or not."""

from __future__ import annotations

from memreport.advise.asks import parts_asked
from memreport.advise.candidates import Candidate
from memreport.advise.verdict import DOES_NOT_FIT
from memreport.catalogue.names import in_sentence, title_of
from memreport.report.answer.asking import Asking, first_variants, listed, of_usable, own_of
from memreport.report.answer.rows import gib


def how_much_memory(asking: Asking) -> str:
    """The parts that the question names, or the peak, of each variant."""
    own = own_of(asking)
    said = [_of(asking, each) for each in own]
    if len(own) == 1:
        return said[0]
    return first_variants([f"{text} with {each.case.name}" for text, each in zip(said, own, strict=True)])


def _of(asking: Asking, candidate: Candidate) -> str:
    view, index = asking.view, candidate.column
    lacks = ", which does not fit" if candidate.word == DOES_NOT_FIT else ""
    peak = f"{of_usable(view, candidate)} per GPU{lacks}"
    parts = [name for name in parts_asked(view.scenario) if view.has(name)]
    amounts = [f"{in_sentence(title_of(name))} {gib(view.value(name, index))}" for name in parts]
    return f"{listed(amounts)}; in all {peak}" if parts else peak
