"""Steps: the classes are all there are, and each says what it needs and how its value is built.

Covers `resolvers/steps/attribute.py`, `resolvers/steps/batch.py`, `resolvers/steps/composed.py`,
`resolvers/steps/computed.py`, `resolvers/steps/constant.py`, `resolvers/steps/joined.py`, `resolvers/steps/page.py`,
`resolvers/steps/row_by_key.py` and `resolvers/steps/step.py`. `tests/schema/execution` compares their execution with
that of graphql-core.
"""

from collections import namedtuple
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from resolvers.steps.attribute import Attribute
from resolvers.steps.batch import Batch
from resolvers.steps.composed import Composed
from resolvers.steps.constant import Constant
from resolvers.steps.expression import Access, Expression
from resolvers.steps.joined import JoinedAttribute, JoinedRow
from resolvers.steps.page import ListPage, PageCount
from resolvers.steps.related_row import RelatedRow
from resolvers.steps.row_by_key import RowByKey
from resolvers.steps.step import FieldStep
from resolvers.work import clients_by_id
from schema.schema import GRAPHQL_SCHEMA
from tests.helpers.repository import ROOT

assert GRAPHQL_SCHEMA.query_type is not None, "all modules that declare steps are imported"

ROW = Access(lambda name: Expression(f"o.{name}"), Expression("o"))


def subclasses(of: type[Any]) -> Iterator[type[Any]]:
    for each in of.__subclasses__():
        yield each
        yield from subclasses(each)


def test_all_classes_of_steps_are_in_the_folder() -> None:
    folder = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "resolvers/steps").glob("*.py")
    }
    assert {each.__module__ for each in subclasses(FieldStep)} <= folder
    assert len({*subclasses(FieldStep)}) == 13


def test_attribute_needs_its_column_and_reads_rows_and_json() -> None:
    step = Attribute("name", default="none")
    assert step.needs == frozenset({"name"})
    assert step.values([SimpleNamespace(name="a"), SimpleNamespace(name=None)]) == ["a", "none"]
    assert step.values([{"name": "a"}, {}]) == ["a", "none"]
    assert eval(step.expression(ROW), {"o": SimpleNamespace(name=None)}) == "none"


def test_constant_needs_nothing() -> None:
    step = Constant("Project")
    assert step.needs == frozenset()
    assert step.values([1, 2]) == ["Project", "Project"]
    assert step.expression(ROW) == "'Project'"


def test_composed_object_has_columns_of_its_row() -> None:
    step = Composed(amount="budget_amount", kind="budget_kind")
    assert step.needs == frozenset({"budget_amount", "budget_kind"})
    assert [*step.values([SimpleNamespace(budget_amount=5, budget_kind="total")])[0]] == [5, "total"]
    assert step.inside(ROW).attribute("amount") == "o.budget_amount"


def make_row(names: Sequence[str]) -> Any:
    """A class of rows with these columns."""
    return namedtuple("Row", names)  # noqa: PYI024 - its columns are data


def test_related_row_becomes_joined_columns_of_its_object() -> None:
    related = clients_by_id.of("client_id")
    joined = related.joined()
    assert isinstance(joined, JoinedRow)
    prefix = joined.join.prefix
    names = ["id", f"{prefix}key", f"{prefix}name"]
    row = make_row(names)
    assert related.needs == frozenset({"client_id"})
    assert joined.needs == frozenset()
    assert [each and each.name for each in joined.values([row(1, 2, "Acme"), row(1, None, None)])] == ["Acme", None]
    name = clients_by_id.of("client_id", "name").joined()
    assert isinstance(name, JoinedAttribute)
    assert name.values([row(1, 2, "Acme")]) == ["Acme"]
    assert name.needs == frozenset()


async def _resolve(context: Any, parents: Any, arguments: Any) -> Any:
    return [parent.number for parent in parents]


def test_related_row_that_cannot_be_joined_stays() -> None:
    step = RelatedRow(_resolve)
    assert step.joined() is step


def test_page_of_which_only_the_count_is_shown_reads_no_rows() -> None:
    page = ListPage(_resolve, rows=clients_by_id, counting=_resolve)
    counted = page.counted()
    assert isinstance(counted, PageCount)
    assert counted.rows is None
    assert (without := ListPage(_resolve)).counted() is without


def test_expected_row_has_the_key_that_an_argument_names() -> None:
    step = RowByKey(_resolve, key="user_id")
    assert step.expected_row({"id": None, "user_id": 1}) == SimpleNamespace(user_id=1)
    assert step.expected_row({"id": 2, "user_id": None}) == SimpleNamespace(user_id=2)


async def test_batch_resolves_one_object_for_strawberry() -> None:
    assert await Batch(_resolve).for_one()(SimpleNamespace(number=7), SimpleNamespace(context=None)) == 7
