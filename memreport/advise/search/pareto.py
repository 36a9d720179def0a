"""The combinations that no other one beats in everything at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def front(*smaller_is_better: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Positions of the points that are not dominated, rising; of equal points the first.

    Each argument is one objective, one value a point.  Every round takes the point with the least sum of ranks, which
    nothing dominates, and drops all that it dominates: the rounds are as many as the front has points.
    """
    points = np.column_stack(smaller_is_better)
    order = np.lexsort(tuple(reversed(smaller_is_better)))
    left, found = order, []
    while left.size:
        first = left[0]
        found.append(int(first))
        left = left[(points[left] < points[first]).any(axis=1)]
    return np.sort(np.asarray(found, dtype=np.int64))
