"""The compiler over the whole schema, with rows of every table: the same bytes and errors as graphql-core.

Covers `resolvers/selected.py`.
"""

import asyncio
import gc
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import partial
from itertools import cycle
from typing import Any
from uuid import UUID

import orjson
import pytest
from graphql import ExecutionResult, FieldNode, get_named_type
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Table, Text, UniqueConstraint, select, update

from db.reading.database import Database
from db.tables.columns import metadata
from resolvers.context import Context
from schema.execution.compiler import response_key
from schema.execution.operation import Executor, Operation
from schema.execution.state import ExecutionBudget
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.property_tests import examples
from tests.schema.documents.documented import DOCUMENTS
from tests.schema.execution.compiled_graph import assert_same
from tests.schema.interpreter import interpret
from tests.schema.random_documents import Document, documents
from tests.world import World, build

DAYS: st.SearchStrategy[date] = st.sampled_from([THEN.date() + timedelta(days=n) for n in (-1, 0, 1, 20)])
MOMENTS: st.SearchStrategy[datetime] = st.sampled_from([THEN - timedelta(days=1), THEN + timedelta(days=1)])
TEXTS = (
    "".join(map(chr, range(1, 128))),
    'quoted "twice" and \\" again \\\\',
    "line\u2028paragraph\u2029nel\u0085 nbsp\u00a0 \ufeff\uffff",
    "family \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0010ffff",
    "</script><!-- +00:00 +00:00\" null 'x' %(x)s %s :x {} \\u0041",
    "long " * 2_000,
    "",
    " ",
)
"""Texts that JSON, SQL or HTML could spoil."""

FRACTIONS = (0, 1, 10, 120_000, 999_999, 500_000)
"""Microseconds: PostgreSQL drops zeros at the end."""

CHECKED = {"currency", "timezone", "color", "country", "carry_over_expires_on_month_day", "url"}
"""Texts of which resolvers or constraints expect something: a new column with a CHECK belongs here."""

REPEATED = DOCUMENTS if examples(1) > 1 else DOCUMENTS[::4]
"""Documents that are executed several times."""

RANGE = f'start_date: "{THEN.date()}", end_date: "{THEN.date() + timedelta(days=1)}"'


async def values(world: World, executor: Executor) -> dict[str, st.SearchStrategy[Any]]:
    """Values of arguments: ids of rows and positions after rows, as the lists of the root show them."""
    ids: list[UUID] = [*world.ids.values(), UUID(int=1)]
    found: dict[str, st.SearchStrategy[Any]] = {}
    query: Any = GRAPHQL_SCHEMA.query_type
    for name, field in query.fields.items():
        page: Any = get_named_type(field.type)
        if "limit" not in field.args or not {"next", "results"} <= page.fields.keys():
            continue
        row: Any = get_named_type(page.fields["results"].type)
        arguments = f"limit: 1, {RANGE}" if "start_date" in field.args else "limit: 1"
        selected = "id" if "id" in row.fields else "__typename"
        operation = Operation(f"{{ {name}({arguments}) {{ next results {{ {selected} }} }} }}")
        result = await executor.execute(operation, world.organization_id, {})
        assert result.data is not None
        found[f"{page.name}.after"] = mostly(result.data[name]["next"], "full_name_asc:2,=A,", "")
        if "id" in row.fields:
            shown = [str(each["id"]) for each in result.data[name]["results"]]
            names = (f"{page.name}.id", f"{row.name}.id", f"{row.name}.ids")
            found |= dict.fromkeys(names, mostly(*shown, str(UUID(int=1))))
    return found | {
        "UUID": st.sampled_from([str(id_) for id_ in ids]),
        "Date": DAYS.map(str),
        "DateTime": MOMENTS.map(datetime.isoformat),
        "Timezone": st.sampled_from(["UTC", "America/St_Johns"]),
        "Int": st.sampled_from([0, 1, 60, 3_600]),
        "Seconds": st.sampled_from([0, 60, 3_600, -1, 2**63 - 1]),
        "Decimal": st.sampled_from(["0", "1.50", "-3", "1000.0001", "9" * 20]),
        "String": st.sampled_from(["A", "EUR"]),
        "Boolean": st.booleans(),
        "page": mostly(1, 2, 0),
        "limit": mostly(2, 1, 3, 101),
        "start_date": mostly(*(str(THEN.date() - timedelta(days=n)) for n in (0, 20, -2))),
        "end_date": mostly(*(str(THEN.date() + timedelta(days=n)) for n in (1, 0))),
    }


def mostly(*choices: Any) -> st.SearchStrategy[Any]:
    """The first of these in most cases, because a list of the others may be refused."""
    return st.sampled_from([*[choices[0]] * 4, *choices[1:]])


