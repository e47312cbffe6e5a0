"""Examples of the document: responses of the demo organization, stored in examples.json."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

FILE = "examples.json"


class Examples:
    """Example values of parameters (`overrides` first, then the file) and bodies by operation."""

    def __init__(self, overrides: Mapping[str, str]) -> None:
        self.parameters: Mapping[str, str] = {**_stored()["parameters"], **overrides}

    def body(self, operation: str) -> Any:
        """The example body of an operation; None if the file has none."""
        return _stored()["bodies"].get(operation)


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = orjson.loads((files(__package__) / FILE).read_bytes())
    return stored
