"""CONTRIBUTING is followed to the letter: each recipe in a copy of the program, in which nothing else is touched."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pypdfium2
import pytest
import yaml

from tests.lazily import lazily_read
from tests.recipes import Followed, Recipe, case, recipe, sections
from tests.support import ROOT

__all__ = ["recipe"]


def test_a_place_that_a_recipe_does_not_name_may_not_be_touched(recipe: Followed) -> None:
    followed = recipe("Add a command")
    with pytest.raises(AssertionError, match="does not name"):
        followed.add("memreport/compute.py", "\n")
    assert {"memreport/commands/", "memreport/commands/parser/__init__.py"} <= followed.places


FIGURE = '''

@figure("N_set", title="Spare GPUs", shown=("main", "summary", "in short"))
def spare_accelerators(accelerators: Count, spares: Count) -> Count:
    """GPUs that are held ready beside the job's own.  Source: the scenario."""
    return accelerators * spares / SPARES_OF
'''
CONSTANT = """SPARES_OF = Constant("SPARES_OF", 100, "", "GPUs to which a number of spares is stated", "definition")
"""
FIELD = '    spares: float = whole(0, "GPUs held ready, for each hundred of the job", source="the operator")\n'
TRUTH = "\n\nTRUTHS.append(truth(p.spare_accelerators, 0.5, accelerators=10, spares=5))\n"
EVERY_TRUTH = "tests/figures/test_parallelism.py::test_every_figure_has_a_truth"


def with_spares(followed: Recipe) -> Recipe:
    """A figure that reads an input and a constant of its own."""
    followed.add("memreport/figures/model/parallelism.py", FIGURE)
    words = "from memreport.figures.quantities import Count, Share, Switch, Tokens\n"
    taken = f"from memreport.figures.constants import SPARES_OF\n{words}"
    followed.edit("memreport/figures/model/parallelism.py", words, taken)
    followed.add("memreport/figures/constants/__init__.py", CONSTANT)
    before = "    usable_share: float = "
    followed.edit("memreport/catalogue/fields/job.py", before, FIELD + before)
    return followed


def test_every_recipe_is_followed() -> None:
    titles = {title for title in sections() if title.startswith(("Add ", "Show "))}
    files = Path(__file__).parent.glob("test_recipes*.py")
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert titles == {title for title in titles if f'"{title}"' in text}


def test_a_scenario(recipe: Followed) -> None:
    followed = recipe("Add a scenario")
    place = "scenarios/my-job.yaml"
    followed.path(place)
    followed.ran("new", place)
    assert '"peak_bytes"' in followed.ran("show", place, "--format", "json")


def test_a_word_of_another_program(recipe: Followed) -> None:
    followed = recipe("Add a word of another program")
    words = "scenarios/reference/words"
    before = "    lora_rank: rank lora_r lora_dim r init_r"
    followed.edit(f"{words}/names.yaml", before, f"{before} adapter_width")
    before = "  - {of: optimizer, words: adam, sets: {optimizer: adamw}, source: OPTIONS}\n"
    row = before.replace("adam,", "my_adam,")
    followed.edit(f"{words}/training.yaml", before, before + row)
    before = "  - {words: mtp_num_layers,"
    followed.edit(f"{words}/instead.yaml", before, f'  - {{words: my_switch, say: "state zero_stage"}}\n{before}')
    said = [adapted(followed, stated) for stated in ("lora_rank: 8", "adapter_width: 8, optimizer: my_adam")]
    assert said[0] == said[1] != adapted(followed, "lora_rank: 9")
    other = case(followed, training="{my_switch: 1}")
    assert "state zero_stage" in followed.run("-m", "memreport", "show", str(other)).stderr


def adapted(followed: Recipe, words: str) -> str:
    """Adapters' bytes and the states of their optimizer."""
    shown = followed.ran("show", str(case(followed, training=f"{{method: lora, {words}}}")), "--format", "json")
    return "".join(re.findall(r'"(?:adapter_bytes|optimizer_state_bytes)": [0-9.]+', shown))


def test_a_figure(recipe: Followed) -> None:
    followed = with_spares(recipe("Add a figure"))
    path = case(followed, hardware="{accelerator: a100-80gb-sxm, count: 8, spares: 25}")
    assert re.search(r"(?m)^spare_accelerators +2\b", followed.ran("show", str(path), "--all"))
    assert followed.failed(EVERY_TRUTH)
    followed.add("tests/figures/test_parallelism.py", TRUTH)
    assert not followed.failed(EVERY_TRUTH)


def test_a_figure_on_page_1_and_side_by_side(recipe: Followed) -> None:
    title = "Show a figure on page 1 or side by side"
    followed = Recipe(title, with_spares(recipe("Add a figure")).folder)
    before = "    time = chosen.takes.time\n    ends ="
    fact = (
        '    yield KeyFact("Spare GPUs", view.text("spare_accelerators", index), "held ready", "spare_accelerators")\n'
    )
    followed.edit("memreport/report/answer/budget.py", before, fact + before)
    path = case(followed, hardware="{accelerator: a100-80gb-sxm, count: 8, spares: 25}")
    out = followed.folder.parent / "out"
    followed.ran("build", str(path), "--out", str(out), "--formats", "pdf,xlsx")
    page = pypdfium2.PdfDocument(out / "case" / "case.pdf")[0].get_textpage().get_text_range()
    assert re.search(r"Spare GPUs\s+2\s+held ready", page)
    summary = lazily_read(out / "case" / "case.xlsx", data_only=True)["Summary"]
    assert [2, 2] in [[one for one in row if isinstance(one, int)] for row in columns_of(summary, "Spare GPUs")]
    assert "Spare GPUs" in followed.ran("show", str(path), "--all").partition("IN SHORT")[2]


def columns_of(sheet: object, title: str) -> list[list[object]]:
    """What stands below each cell with this title."""
    rows = list(sheet.iter_rows(values_only=True))  # type: ignore[attr-defined]
    found = [(down, across) for down, row in enumerate(rows) for across, cell in enumerate(row) if cell == title]
    return [[row[across] for row in rows[down + 1 : down + 4]] for down, across in found]


LINK = """
  - id: acme-weave
    title: "Acme Weave"
    bytes_per_second: 300 GB/s
    source: {title: "Acme Weave brief", address: "", date: 2026-11-01}
"""
HOST = """
  - id: acme-box
    title: Acme Box
    form_factors: [module]
    host_accelerators: 4
    host_memory_bytes: 1024 GiB
    host_memory_bytes_per_second: 400 GB/s
    nvme_bytes: 8 TB
    nvme_bytes_per_second: 16 GB/s
    network_bytes_per_second: 12.5 GB/s
    node_power_watts: 5000 W
    basis: vendor
    source: {title: "Acme Box brief", address: "", date: 2026-11-01}
"""
REACHED = """
  - id: acme-one
    title: Acme One
    source: JUDGED
    basis: derived
    runs_cuda: 0
    sustained_share_16bit: 0.5
"""
RENTED = """
  - id: acme-hour
    kind: rent
    accelerator: acme-x1
    usd_per_accelerator_hour: 2
    currency: USD
    provider: Acme
    tier: specialised-cloud
    term: on-demand
    confidence: medium
    date: 2026-11-01
    source: {title: "Acme price list", address: "", date: 2026-11-01}
"""


def test_an_accelerator(recipe: Followed) -> None:
    followed = recipe("Add an accelerator")
    card = (ROOT / "hardware" / "accelerators" / "h100-80gb-sxm.yaml").read_text(encoding="utf-8")
    followed.write("hardware/accelerators/acme-x1.yaml", card.replace("id: h100-80gb-sxm", "id: acme-x1"))
    followed.edit("hardware/prices.yaml", "\nprices:\n", f"\nprices:{RENTED}")
    path = case(followed, hardware="{accelerator: acme-x1, count: 8}", cost="{basis: rent, price: acme-hour, hours: 5}")
    assert '"cost_total_usd": 80' in followed.ran("show", str(path), "--format", "json")


def test_an_accelerator_of_another_vendor(recipe: Followed) -> None:
    followed = recipe("Add an accelerator of another vendor")
    card = (ROOT / "hardware" / "accelerators" / "h100-80gb-sxm.yaml").read_text(encoding="utf-8")
    for before, after in {
        "id: h100-80gb-sxm": "id: acme-x1",
        "NVIDIA H100 80 GB SXM5": "Acme X1",
        "vendor: NVIDIA": "vendor: Acme",
        "form_factor: sxm": "form_factor: module",
        "architecture: hopper": "architecture: acme-one",
        "host: dgx-h100": "host: acme-box",
        "450 GB/s": "300 GB/s",
    }.items():
        assert before in card
        card = card.replace(before, after)
    followed.write("hardware/accelerators/acme-x1.yaml", card)
    hardware = "{accelerator: acme-x1, count: 8}"
    path = case(followed, hardware=hardware, training="{zero_stage: 3}", cost="{basis: rent, price: acme-hour}")
    assert "acme-box" in followed.run("-m", "memreport", "show", str(path)).stderr
    followed.add("hardware/links.yaml", LINK)
    followed.add("hardware/hosts.yaml", HOST)
    followed.add("hardware/efficiency.yaml", REACHED)
    followed.edit("hardware/prices.yaml", "\nprices:\n", f"\nprices:{RENTED}")
    said = followed.ran("show", str(path), "--all")
    assert "host Acme Box" in said
    assert re.search(r"(?m)^sustained_flop_per_second +494.7 TFLOP/s", said)  # half of 989.4
    assert re.search(r"(?m)^cost_total_usd +\$", said)
    assert "acme-weave" in followed.ran("list", "links")
    assert followed.untouched() == set()


def test_no_code_asks_for_a_vendor() -> None:
    cards = (
        yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / "hardware").rglob("accelerators/*.yaml")
    )
    vendors = {card["vendor"] for card in cards}
    assert len(vendors) > 4
    texts = ((path, path.read_text(encoding="utf-8")) for path in (ROOT / "memreport").rglob("*.py"))
    assert not [(path.name, one) for path, text in texts for one in vendors if f'"{one}"' in text or f"'{one}'" in text]


def test_a_model(recipe: Followed) -> None:
    followed = recipe("Add a model")
    config = followed.folder.parent / "config.json"
    config.write_bytes((ROOT / "tests" / "data" / "configs" / "llama-3-8b.json").read_bytes())
    card = re.sub(r"(?m)^id: .*$", "id: other", followed.ran("import-model", str(config)))
    place = "scenarios/models/other.yaml"
    followed.write(place, f"{card}published_parameters: {{value: 8030261249, source: {{title: a sheet}}}}\n")
    counted = "tests/test_numbers.py::test_parameters_of_every_model_card_are_the_published_ones"
    assert followed.failed(counted)
    followed.edit(place, "8030261249", "8030261248")
    assert not followed.failed(counted)
    said = followed.ran("show", str(case(followed, model="other")), "--format", "json")
    assert '"parameters": 8030261248' in said


FIELDS = """    vocabulary_parallel_size: float = one_or_more("GPUs that share the loss", symbol="VP")
"""
HELD = '''

