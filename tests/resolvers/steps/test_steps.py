"""Steps: the classes are all there are, and each says what it needs and how its value is built.

Covers `resolvers/steps/attribute.py`, `resolvers/steps/batch.py`, `resolvers/steps/composed.py`,
`resolvers/steps/computed.py`, `resolvers/steps/constant.py`, `resolvers/steps/page.py`,
`resolvers/steps/related_row.py` and `resolvers/steps/step.py`. `tests/schema/execution` compares their
execution with that of graphql-core.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from resolvers.steps.attribute import Attribute
from resolvers.steps.composed import Composed
from resolvers.steps.constant import Constant
from resolvers.steps.expression import Access, Expression
from resolvers.steps.step import FieldStep
from schema.schema import GRAPHQL_SCHEMA
from tests.helpers.repository import ROOT

assert GRAPHQL_SCHEMA.query_type is not None, "all modules that declare steps are imported"

ROW = Access(lambda name: Expression(f"o.{name}"), Expression("o"))


def subclasses(of: type[Any]) -> Iterator[type[Any]]:
    for each in of.__subclasses__():
        yield each
        yield from subclasses(each)


def test_all_classes_of_steps_are_in_the_folder() -> None:
    files = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "resolvers/steps").glob("*.py")}
    assert {each.__module__ for each in subclasses(FieldStep)} <= files
    assert len({*subclasses(FieldStep)}) == 13


def test_attribute_needs_its_column_and_reads_rows_and_json() -> None:
    step = Attribute("name", default="none")
    assert step.needs == frozenset({"name"})
    assert step.values([SimpleNamespace(name="a"), SimpleNamespace(name=None)]) == ["a", "none"]
    assert step.values([{"name": "a"}, {}]) == ["a", "none"]
    assert Attribute("get").values([{"get": "a"}]) == ["a"]
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
