"""JSON array: a list of objects that the database wrote as JSON.

A response that shows exactly these objects contains the text as it is; everything else reads the parsed objects.
"""

from collections.abc import Iterator
from typing import Any

import orjson

Keys = tuple["str | tuple[str, Keys]", ...]
"""The keys of each object in their order; a key whose value is such an array again is a pair with its keys."""


def nested_keys(keys: Keys) -> dict[str, Keys | None]:
    """The names of keys in their order, each with the keys of its array, if its value is one."""
    return dict((key, None) if isinstance(key, str) else key for key in keys)


def union_of_keys(first: Keys, second: Keys) -> Keys:
    """The keys of the first, and those that only the second has."""
    found = nested_keys(first)
    for name, inner in nested_keys(second).items():
        known = found.get(name)
        found[name] = inner if known is None else union_of_keys(known, inner or ())
    return tuple(name if inner is None else (name, inner) for name, inner in found.items())


def _beginnings(keys: Keys) -> set[str]:
    """How objects with these keys begin, at all levels."""
    names = nested_keys(keys)
    found = {f'{{"{name}":' for name in list(names)[:1]}
    return found.union(*(_beginnings(inner) for inner in names.values() if inner is not None))


class JsonArray:
    """An array of objects with the same keys, as JSON text without spaces. Iterating over it parses the text."""

    def __init__(self, text: str, keys: Keys) -> None:
        self.text, self.keys = text, keys

    def __iter__(self) -> Iterator[Any]:
        return iter(orjson.loads(self.text))

    @property
    def object_count(self) -> int:
        """The number of objects in the text, at all levels.

        Only an object begins with a brace, a quote and a key: in a string, a backslash precedes each quote.
        """
        return sum(map(self.text.count, _beginnings(self.keys)))

    @property
    def fragment(self) -> orjson.Fragment:
        """The text as a value that the JSON encoder copies."""
        return orjson.Fragment(self.text)
