"""`memreport new`: a commented scenario to start from."""

from __future__ import annotations

import argparse
from pathlib import Path

from memreport.commands import folder_made, path, say
from memreport.errors import DONE, Fault, InputError

_TEMPLATE = """# yaml-language-server: $schema=./memreport.schema.json
schema: 1
id: {id}
version: 1
changes:
  - {{version: 1, date: {date}, note: first version}}
title: Name what is planned
question: Does it fit, and if not, what does?
owner: your-team
model: llama-3-8b                  # memreport list models
hardware: {{accelerator: h100-80gb-sxm, count: 8, host: dgx-h100}}
workload: {workload}
{body}
# cost: {{basis: rent, price: aws-p5-on-demand, hours: 72}}
"""


_BODIES = {
    "training": """training:                          # memreport list training-fields
  precision: bf16-mixed
  optimizer: adamw
  micro_batch_size: 1
  sequence_length: 4096
  gradient_checkpointing: none
  zero_stage: 0
variants:
  base: {}
  zero3: {training.zero_stage: 3, training.gradient_checkpointing: full}
tables:
  - title: Peak by sequence length and micro-batch
    figure: peak_bytes
    rows: {training.sequence_length: [2048, 4096, 8192]}
    columns: {training.micro_batch_size: [1, 2, 4]}
# search: {run_hours: 720}           # a run that has to end within 30 days: "How many GPUs?" is answered for it""",
    "serving": """serving:                           # memreport list serving-fields
  weight_dtype: bf16
  kv_cache_dtype: bf16
  max_model_len: 8192
  context_length: 4096
  max_num_seqs: 64
variants:
  base: {}
  fp8 cache: {serving.kv_cache_dtype: fp8}
tables:
  - title: Concurrent sequences by context
    figure: max_concurrent_sequences
    rows: {serving.context_length: [1024, 2048, 4096, 8192]}
# search: {sequence_tokens_per_second: 30}   # what each user sees: "How many users?" is answered for it""",
}


def new_scenario(file: Path, workload: str) -> None:
    """Write a commented scenario to start from.  Raises InputError where the file exists or its name is no id."""
    import re

    from memreport.catalogue.fields.validation import ID, ID_RULE, usable_id
    from memreport.files import lies, write_whole

    if lies(file):
        raise InputError([Fault("exists already", str(file))])
    if file.suffix not in (".yaml", ".yml"):
        raise InputError([Fault("a scenario's file name ends in .yaml", str(file))])
    if not re.fullmatch(ID, file.stem):
        raise InputError([Fault(f"the file's name is the scenario's id, which {ID_RULE}", str(file), found=file.stem)])
    try:
        usable_id(file.stem)
    except ValueError as error:
        raise InputError([Fault(f"the file's name is the scenario's id, which {error}", str(file))]) from error
    from datetime import UTC, datetime

    today = datetime.now(tz=UTC).date().isoformat()
    text = _TEMPLATE.format(id=file.stem, date=today, workload=workload, body=_BODIES[workload])
    write_whole(file, text.encode())


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("path", type=path, help="the scenario file to write")
    parser.add_argument(
        "--workload", choices=("training", "serving"), default="training", help="(default: %(default)s)"
    )


def run(given: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    folder = folder_made(given.path)
    new_scenario(given.path, given.workload)
    say(f"{folder}wrote {given.path}")
    say(f"next: memreport show {given.path}")
    schema = given.path.with_name("memreport.schema.json")
    if not schema.exists():
        say(f"for completion in an editor: memreport schema --out {schema}")
    return DONE
