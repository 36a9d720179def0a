"""The names in a `search:` block against the tables that they stand for."""

from __future__ import annotations

from collections.abc import Iterator

from memreport.catalogue.fields.search import AXES
from memreport.catalogue.fields.validation import unknown_name
from memreport.catalogue.load import Catalogue, LoadedScenario
from memreport.catalogue.scenario import dictionary
from memreport.errors import Fault


def unknown_search_names(loaded: LoadedScenario, catalogue: Catalogue) -> Iterator[Fault]:
    """A fault for every value that its field's table does not hold, and for every list of the other workload."""
    block, workload = loaded.scenario.search, loaded.scenario.workload
    if block is None:
        return
    fields = dictionary(workload)
    for name in sorted(
        block.model_fields_set & {axis for axes in AXES.values() for axis in axes} - set(AXES[workload])
    ):
        yield loaded.document.fault(("search", name), f"is not searched in {workload}", at_key=True)
    named = {
        name: (fields[name].table, getattr(block, name)) for name in AXES[workload] if fields[name].kind == "choice"
    }
    for name, (table, values) in (named | {"hosts": ("hosts", list(block.hosts.values()))}).items():
        ids = catalogue.tables[table].ids
        for value in (value for value in values or () if value not in ids):
            yield unknown_name(loaded.document, ("search", name), value, ids, table.removesuffix("s").replace("_", " "))
    yield from _unknown_provider(loaded, catalogue)


def _unknown_provider(loaded: LoadedScenario, catalogue: Catalogue) -> Iterator[Fault]:
    """A fault where no price of the book is one of the provider whose prices are to be billed."""
    named = loaded.scenario.search.price_provider if loaded.scenario.search else None
    known = dict.fromkeys(filter(None, catalogue.tables["rental_prices"].texts["provider"]))
    if named and named not in known:
        yield unknown_name(loaded.document, ("search", "price_provider"), named, known, "provider")
