"""`enumeration`: declares an enumeration of the schema, with a description of each value."""

from enum import EnumMeta
from typing import Any

import strawberry


def enumeration(declared: EnumMeta, description: str, **values: str) -> None:
    """Declares an enumeration: what it is, and the description of each value by its name.

    Raises ValueError unless exactly the values of the enumeration are described.
    """
    names = list(declared.__members__)
    if sorted(values) != sorted(names):
        wrong = sorted(set(values) ^ set(names))
        raise ValueError(f"{declared.__name__}: describe each value, and no others. Check {', '.join(wrong)}.")
    decorated: Any = strawberry.enum(declared, description=description)
    for value in decorated.__strawberry_definition__.values:
        value.description = values[value.name]
