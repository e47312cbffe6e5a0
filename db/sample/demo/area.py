"""The rows of one area (people, work, ...) of a demo organization, by table."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar
from uuid import UUID

Row = dict[str, Any]
AreaType = TypeVar("AreaType", bound="Area")


@dataclass(frozen=True)
class Area:
    """Base of the rows of an area. Each field is a table, in the order in which rows can be inserted."""

    @property
    def tables(self) -> dict[str, list[Row]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def replace_values(area: AreaType, replacements: Mapping[Any, Any]) -> AreaType:
    """A copy of an area in which ids and texts that are keys of `replacements` are replaced."""

    def replaced(value: Any) -> Any:
        return replacements.get(value, value) if isinstance(value, UUID | str) else value

    return replace(
        area,
        **{
            table: [{column: replaced(value) for column, value in row.items()} for row in rows]
            for table, rows in area.tables.items()
        },
    )
