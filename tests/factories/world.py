"""A small organization in which every list has rows: what the contract is tested on.

Two worlds have the same row ids, and all their strings are tagged, so that a row of the wrong one shows.
"""

from dataclasses import dataclass, field
from uuid import NAMESPACE_URL, UUID, uuid5

SIZE = 5
"""Rows that every list of a world has at least."""


@dataclass
class World:
    """One organization. `ids` are the ids that paths need, by the names they have there."""

    tag: str
    organization_id: UUID
    ids: dict[str, UUID] = field(default_factory=dict)
    key: str = field(default="", repr=False)


def named(name: str, number: int = 0) -> UUID:
    """The id that the row of this name has in every world."""
    return uuid5(NAMESPACE_URL, f"{name}/{number}")
