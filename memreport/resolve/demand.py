"""What follows from a demand: the API that a service is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memreport.catalogue.records import Key, Table

NO_LOAD = (
    "needs users or requests_per_second; how many users there may be is asked without a demand, with the times that "
    "they wait under search: time_to_first_token_seconds, sequence_tokens_per_second"
)


def request_usd(of: Mapping[str, Any]) -> Any:
    """What an API takes for a request; in the words of formulas, for the browser."""
    return of["api_input_usd"] * of["prompt_tokens"] + of["api_output_usd"] * of["output_tokens"]


def cheapest_api(apis: Table, card: str, settings: Mapping[str, Any]) -> Key:
    """The API at which a request to the model costs least; none where no list price is known."""

    def usd(price: Key) -> float:
        prices = {
            name: float(apis.columns[name].values[apis.row(price)]) for name in ("api_input_usd", "api_output_usd")
        }
        return float(request_usd({**settings, **prices}))

    return min((id_ for id_ in apis.ids if apis.text("model", id_) == card), key=usd, default="none")
