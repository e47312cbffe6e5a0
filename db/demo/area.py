"""Areas: what the demo organizations are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar
from uuid import UUID

Row = dict[str, Any]
SomeArea = TypeVar("SomeArea", bound="Area")


@dataclass(frozen=True)
class Area:
    """Lists of rows. The fields are named after tables, and stand in the order in which rows can be inserted."""

    @property
    def tables(self) -> dict[str, list[Row]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def renamed(area: SomeArea, same: Mapping[Any, Any]) -> SomeArea:
    """An area in which ids and e-mail addresses are replaced by others."""

    def other(value: Any) -> Any:
        return same.get(value, value) if isinstance(value, UUID | str) else value

    return replace(
        area,
        **{
            table: [{column: other(value) for column, value in row.items()} for row in rows]
            for table, rows in area.tables.items()
        },
    )
