"""Examples of the document: what the demo organization answered at one moment, kept in a file."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

FILE = "examples.json"


class Examples:
    """Values of parameters, `own` before those of the file, and bodies by operation."""

    def __init__(self, own: Mapping[str, str]) -> None:
        self.parameters: Mapping[str, str] = {**_kept()["parameters"], **own}

    def body(self, operation: str) -> Any:
        """What the operation answered; None where the file is older than the operation."""
        return _kept()["bodies"].get(operation)


@cache
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = orjson.loads((files(__package__) / FILE).read_bytes())
    return kept
