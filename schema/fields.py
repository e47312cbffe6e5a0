"""How types and fields are declared: an object type, its fields by kind, `Page`, and the described enumerations.

Types of other modules that would be imported in a circle are named: `listed("work.Project", ...)`.
"""

from collections.abc import Callable
from datetime import datetime
from inspect import get_annotations
from typing import Annotated, Any, ForwardRef, Generic, TypeVar
from uuid import UUID

import strawberry
from strawberry.types.field import StrawberryField

from db.tables.areas import AREAS
from db.tables.columns import DescribedEnum, metadata
from resolvers.lists.list_sql import Link
from resolvers.lists.listing import Listing
from resolvers.lists.page_reader import PageReader
from resolvers.relations.arguments import declare_enum
from resolvers.relations.nodes import LiveRows, row_of_id, rows_of_ids
from resolvers.reports.grouped.variants import TimeGroup
from resolvers.steps.step import STEP, FieldStep

assert AREAS, "the enumerations of all tables are declared"
assert TimeGroup in DescribedEnum.__subclasses__(), "that of reports, too"

for each in DescribedEnum.__subclasses__():
    declare_enum(each)

T = TypeVar("T")

TYPES_BY_TABLE: dict[str, type] = {}
"""The types of the rows of tables, by table."""


def object_type(description: str | None = None, table: str = "") -> Callable[[type[T]], type[T]]:
    """A decorator: an object type with the fields of the class in their order.

    A field without a description has that of its column in `table`. Strawberry has the fields with an annotation first,
    and then those that know their type.
    """

    def declare(cls: type[T]) -> type[T]:
        annotations = get_annotations(cls)
        fields = {name: value for name, value in vars(cls).items() if isinstance(value, StrawberryField)}
        cls.__annotations__ = {name: annotations.get(name, Any) for name in fields}
        for name, value in fields.items():
            value.description = value.description or _description_of(name, cls, table)
        declared = strawberry.type(cls, description=description)
        if table:
            TYPES_BY_TABLE[table] = declared
        return declared

    return declare


def _description_of(name: str, cls: type, table: str) -> str:
    """The description of the column of the same name, or of the id of an object. Raises ValueError without either."""
    columns: Any = metadata.tables[table].c if table else ()
    for key in (name, f"{name}_id", f"{name}_user_id"):
        if key in columns:
            text: str = columns[key].info["description"]
            return text if key == name else text.replace("Id of the user ", "The person ").replace("Id of the ", "The ")
    raise ValueError(f"{cls.__name__}.{name} needs a description: the table {table!r} has no column of this name.")


def field(
    description: str = "", resolver: FieldStep | None = None, of: Any = None, *, deprecated: str | None = None
) -> Any:
    """A field with its description: by default that of the column (`object_type`).

    `resolver` is its step; without one, its value is the attribute of the same name. `of` is its type, unless an
    annotation has it.
    `deprecated` is the reason why documents should not ask for it.
    """
    declared: Any = strawberry.field(
        description=description, deprecation_reason=deprecated, graphql_type=of, metadata={STEP: resolver}
    )
    if resolver is not None:
        declared.arguments = [argument.declared for argument in resolver.arguments]
    return declared


def refers_to(of: Any, row: FieldStep, description: str = "", *, is_required: bool = False) -> tuple[Any, Any]:
    """The fields of an id and of the row that has it."""
    id_type, type_ = (UUID, of) if is_required else (UUID | None, of | None)
    return field(of=id_type), field(description, row, type_)


def named(of: Any) -> Any:
    """The type that `area.Type` names, such as `work.Project`, once all are declared; a type itself."""
    if not isinstance(of, str):
        return of
    area, name = of.split(".")
    return Annotated[ForwardRef(name), strawberry.lazy(f"schema.{area}")]


def list_of(of: Any) -> Any:
    """The type of a list of what is given or named."""
    return list.__class_getitem__(named(of))


def listed(rows: str, listing: Listing, parent: str | Link | None = None) -> Any:
    """The field of a list: that of the organization, or of the rows that refer to an object by the column `parent`.

    `rows` is what it lists; the list completes the sentence. Below a parent, only lists with a range may be null.
    """
    page: Any = Page[named(listing.resource)]  # type: ignore[misc]
    is_nullable = parent is None or listing.max_days is not None
    return field(rows + listing.description, PageReader(listing, parent).step(), page | None if is_nullable else page)


def by_ids(of: Any, source: LiveRows, rows: str = "") -> Any:
    """The field of several rows by their ids; `rows` are what they are, if not the noun of the source."""
    plural = f"{source.noun[:-1]}ies" if source.noun.endswith("y") else f"{source.noun}s"
    return field(f"{rows or plural} by their ids.", rows_of_ids(source), list[of | None] | None)


def by_id(of: Any, source: LiveRows, row: str = "", rows: str = "") -> tuple[Any, Any]:
    """The fields of one row by its id, and of several by theirs; `row` is what it is, if not the noun of the source."""
    return field(f"One {row or source.noun.lower()}.", row_of_id(source), of | None), by_ids(of, source, rows)


def audit_times() -> tuple[Any, Any, Any]:
    """The fields `created_at`, `updated_at` and `deleted_at` of a row."""
    return (field(of=datetime), field(of=datetime), field(of=datetime | None))


@object_type()
class Node:
    id: UUID = field("Unique id.")


@object_type("One page of a list.")
class Page(Generic[T]):
    count: int = field("Number of rows on all pages.")
    results: list[T] = field("Rows of this page.")
    next: str | None = field("Position after the last row, to pass as `after`; null on the last page.")