@figure("f_v", workload="training")
def vocabulary_share(vocabulary_parallel_size: Count) -> Count:
    """Share of the vocabulary that a rank computes the loss of.  Source: arXiv:2411.05288."""
    return 1 / vocabulary_parallel_size
'''
SENT = '''

@figure("Q_v", workload="training")
def vocabulary_bytes(
    tokens_per_micro_batch: Tokens, activation_element_bytes: Bytes, vocabulary_share: Count
) -> Bytes:
    """A sum of each token, sent around a ring.  Source: arXiv:2411.05288."""
    return (1 - vocabulary_share) * RING_PASSES * (tokens_per_micro_batch / ONE_TOKEN) * activation_element_bytes
'''
RULE = """    Constraint(
        "vocabulary_parallel_size",
        "must divide the vocabulary",
        lambda c: divides(c["vocabulary_parallel_size"], c["vocab_size"]),
        ("training",),
    ),
"""
AXIS = '    vocabulary_parallel_size: Sizes | None = Field(default=None, description="GPUs that share the loss")\n'


def test_a_kind_of_parallelism(recipe: Followed) -> None:
    followed = recipe("Add a kind of parallelism")
    before = '    expert_parallel_size: float = one_or_more("GPUs over which experts'
    followed.edit("memreport/catalogue/fields/job.py", before, FIELDS + before)
    followed.add("memreport/figures/model/parallelism.py", HELD)
    followed.add("memreport/figures/traffic/collectives.py", SENT)
    loss = "memreport/figures/training/loss.py"
    before = "    head_parts_bytes: Bytes,\n    makes_logits: Switch,\n) -> Bytes:"
    followed.edit(loss, before, f"    vocabulary_share: Count,\n{before}")
    before = "activation_element_bytes) / logit_shards,\n            head_parts_bytes,"
    followed.edit(loss, before, before.replace("/ logit", "* vocabulary_share / logit"))
    before = "CONSTRAINTS: tuple[Constraint, ...] = (\n"
    followed.edit("memreport/catalogue/constraints.py", before, before + RULE)
    search = "memreport/catalogue/fields/search.py"
    before = '        "micro_batch_size",\n    ),\n    "serving"'
    followed.edit(search, before, f'        "vocabulary_parallel_size",\n{before}')
    before = "    micro_batch_size: Sizes | None = Field("
    followed.edit(search, before, AXIS + before)
    ranking = "memreport/advise/search/ranking.py"
    followed.edit(ranking, '_SIZES = ("tensor', '_SIZES = ("vocabulary_parallel_size", "tensor')
    whole, cut = (logits(followed, size) for size in (1, 2))
    assert cut == whole / 2
    assert "must divide the vocabulary" in followed.run("-m", "memreport", "show", str(split(followed, 3))).stderr
    planned = split(followed, 1, search="{vocabulary_parallel_size: [4], micro_batch_size: [1]}")
    assert '"vocabulary_parallel_size": 4' in followed.ran("plan", str(planned), "--format", "json")
    modules = (path.read_text(encoding="utf-8") for path in (followed.folder / "memreport").rglob("*.py"))
    assert sum("vocabulary_parallel_size" in text for text in modules) == 5


def split(followed: Recipe, size: int, **blocks: str) -> Path:
    return case(
        followed, hardware="{accelerator: a100-80gb-sxm, count: 8}",
        training=f"{{vocabulary_parallel_size: {size}, zero_stage: 3}}", **blocks,
    )  # fmt: skip


def logits(followed: Recipe, size: int) -> float:
    said = json.loads(followed.ran("show", str(split(followed, size)), "--format", "json"))
    return float(re.search(r'"logits_bytes": ([0-9.]+)', json.dumps(said))[1])  # type: ignore[index]


COMMAND = '''"""`memreport count`: how many scenarios a folder holds."""

from memreport.commands import emit


def options(parser):
    parser.add_argument("folder")


def run(given):
    from pathlib import Path

    emit(f"{len(list(Path(given.folder).glob('*.yaml')))} scenarios\\n")
    return 0
'''


def test_a_command(recipe: Followed) -> None:
    """Help, completion and manual follow by themselves."""
    followed = recipe("Add a command")
    followed.write("memreport/commands/count/__init__.py", COMMAND)
    before = "COMMANDS = {\n"
    followed.edit("memreport/commands/parser/__init__.py", before, f'{before}    "count": "count scenarios",\n')
    count = len(list((ROOT / "scenarios").glob("*.yaml")))
    assert followed.ran("count", "scenarios") == f"{count} scenarios\n"
    assert "count scenarios" in followed.ran("--help")
    assert all("count" in followed.ran(*line) for line in (("completion", "bash"), ("man",)))
