"""Batch: a field of all objects of a list, resolved in one call, which may read the database.

Each declares the attributes that it needs, and the source of the rows that it returns: only what is needed is read.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from db.reading.statement import Statement
from resolvers.context import Context, SelectedBySource
from resolvers.relations.arguments import Argument
from resolvers.selected import Join, RowSource
from resolvers.steps.plain import JoinedAttribute, JoinedRow
from resolvers.steps.step import FieldStep

BatchResolver = Callable[[Context, Sequence[Any], Mapping[str, Any]], Awaitable[Sequence[Any]]]
"""Returns one value for each parent, in their order, for the same arguments."""

Read = Callable[[Context, Mapping[str, Any]], Awaitable[Any]]
"""Returns a value for arguments."""

FirstStatement = Callable[[SelectedBySource, Mapping[str, Any]], Statement]
"""Makes the statement that a step runs first, for what a document selects and for arguments, in any thread."""


@dataclass(frozen=True, eq=False)
class Batch(FieldStep):
    """What `resolve` returns for all objects.

    It returns rows of `rows`, or objects whose field `within` holds them, and passes `Context.selected` of `rows` to
    its statement. `is_heavy`: it reads as much as a report (see `Database.read_rows`).
    """

    resolve: BatchResolver
    needs: frozenset[str] | None = None
    arguments: Sequence[Argument] = ()
    rows: RowSource | None = None
    within: str | None = None
    is_heavy: bool = False
    first_statement: FirstStatement | None = None

    def __post_init__(self) -> None:
        names = [argument.name for argument in self.arguments]
        if len(set(names)) != len(names):
            raise ValueError(f"Arguments share a name: {sorted(names)}")

    def for_one(self) -> Callable[..., Any]:
        async def resolve(root: Any, info: Any, **arguments: Any) -> Any:
            return (await self.resolve(info.context, [root], arguments))[0]

        return resolve


@dataclass(frozen=True, eq=False)
class RowByKey(Batch):
    """A row whose attribute `key` has the value of the argument of the same name, or else of `id`.

    So fields of the row that need nothing but the key can be read in the same round trip as the row.
    """

    key: str = "id"

    def expected_row(self, arguments: Mapping[str, Any]) -> Any:
        """An object that has nothing but the key."""
        return SimpleNamespace(**{self.key: arguments.get(self.key) or arguments.get("id")})


@dataclass(frozen=True, eq=False)
class RelatedRow(Batch):
    """The row whose key an object has, read for all objects together; or its `column`, `default` in place of null.

    With `join`, the statement that reads the objects can read the row, too.
    """

    column: str | None = None
    default: Any = None
    join: Join | None = None

    def joined(self) -> "JoinedRow | JoinedAttribute | RelatedRow":
        """The step that takes its place where the statement of the objects joins the row to them."""
        if self.join is None:
            return self
        if self.column is None:
            return JoinedRow(self.join)
        return JoinedAttribute(self.join.prefix + self.column, self.join, self.column, default=self.default)


@dataclass(frozen=True, eq=False)
class ListPage(Batch):
    """A page, whose field `results` has the rows. `counting` resolves it where nothing but `count` is selected.

    `parent` is the column or link that connects rows with the object that the list is below; None at the root.
    """

    within: str | None = "results"
    counting: BatchResolver | None = None
    parent: Any = None

    def counted(self) -> "PageCount | ListPage":
        """The step that takes its place where nothing but the count is selected."""
        if self.counting is None:
            return self
        return PageCount(self.counting, self.needs, self.arguments, is_heavy=self.is_heavy)


@dataclass(frozen=True, eq=False)
class PageCount(Batch):
    """A page of which only the count is read, and no rows."""


@dataclass(frozen=True, eq=False)
class GroupTotals(Batch):
    """Groups of all rows of a list with their sums, or of the rows below each object."""

    groups: Any = None


@dataclass(frozen=True, eq=False)
class Report(ListPage):
    """A page of a report: its rows are no rows of a table, but sums over many, which take long to read."""

    is_heavy: bool = True


def batched(*needs: str, rows: RowSource | None = None) -> Callable[[BatchResolver], Batch]:
    """A decorator: the step of a field without arguments, which needs these attributes of its objects."""
    return lambda resolve: Batch(resolve, frozenset(needs), rows=rows)


def query_field(*arguments: Argument, of: type[Batch] = Batch, **options: Any) -> Callable[[Read], Batch]:
    """A decorator: the step of a field that does not depend on its object. `options` are those of the class `of`."""
    return lambda read: of(for_all_parents(read), frozenset(), arguments, **options)


def for_all_parents(read: Read) -> BatchResolver:
    """A batch resolver of a value that does not depend on the parent: it is read once."""

    async def resolve(context: Context, roots: Sequence[Any], arguments: Mapping[str, Any]) -> Sequence[Any]:
        return [await read(context, arguments)] * len(roots)

    return resolve
