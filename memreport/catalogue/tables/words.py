"""What the columns of hardware and price tables mean, and their units."""

from __future__ import annotations

import math

from memreport.catalogue.fields.job import HOST_FIGURES

LARGE, LARGE_BYTES, NOT_LARGE = "counts_as_large", 70 * 2**30, "a100"
"""Of a GPU: 1 where vLLM counts it as large, by its memory, but for one name.  Source: as `BY_GPU`."""
BY_MEMORY, CHUNK = "SGLang, server_args.py `_handle_gpu_memory_settings`", "chunk_of_memory"
CHUNKS = {2048: (0, 35), 4096: (35, 60), 16384: (160, math.inf)}
"""Tokens that SGLang works on at once, where a GPU's memory lies within these GiB; 8,192 elsewhere."""
UNITS_BY_ENDING = {
    "bytes_per_second": "byte/s",
    "_flop_per_second": "FLOP/s",
    "_bytes": "byte",
    "_watts": "W",
    "usd_per_accelerator_hour": "USD/h",
    "usd_per_accelerator": "USD",
    "usd_per_kilowatt_hour": "USD/kWh",
    "usd_per_kilowatt_month": "USD*h/kWh",
    "grid_kg_per_kwh": "kg/kWh",
    "api_input_usd": "USD",
    "api_output_usd": "USD",
}
MEANINGS = {
    "capacity_bytes": "memory that the driver reports",
    "marketed_capacity_bytes": "memory that the vendor advertises; of unified memory, what the GPU may take of it",
    "memory_bytes_per_second": "peak memory bandwidth",
    "bf16_flop_per_second": "dense BF16 rate",
    "fp16_flop_per_second": "dense FP16 rate",
    "fp8_flop_per_second": "dense FP8 rate, or the rate at which FP8 work runs",
    "int8_flop_per_second": "dense INT8 rate, or the rate at which INT8 work runs",
    "fp4_flop_per_second": "dense FP4 rate (MXFP4, NVFP4), or the rate at which FP4 work runs",
    "tf32_flop_per_second": "dense TF32 rate, or the rate at which FP32 matrix work runs",
    "fp32_flop_per_second": "FP32 vector rate",
    "link_bytes_per_second": "links between GPUs, one direction",
    "host_link_bytes_per_second": "link to the host, one direction",
    "board_power_watts": "board power",
    "chunk_of_memory": "tokens that an engine works on at once that goes by the GPU's memory; 0 for what its row says",
    "counts_as_large": "1 where an engine that takes its batches by the GPU counts it as large",
    "host_accelerators": "GPUs of one node",
    "link_domain_accelerators": "GPUs that the link between them joins beyond a node; 0 for those of the node",
    "host_memory_bytes": "host memory of one node",
    "host_memory_bytes_per_second": "host memory bandwidth of one node",
    "host_thread_rating": "PassMark rating of a thread of the host",
    "nvme_bytes": "local disk of one node",
    "nvme_bytes_per_second": "local disk bandwidth of one node",
    "network_bytes_per_second": "network per GPU, one direction",
    "node_power_watts": "power of one node",
    "usd_per_accelerator_hour": "rental price of one GPU for an hour",
    "usd_per_accelerator": "purchase price of one GPU",
    "committed": "1 where the hours are paid whether used or not",
    "instance_accelerators": "GPUs of one instance, which is rented as a whole; 0 where any number is rented",
    "instance_memory_bytes": "host memory of one rented instance; 0 where it is not known",
    "usd_per_kilowatt_hour": "electricity tariff",
    "usd_per_kilowatt_month": "colocation per contracted kilowatt and month",
    "colocation_has_power": "1 where the colocation price includes the energy",
    "pue": "power usage effectiveness of the site",
    "grid_kg_per_kwh": "carbon dioxide of the grid",
    "depreciation_years": "useful life of the hardware",
    "residual_share": "residual value over purchase",
    "api_input_usd": "list price of a million tokens of prompts of an API",
    "api_output_usd": "list price of a million tokens of answers of an API",
    "adder_share": "network, cabling and storage on top of the hardware's price",
    "rent_extras_share": "storage, network and support on top of the rent",
}
TITLES = {
    "usd_per_accelerator_hour": "Rental price",
    "usd_per_accelerator": "Purchase price",
    "usd_per_kilowatt_hour": "Electricity tariff",
    "usd_per_kilowatt_month": "Colocation price",
    "depreciation_years": "Useful life in years",
    "memory_bytes_per_second": "Memory bandwidth",
    "link_bytes_per_second": "Links between GPUs",
    "host_link_bytes_per_second": "Link to the host",
    "host_memory_bytes_per_second": "Host memory bandwidth",
    "nvme_bytes_per_second": "Disk bandwidth",
    "network_bytes_per_second": "Network of a GPU",
}
"""What people call a column whose name in plain words would not do."""
SHOWN = {
    "usd_per_accelerator_hour": ("what is billed",),
    "usd_per_accelerator": ("what is billed",),
    "depreciation_years": ("what is billed",),
}
"""Where a column is shown among figures, as `PLACES` of `formula/recording.py` calls the places."""
ROW_COLUMNS = {"hosts": HOST_FIGURES, "links": ("bytes_per_second",)}
"""Numbers of each row, by table."""
ABSENT = {"link_domain_accelerators": 0, "host_thread_rating": 2930}
"""What a row means that does not state a column; any other column is required."""
LEAST = {"host_accelerators": 1}
"""The least that a column may be, where less means nothing: a node without accelerators."""


def unit_of(name: str) -> str:
    """The unit that a figure's name ends in; plain counts have none."""
    return next((unit for ending, unit in UNITS_BY_ENDING.items() if name.endswith(ending)), "")
