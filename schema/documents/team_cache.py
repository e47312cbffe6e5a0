"""LRU cache that teams share: a full cache drops entries of the team that has the most in it."""

from collections import Counter, OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

CachedName = TypeVar("CachedName", bound=Hashable)
Value = TypeVar("Value")


class TeamCache(Generic[CachedName, Value]):
    """Values of all teams, of `maximum` in size together. The entry that was added last stays, whatever its size."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._entries: OrderedDict[CachedName, tuple[Value, int, str]] = OrderedDict()
        """Value, size and team; those that were used longest ago come first."""

    def get(self, key: CachedName) -> Value | None:
        """The value, which counts as used now; None if it is not kept."""
        if key not in self._entries:
            return None
        self._entries.move_to_end(key)
        return self._entries[key][0]

    def put(self, key: CachedName, value: Value, size: int, team: str) -> None:
        """Keep a value for a team."""
        self._entries.pop(key, None)
        sizes = Counter({team: size})
        for _, used, owner in self._entries.values():
            sizes[owner] += used
        while self._entries and sizes.total() > self._maximum:
            largest = max((owner for _, _, owner in self._entries.values()), key=sizes.__getitem__)
            oldest = next(each for each, (_, _, owner) in self._entries.items() if owner == largest)
            sizes[largest] -= self._entries.pop(oldest)[1]
        self._entries[key] = (value, size, team)
