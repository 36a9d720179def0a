"""How many GPUs a rental price rents at a time: of boards no price is of one GPU unless its provider says so."""

from __future__ import annotations

import yaml

from memreport.catalogue.tables.prices import COMMUNITY, INSTANCE, TIERS
from tests.conftest import Asked
from tests.support import ROOT, packaged

BOARDS = ("sxm", "oam", "superchip")
INDEX = TIERS[-1]


def test_a_gpu_of_a_board_is_rented_singly_only_where_its_provider_says_so() -> None:
    table, gpus = packaged().tables["rental_prices"], packaged().tables["accelerators"]
    book = yaml.safe_load((ROOT / "hardware" / "prices.yaml").read_text(encoding="utf-8"))
    singly = {provider["id"] for provider in book["providers"] if "rents_singly" in provider}
    sourced = {each["id"] for each in book["providers"] if {"source", "date"} <= each.keys()}
    assert singly <= sourced
    unsaid = [
        str(id_)
        for row, id_ in enumerate(table.ids)
        if (gpu := table.texts["accelerator"][row])
        and gpus.text("form_factor", gpu) in BOARDS
        and not table.columns[INSTANCE].values[row]
        and table.texts["tier"][row] not in (COMMUNITY, INDEX)
        and table.texts["provider"][row] not in singly
    ]
    assert not unsaid


def test_a_part_of_a_large_instance_is_not_the_cheapest_gpu(asked: Asked) -> None:
    """The only prices of B300 and MI300X at large clouds are of eight; A100 of one and of four are rented as such."""
    said = asked("How much does it cost to serve Llama 3.3 70B?")
    assert "a month with 4 × A100 80 GB PCIe and TP 4" in said
    assert "Rented 8 at a time" not in said
