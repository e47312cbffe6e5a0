"""JSON array: a list of objects that the database wrote as JSON.

A response that shows exactly these objects contains the text as it is; everything else reads the parsed objects.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

import orjson

Keys = tuple["str | tuple[str, Keys]", ...]
"""The keys of each object in their order; a key whose value is such an array again is a pair with its keys."""


class JsonArray(Sequence[Any]):
    """An array of objects with the same keys, as JSON text without spaces."""

    def __init__(self, text: str, keys: Keys) -> None:
        self.text, self.keys = text, keys

    @cached_property
    def _items(self) -> list[Any]:
        items: list[Any] = orjson.loads(self.text)
        return items

    @property
    def fragment(self) -> orjson.Fragment:
        """The text as a value that the JSON encoder copies."""
        return orjson.Fragment(self.text)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

    def __getitem__(self, index: int | slice) -> Any:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)
