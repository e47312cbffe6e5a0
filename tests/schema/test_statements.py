"""Each field of the schema costs as many statements and round trips for many rows as for few.

Fields are found by introspection: objects, lists and computed values. Those of a type share one document, which
reads an organization with one copy of a world, and one with several (`tests.schema.copied_worlds`).
"""

import asyncio
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import orjson
import pytest

from resolvers import context
from resolvers.context import Context
from resolvers.period import organization_zone
from schema.execution.operation import Executor, Operation
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.rows import Rows
from tests.schema.copied_worlds import COPIES, LITERALS, Cost, CountingDatabase, Size, copied, fixed_clock, small_lists
from tests.schema.edges import TYPES
from tests.schema.field_documents import FieldDocuments

DOCUMENTS = FieldDocuments(GRAPHQL_SCHEMA, LITERALS | {"limit": "20"})
FIELDS = {type_: [name for _, name in pairs] for type_, pairs in groupby(DOCUMENTS.fields(), itemgetter(0))}
"""The fields of each type that are not columns."""

TABLES = {type_: table for table, type_ in TYPES.items()}

SINGLE = {"Organization", "Features", "Retention", "IdleTimePage", "IdleTimePagination"}
"""Types of which an organization, or a page, has one object, whatever it has copies of."""

TOTALS = {"AmountTotal", "PaidTotal"}
"""Types of which an organization has one object for its currency, and each row of a list one."""

WITHOUT_ROWS = {
    "Project.membership": "only a project below a member has it",
    "SiteUsage.pages": "the report has them if it is asked for them",
}
"""Edges without an object here; the reason."""


class Answers(NamedTuple):
    """A document in the smaller and in the larger organization: the data, and the costs."""

    data: tuple[Any, Any]
    costs: tuple[Cost, Cost]


class Reading:
    """Executes documents over the fields of a type."""

    def __init__(self, owner_url: str, rows: Rows, runner: asyncio.Runner) -> None:
        self._runner = runner
        self.database = CountingDatabase(owner_url)
        runner.run(self.database.open())
        self._sizes = [copied(rows, "A", 1), copied(rows, "B", COPIES)]
        for size in self._sizes:
            # Later executions know the zone, and read it beside what depends on it.
            runner.run(organization_zone(Context(self.database, size.organization_id)))
        self.answers = cache(self._answers)

    def _answers(self, type_name: str, names: Sequence[str]) -> Answers:
        document = DOCUMENTS.document(type_name, names)
        found = [self._executed(document, size, self._ids(type_name, names, size)) for size in self._sizes]
        data, costs = zip(*found, strict=True)
        return Answers(data, costs)

    def _executed(self, document: str, size: Size, variables: dict[str, Any]) -> tuple[Any, Cost]:
        executing = Executor(self.database).execute(Operation(document), size.organization_id, variables)
        result, cost = self._runner.run(self.database.counted(executing))
        assert result.errors is None, (document, result.errors)
        # Days of reports are text until they are written.
        return orjson.loads(orjson.dumps(result.data)), cost

    def _ids(self, type_name: str, names: Sequence[str], size: Size) -> dict[str, Any]:
        fields = DOCUMENTS.places[type_name].type.fields
        by_ids = [name for name in names if "ids" in fields[name].args]
        tables = {name: TABLES[found.name] for name in by_ids if (found := DOCUMENTS.row_type(type_name, name))}
        return {name: [str(id_) for id_ in size.ids[table]] for name, table in tables.items()}


@pytest.fixture(scope="module")
def reading(owner_url: str, rows: Rows) -> Iterator[Reading]:
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        small_lists(patch)
        patch.setattr(context, "clock", fixed_clock)
        reading = Reading(owner_url, rows, runner)
        yield reading
        runner.run(reading.database.close())


def test_fields_cost_the_same_for_many_rows(reading: Reading) -> None:
    for type_name, names in FIELDS.items():
        if not costs_the_same(reading, type_name, names):
            assert [name for name in names if not costs_the_same(reading, type_name, [name])] == [], type_name


def costs_the_same(reading: Reading, type_name: str, names: Sequence[str]) -> bool:
    few, many = reading.answers(type_name, tuple(names)).costs
    return few == many


def test_each_copy_has_rows_behind_the_edges(reading: Reading) -> None:
    for type_name, name in ((type_name, name) for type_name, names in FIELDS.items() for name in names):
        few, many = reading.answers(type_name, tuple(FIELDS[type_name])).data
        below = DOCUMENTS.row_type(type_name, name)
        # The people of records have no manager here.
        if below is None or (name == "manager" and type_name != "Member") or f"{type_name}.{name}" in WITHOUT_ROWS:
            continue
        path = (*DOCUMENTS.places[type_name].path, name)
        times = 1 if below.name in (SINGLE | TOTALS if type_name == "Query" else SINGLE) else COPIES
        assert len(_objects(few, path)) * times == len(_objects(many, path)) > 0, (type_name, name)


def _objects(data: Any, path: Sequence[str]) -> list[Any]:
    """The objects at a path of the data; those of lists and pages one by one."""
    if data is None:
        return []
    if isinstance(data, list):
        return [each for item in data for each in _objects(item, path)]
    if data.keys() >= {"count", "results"}:
        return _objects(data["results"], path)
    return _objects(data[path[0]], path[1:]) if path else [data]
