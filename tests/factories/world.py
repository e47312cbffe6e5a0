"""World: a small organization in which every list has rows, for the contract tests.

All worlds have the same row ids, and each tags its strings, so that a row of another organization is visible.
"""

from dataclasses import dataclass, field
from uuid import NAMESPACE_URL, UUID, uuid5

SIZE = 5
"""The least number of rows of a list."""


@dataclass
class World:
    """One organization. `ids` are the ids of paths, by parameter name."""

    tag: str
    organization_id: UUID
    ids: dict[str, UUID] = field(default_factory=dict)
    key: str = field(default="", repr=False)


def named(name: str, number: int = 0) -> UUID:
    """The id of the row with this name, the same in every world."""
    return uuid5(NAMESPACE_URL, f"{name}/{number}")
