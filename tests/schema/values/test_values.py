"""Each value, object and list of each row is what the tables have, wherever the graph shows the row.

Fields are found by introspection (`selections.py`); what they must show is computed from rows that plain SQL reads
(`stored_rows.py`): a column, or a rule of `expected.py`.

Covers `resolvers/activity.py` and `resolvers/lists/local_day.py`.
"""

import asyncio
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import orjson
import pytest
from graphql import GraphQLObjectType, get_named_type
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from db.reading.database import Database
from db.sample.embedded.server import Server
from resolvers import context
from schema.execution.operation import Executor, Operation
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.rows import Rows
from tests.helpers.databases import superuser_of
from tests.property_tests import examples
from tests.schema.edges import TYPES
from tests.schema.field_documents import row_type
from tests.schema.nodes import NODES
from tests.schema.values import stored_rows, varied_world
from tests.schema.values.comparison import Comparison
from tests.schema.values.expected import OWN_VALUES, VALUE_OBJECTS
from tests.schema.values.selections import call, everything, half, key_name, part, roots, values, wandering
from tests.schema.values.stored_rows import NODE_TYPES, StoredRows
from tests.schema.values.varied_world import NOW

SIZE = 6
"""Rows of each table."""

SEED = 31

EMPTY = {"Project.membership", "Screenshot.image_url", "Screenshot.thumbnail_url", "Screenshot.urls_expire_at"}
"""Fields that show nothing here: of a project below a member, and what a signer makes."""

PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
"""Without shrinking, which takes minutes: a smaller seed makes no simpler document."""

IS_FUZZ = examples(1) > 1
"""Whether everything is read. `make test` reads each object and each list of a type once."""


class Reading:
    """Reads documents of one organization."""

    def __init__(self, url: str, stored: StoredRows, own: Any) -> None:
        self._runner = asyncio.Runner()
        # Its documents are larger than those of requests, and so is what a busy machine needs for them.
        self.database = Database(url, pool_timeout=60.0, statement_timeout=60.0)
        self._runner.run(self.database.open())
        self._own = own
        self.stored = stored

    def data(self, document: str) -> Any:
        result = self._runner.run(Executor(self.database).execute(Operation(document), self._own, {}))
        assert result.errors is None, (document, result.errors)
        return orjson.loads(orjson.dumps(result.data, option=orjson.OPT_UTC_Z))

    def close(self) -> None:
        self._runner.run(self.database.close())
        self._runner.close()


@pytest.fixture(scope="module")
def reading(rows: Rows, owner_url: str, server: Server) -> Iterator[Reading]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "clock", lambda: NOW)
        with superuser_of(server, owner_url) as superuser:
            own = varied_world.build(rows, superuser, SIZE, SEED).organization_id
            stored = stored_rows.read(superuser, own, NOW)
        reading = Reading(owner_url, stored, own)
        yield reading
        reading.close()


def type_named(name: str) -> GraphQLObjectType:
    type_ = GRAPHQL_SCHEMA.type_map[name]
    assert isinstance(type_, GraphQLObjectType)
    return type_


@pytest.mark.parametrize("table", list(NODES))
def test_rows_by_id_show_what_the_tables_have(reading: Reading, table: str) -> None:
    type_, stored = type_named(TYPES[table]), reading.stored
    key, comparison = key_name(type_), Comparison(stored)
    ids = [row[key] for row in stored.tables[table]]
    for is_first in (True, False):
        selection = everything(type_) if IS_FUZZ else everything(type_, half(is_first), part)
        data = reading.data(by_ids(table, ids, selection))[NODES[table][1]]
        # Former people are shown, too.
        is_shown = [table == "members" or stored.is_live(table, row) for row in stored.tables[table]]
        assert [each is not None for each in data] == is_shown
        for each in filter(None, data):
            comparison.row(type_, each, type_.name)
    assert not comparison.wrong, comparison.summary()
    shown = {name for name, count in comparison.compared.items() if count}
    single = [name for name in arrays_of_ids(type_) if comparison.ids.get(name, 0) < 2]
    assert single == [], f"no row of the world has two ids in {single}: their order is not compared"
    missing = {f"{type_.name}.{name}" for name in type_.fields} - shown - EMPTY
    assert missing <= {f"{type_.name}.deleted_at"}, f"the world has no rows for {missing}"


def arrays_of_ids(type_: GraphQLObjectType) -> Iterator[str]:
    """The fields with ids, of a type and of its objects that are no rows."""
    for name, field in type_.fields.items():
        if f"{type_.name}.{name}" in VALUE_OBJECTS:
            yield from arrays_of_ids(get_named_type(field.type))
        elif str(field.type) == "[UUID!]!":
            yield f"{type_.name}.{name}"


@pytest.mark.parametrize(("name", "field"), [pytest.param(*each, id=each[0]) for each in roots()])
def test_root_fields_show_what_the_tables_have(reading: Reading, name: str, field: Any) -> None:
    type_ = row_type(field)
    selection = values(type_) if type_.name in NODE_TYPES and not IS_FUZZ else everything(type_)
    comparison = Comparison(reading.stored)
    shown = reading.data(f"{{ {call(name, field, selection)} }}")[name]
    if not isinstance(shown, list):
        shown = shown["results"] if "count" in shown else [shown]
    for each in shown:
        row = reading.stored.tables["organizations"][0] if type_.name == "Organization" else None
        comparison.row(type_, each, name, (), row)
    assert not comparison.wrong, comparison.summary()


@pytest.mark.hypothesis
@settings(max_examples=40 if IS_FUZZ else 2, deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(st.sampled_from(list(NODES)), st.integers(0, 2**32))
def test_rows_below_rows_show_what_the_tables_have(reading: Reading, table: str, seed: int) -> None:
    type_, comparison = type_named(TYPES[table]), Comparison(reading.stored)
    ids = [row[key_name(type_)] for row in reading.stored.tables[table]]
    document = by_ids(table, ids, wandering(type_, Random(seed), 3))
    (data,) = reading.data(document).values()
    for each in filter(None, data):
        comparison.row(type_, each, type_.name)
    assert not comparison.wrong, (document, comparison.summary())


def test_values_that_depend_on_the_path_are_deprecated() -> None:
    """All others are the same for one id, whatever the path: the tests above compare them with the stored row."""
    fields = [(row_type(type_named(parent).fields[name]), field) for parent, name, field in OWN_VALUES]
    assert [f"{type_}.{name}" for type_, name in fields if type_.fields[name].deprecation_reason is None] == []


def by_ids(table: str, ids: Sequence[Any], selection: str) -> str:
    given = ", ".join(f'"{id_}"' for id_ in ids)
    return f"{{ {NODES[table][1]}(ids: [{given}]) {{ {selection} }} }}"
