"""The GPUs that a question asks for."""

from __future__ import annotations

OTHERS = (
    "users|people|requests|queries|sequences|tokens|texts|documents|images|adapters|hours|days|weeks|months"
    "|epochs|steps|samples|examples|layers|parameters"
)
OF_GPUS = r"(gpus|accelerators|cards|nodes|machines|rtx|[abhlv]\d+x?s?|\d{4}s?|mi\d+x?s?)\b"
FEWEST = r"(?:(?:number|count) of|fewest|minimum(?: number of)?)"
GPUS_COUNTED = rf"(?:how many ((?!({OTHERS})\b)[\w-]+ ){{0,3}}|\b{FEWEST} ([\w-]+ ){{0,2}}){OF_GPUS}"
RENT_OR_BUY = r"\b(rent|buy|own)(ing)?\b.*\bor\b.*\b(rent|buy|own)(ing)?\b"
GPU = r"(gpus?|cards?|graphics cards?|accelerators?|hardware)\b"
WHICH_GPU = rf"\b(which|what|smallest|cheapest|best) ((nvidia|amd|kind of|type of|consumer|single) )*{GPU}"
ASKS_FOR_GPUS = rf"{GPUS_COUNTED}|{WHICH_GPU}"
"""A question whose answer is hardware that carries a load, not what the stated hardware does under it."""
