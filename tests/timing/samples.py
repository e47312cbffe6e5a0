"""Timing of two actions in random order, and the rank-sum test of Mann and Whitney over the samples."""

import math
import random
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from time import perf_counter
from typing import NamedTuple

Act = Callable[[], Awaitable[object]]


class Comparison(NamedTuple):
    """Medians in microseconds, and the two-sided p of the rank-sum test of Mann and Whitney."""

    first: float
    second: float
    p: float

    @property
    def difference(self) -> float:
        """Microseconds between the medians."""
        return abs(self.first - self.second)


async def compare(first: Act, second: Act, samples: int, *, before: Callable[[], object] = lambda: None) -> Comparison:
    """Time both, `before` each; which comes first is left to chance, so that neither has the better neighbours."""
    chance = random.Random(1)
    taken: tuple[list[float], list[float]] = ([], [])
    acts = [(first, taken[0]), (second, taken[1])]
    for number in range(samples + samples // 10):
        if number == samples // 10:  # what was taken until here was to warm up
            for durations in taken:
                durations.clear()
        chance.shuffle(acts)
        for act, durations in acts:
            before()
            begin = perf_counter()
            await act()
            durations.append((perf_counter() - begin) * 1_000_000)
    return Comparison(median(taken[0]), median(taken[1]), rank_sum(*taken))


def rank_sum(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p that both come from one distribution, by the normal approximation; for samples of 20 and more."""
    ranked = sorted([(value, 0) for value in first] + [(value, 1) for value in second])
    ranks = sum(rank for rank, (_, of) in enumerate(ranked, 1) if of == 0)
    n, m = len(first), len(second)
    z = (ranks - n * (n + m + 1) / 2) / math.sqrt(n * m * (n + m + 1) / 12)
    return math.erfc(abs(z) / math.sqrt(2))