def spoil(rows: Rows, world: World) -> None:
    """Fill the columns of a world with texts, numbers and times that are hard to write as JSON; delete some rows."""
    texts, fractions = cycle(TEXTS), cycle(FRACTIONS)
    for table in metadata.sorted_tables:
        if not table.info.get("tenant"):
            continue
        key = list(table.primary_key.columns)
        mine = select(*key).where(table.c.organization_id == world.organization_id).order_by(*key)
        with rows.transaction(world.organization_id):
            for number, id_ in enumerate(rows.connection.execute(mine).all()):
                given = dict(_spoilt(table, texts, fractions, is_deleted=number == 1))
                this = [column == value for column, value in zip(key, id_, strict=True)]
                rows.connection.execute(update(table).where(*this).values(given))


def _spoilt(table: Table, words: Iterator[str], times: Iterator[int], *, is_deleted: bool) -> Iterator[tuple[str, Any]]:
    unique = {column.name for index in table.indexes if index.unique for column in index.columns}
    constraints = [each for each in table.constraints if isinstance(each, UniqueConstraint)]
    unique |= {column.name for each in constraints for column in each.columns}
    for column in table.columns:
        if type(column.type) is Text and "values" not in column.info and column.name not in CHECKED | unique:
            yield column.name, next(words)
        elif column.name in ("created_at", "updated_at") or (column.name == "deleted_at" and is_deleted):
            yield column.name, THEN + timedelta(microseconds=next(times))
        elif column.name == "tracked_seconds_total":
            yield column.name, 2**53 + 1


# graphql-core leaves coroutines unawaited when a synchronous sibling fails.
@pytest.mark.filterwarnings("ignore:.* was never awaited:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:.*coroutine object:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.hypothesis
@pytest.mark.long
def test_random_documents_over_the_schema_match_graphql_core(owner_url: str, rows: Rows) -> None:
    world = build(rows, "A")
    spoil(rows, world)
    with asyncio.Runner() as runner:
        database = Database(owner_url)
        runner.run(database.open())
        executor, own = Executor(database), world.organization_id
        found = runner.run(values(world, executor))

        @settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
        @given(documents(GRAPHQL_SCHEMA, found, depth=4))
        def attempt(document: Document) -> None:
            operation = Operation(document.text)
            compiled = runner.run(executor.execute(operation, own, document.variables))
            theirs = runner.run(interpret(document.text, document.variables, partial(Context, database, own, None)))
            if is_refused(compiled) and theirs.data is not None and not document.null_flags:
                assert_refused_alike(document, compiled, theirs)
                return
            assert_same(document, (compiled.data, compiled.errors or []), (theirs.data, theirs.errors or []))
            if compiled.data is not None:
                compared.append((document, operation))

        compared: list[tuple[Document, Operation]] = []
        attempt()
        assert len({document.text for document, _ in compared}) >= examples(40) / 2
        for document, operation in [*compared[::10], *((Document(text, {}), Operation(text)) for text in REPEATED)]:

            def execute(budget: ExecutionBudget) -> ExecutionResult:
                return runner.run(executor.execute(operation, own, document.variables, budget))  # noqa: B023 - called now

            assert_same_each_time(execute, document)
        runner.run(database.close())
    # Collect the coroutines now, while their warnings are ignored.
    gc.collect()


def is_refused(result: ExecutionResult) -> bool:
    """Whether a constant of the document was refused, before anything was executed."""
    return result.data is None and [error.path for error in result.errors or ()] == [None]


def assert_refused_alike(document: Document, ours: ExecutionResult, theirs: ExecutionResult) -> None:
    """Assert that graphql-core refuses the field, maybe for another wrong argument, or does not reach it."""
    assert ours.errors and ours.errors[0].nodes
    (refused,), (node,) = ours.errors, ours.errors[0].nodes
    assert isinstance(node, FieldNode)
    key = response_key(node)
    codes = {(each.extensions or {}).get("code") for each in theirs.errors or () if each.path and each.path[-1] == key}
    if codes:
        assert (refused.extensions or {})["code"] in codes, document.text
    elif len(re.findall(rf"\b{key}\b", document.text)) == 1:
        # Unless another field may have the same key.
        assert f'"{key}":'.encode() not in orjson.dumps(theirs.data), document.text


def assert_same_each_time(execute: Callable[[ExecutionBudget], ExecutionResult], document: Document) -> None:
    """Assert that six executions have the same data and use the same of their budgets: its objects and its bytes."""
    found = set()
    for _ in range(6):
        budget = ExecutionBudget()
        result = execute(budget)
        data = orjson.dumps(result.data, option=orjson.OPT_UTC_Z)
        found.add((data, budget.objects, budget.size))
        if not result.errors:
            assert budget.size == len(data), document.text
            if "custom_fields" not in document.text:
                assert budget.objects == objects_in(result.data), document.text
    assert len(found) == 1, document.text


def objects_in(data: Any) -> int:
    if isinstance(data, list):
        return sum(map(objects_in, data))
    return 1 + sum(map(objects_in, data.values())) if isinstance(data, dict) else 0
