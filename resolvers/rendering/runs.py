"""Runs: neighbouring fields of a row that the database writes as one piece of JSON text.

    {"id": ..., "name": ..., "client": {"id": ..., "name": ...}, "team_ids": [...], "created_at": ..., "color": ...}
     ^ a run ------------------------------------------------^   ^ from Python     ^ a run --------------------^

The text of a run starts with the value of its first field. In the data of a response, the key of that field holds the
text as an `orjson.Fragment`, so that the JSON encoder writes the other keys of the run with it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import ColumnElement, FromClause

from resolvers.rendering.json_kinds import JsonKind


class RowSource(Protocol):
    """A source of rows (a listing, a relation) that writes runs. `rendered_columns` are those that runs can show."""

    @property
    def rendered_columns(self) -> Mapping[str, ColumnElement[Any]]: ...

    def __hash__(self) -> int: ...


class JoinedSource(RowSource, Protocol):
    """A source of at most one row by key, which a statement over other rows can join.

    `is_joinable` says whether it can; `has_rows`, whether its rows are rows of tables and not groups.
    """

    is_joinable: bool
    has_rows: bool

    def related_to(self, key: ColumnElement[Any], names: AbstractSet[str]) -> tuple[FromClause, ColumnElement[bool]]:
        """The row of a key, for an outer join, and the condition of the join. Rows also have the column `key`."""


@dataclass(frozen=True)
class ConstantField:
    """A field with the same text in each row, in which nothing must be escaped."""

    key: str
    text: str


@dataclass(frozen=True)
class ColumnField:
    """A field that shows a column."""

    key: str
    column: str
    kind: JsonKind
    is_required: bool


@dataclass(frozen=True)
class Expression:
    """The value that a resolver computes from columns of its row, in SQL: `sql` gets these columns."""

    columns: tuple[str, ...]
    sql: Callable[..., ColumnElement[Any]]


@dataclass(frozen=True)
class ComputedField:
    """A field that shows an expression."""

    key: str
    expression: Expression
    kind: JsonKind
    is_required: bool


@dataclass(frozen=True)
class ObjectField:
    """A field that shows an object made of columns of the same row."""

    key: str
    fields: "tuple[RenderedField, ...]"


@dataclass(frozen=True)
class RelatedField:
    """A field that shows the row of `relation` whose key is in the column `parent_key`: its `fields` as an object.

    If `fields` is one `ColumnField`, the field shows that value alone, or `default` (JSON) in place of null.
    """

    key: str
    relation: JoinedSource
    parent_key: str
    fields: "ColumnField | tuple[RenderedField, ...]"
    is_required: bool
    default: str | None = None


RenderedField = ConstantField | ColumnField | ComputedField | ObjectField | RelatedField


def columns_shown(fields: Iterable[RenderedField]) -> frozenset[str]:
    """The columns of a row that fields are made of, the keys of related rows included."""
    columns: frozenset[str] = frozenset()
    for field in fields:
        match field:
            case ColumnField(column=column) | RelatedField(parent_key=column):
                columns |= {column}
            case ComputedField(expression=expression):
                columns |= set(expression.columns)
            case ObjectField(fields=inner):
                columns |= columns_shown(inner)
    return columns


@dataclass(frozen=True)
class Run:
    """A run of fields. `number` tells it from the other runs that one statement writes."""

    number: int
    fields: tuple[RenderedField, ...]

    def __post_init__(self) -> None:
        # Each request looks its statement up by its runs.
        object.__setattr__(self, "_hash", hash((self.number, self.fields)))

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined,no-any-return]

    @property
    def name(self) -> str:
        """The column of a row that has the text."""
        return f"json_{self.number}"

    @property
    def objects(self) -> int:
        """The number of objects below a row that the text may have."""
        return _objects(self.fields)

    @property
    def columns(self) -> frozenset[str]:
        """The columns of a row that the text is made of."""
        return columns_shown(self.fields)


SelectedColumn = str | Run
"""What a statement selects of a row: a column by its name, or the text of a run."""


def column_names(selected: Iterable[SelectedColumn]) -> frozenset[str]:
    """The columns that are selected by name."""
    return frozenset(each for each in selected if isinstance(each, str))


def runs_of(selected: Iterable[SelectedColumn]) -> Sequence[Run]:
    """The runs that are selected, by their numbers."""
    return sorted((each for each in selected if isinstance(each, Run)), key=lambda run: run.number)


def _objects(fields: Iterable[RenderedField]) -> int:
    return sum(
        1 + _objects(field.fields)
        for field in fields
        if isinstance(field, ObjectField | RelatedField) and isinstance(field.fields, tuple)
    )
