"""The combinations that no other one beats in everything at once."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray


def front(*smaller_is_better: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Positions of the points that are not dominated, rising; of equal points the first.

    Each argument is one objective, one value a point.  The points are walked through by the first objective: what is
    left of them dominates nothing before it, so that the first of them is of the front and drops all that it dominates.
    The rounds are as many as the front has points.
    """
    left = np.lexsort(tuple(reversed(smaller_is_better)))
    others = [column[left] for column in smaller_is_better[1:]]  # none that is left is smaller in the first
    found = []
    while left.size:
        found.append(int(left[0]))
        kept = reduce(np.logical_or, [column < column[0] for column in others])
        left, others = left[kept], [column[kept] for column in others]
    return np.sort(np.asarray(found, dtype=np.int64))
