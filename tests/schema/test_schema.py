"""The whole schema: names of the contract, types of lists and pages, no mutations.

Covers `schema/people.py`, `schema/work.py`, `schema/timesheets.py`, `schema/activity.py`, `schema/leaves.py`,
`schema/payroll.py` and `schema/fields.py`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import graphql
from graphql import GraphQLEnumType, GraphQLNamedType, GraphQLObjectType, get_named_type, get_nullable_type

from schema.schema import GRAPHQL_SCHEMA, schema_text

SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
PASCAL_CASE = re.compile(r"([A-Z][a-z0-9]*)+")


def types() -> Iterator[GraphQLNamedType]:
    for type_ in GRAPHQL_SCHEMA.type_map.values():
        if not graphql.is_introspection_type(type_) and not graphql.is_specified_scalar_type(type_):
            yield type_


def fields() -> Iterator[tuple[str, graphql.GraphQLField]]:
    for type_ in types():
        if isinstance(type_, GraphQLObjectType):
            yield from ((f"{type_.name}.{name}", field) for name, field in type_.fields.items())


def arguments() -> Iterator[tuple[str, Any]]:
    for place, field in fields():
        yield from ((f"{place}({name}:)", argument) for name, argument in field.args.items())


def test_schema_is_valid_and_survives_printing() -> None:
    assert graphql.validate_schema(GRAPHQL_SCHEMA) == []
    again = graphql.build_schema(graphql.print_schema(GRAPHQL_SCHEMA))
    assert graphql.print_schema(again) == graphql.print_schema(GRAPHQL_SCHEMA)
    assert {"Query", "Organization", "Member", "Project", "Task"} <= set(again.type_map)


def test_schema_graphql_is_up_to_date() -> None:
    kept = Path(__file__).parents[2] / "schema" / "schema.graphql"
    assert kept.read_text() == schema_text(), "schema/schema.graphql is out of date: run make generated"


def test_schema_has_only_queries() -> None:
    assert GRAPHQL_SCHEMA.mutation_type is None
    assert GRAPHQL_SCHEMA.subscription_type is None
    inputs = [type_.name for type_ in types() if isinstance(type_, graphql.GraphQLInputObjectType)]
    assert [name for name in inputs if not name.endswith(("Where", "WhereOfList", "Having", "Comparison"))] == []


def test_names_are_snake_case_and_pascal_case() -> None:
    for type_ in types():
        assert PASCAL_CASE.fullmatch(type_.name), type_.name
        if isinstance(type_, GraphQLEnumType):
            assert [value for value in type_.values if not SNAKE_CASE.fullmatch(value)] == [], type_.name
    for place, field in fields():
        assert SNAKE_CASE.fullmatch(place.split(".")[1]), place
        assert [name for name in field.args if not SNAKE_CASE.fullmatch(name)] == [], place


def test_enum_values_are_the_stored_ones() -> None:
    for type_ in types():
        if isinstance(type_, GraphQLEnumType):
            assert list(type_.values) == [getattr(value.value, "value", value.value) for value in type_.values.values()]


def test_no_argument_names_an_organization() -> None:
    assert [place for place, _ in arguments() if "organization" in place.split("(")[1]] == []


def test_lists_and_their_items_are_never_null() -> None:
    # Pages of a website are null unless requested; a list of the query type fails without the rest of the data.
    nullable = {"SiteUsage.pages", *(place for place, _ in fields() if place.endswith("_totals"))}
    nullable |= {*(place for place, _ in fields() if place.startswith("Query."))}
    for place, field in fields():
        bare = get_nullable_type(field.type)
        if isinstance(bare, graphql.GraphQLList):
            assert graphql.is_non_null_type(field.type) or place in nullable, place
            # Several rows by their ids are null where there is no row.
            assert graphql.is_non_null_type(bare.of_type) == (not place.endswith("_by_id")), place


def test_every_page_has_same_fields_and_arguments() -> None:
    pages = {type_.name for type_ in types() if isinstance(type_, GraphQLObjectType) and "next" in type_.fields}
    assert {"MemberPage", "ProjectPage", "TaskPage"} <= pages
    for name in pages:
        page = GRAPHQL_SCHEMA.type_map[name]
        assert isinstance(page, GraphQLObjectType)
        assert list(page.fields) == ["count", "results", "next"]
        assert name == f"{get_named_type(page.fields['results'].type).name}Page"
    for place, field in fields():
        if get_named_type(field.type).name in pages:
            assert {"page", "limit", "after"} <= set(field.args), place
            limit = 20 if place.startswith("Query.") else 10
            assert (field.args["page"].default_value, field.args["limit"].default_value) == (1, limit), place


def test_secrets_are_not_fields() -> None:
    names = {place.split(".")[1] for place, _ in fields()}
    assert names & {"organization_id", "digest", "object_key", "password", "secret", "birthday", "ip"} == set()


def test_amounts_are_exact_and_no_floats() -> None:
    assert "Float" not in GRAPHQL_SCHEMA.type_map
    words = ("amount", "rate", "total", "subtotal", "price", "quantity", "percent", "multiplier")
    money = "Invoice InvoiceLine InvoiceTax PaymentSetting HourlyPaymentLog HourlyPaymentLine OneTimePaymentLog Payable"
    for name in money.split():
        shown = {place: field for place, field in fields() if place.startswith(f"{name}.")}
        numbers = [place for place in shown if place.split("_")[-1].split(".")[-1] in words or ".amount" in place]
        assert numbers, name
        assert {get_named_type(shown[place].type).name for place in numbers} <= {"Amount", "Quantity", "Factor"}, name
