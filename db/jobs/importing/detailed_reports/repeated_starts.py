"""Entries of one person that start at the same moment: each gets a number, so that each has an id of its own.

Nearly all entries start alone. So a first pass over the file marks each start in a bitmap, and keeps the starts that
find their mark set: a few percent too many, as marks collide, but never one too few. A second pass numbers only these.
That takes 16 MB for any number of entries, where a count for each would take 200 MB a million.
"""

from collections import Counter
from collections.abc import Hashable

BITS = 1 << 27


class RepeatedStarts:
    """Numbers keys that occur several times, by their order in the file: 0, 1, 2 and so on."""

    def __init__(self, bits: int = BITS) -> None:
        self._bits = bits
        self._marks = bytearray(bits // 8)
        self._counts: Counter[Hashable] = Counter()

    def mark(self, key: Hashable) -> None:
        """Note that the key occurs. Call it for all keys before the first `number`."""
        byte, bit = divmod(hash(key) % self._bits, 8)
        if self._marks[byte] >> bit & 1:
            self._counts[key] = 0
        self._marks[byte] |= 1 << bit

    def number(self, key: Hashable) -> int:
        """How often the key occurred before."""
        if key not in self._counts:
            return 0
        self._counts[key] += 1
        return self._counts[key] - 1
