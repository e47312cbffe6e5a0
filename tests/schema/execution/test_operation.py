"""Operations: validation, hints, result path, variables, and errors.

Covers `schema/execution/arguments.py`, `schema/execution/hints.py`.
"""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
import strawberry
from graphql import parse, specified_rules, validate

from resolvers.errors import Invalid, NotFound
from resolvers.relations.arguments import Argument
from resolvers.steps.computed import Computed, computed
from schema.execution.operation import RULES_OF_TOKENS, InvalidDocument, Operation, Variable, validation_errors
from schema.execution.plan import SelectionPlan
from schema.fields import field
from schema.schema import GRAPHQL_SCHEMA
from tests.schema.execution.compiled_graph import execute

NAME = Argument(name="name", type=str, default="x", description="Its name.")


class Unreachable(Exception):
    """An unexpected exception."""


def raising(error: Exception) -> Computed:
    @computed()
    def raise_it(_: Any) -> None:
        raise error

    return raise_it


def named_thing(_: Any, name: str = "other") -> Any:
    return SimpleNamespace(name=name)


@strawberry.type
class Thing:
    name: str
    missing: str | None = field("Missing.", raising(NotFound("Thing")))
    refused: str | None = field("Refused.", raising(Invalid("Too many.", {"things": 1001, "cap": 1000})))
    broken: str | None = field("Broken.", raising(Unreachable("the cause")))


@strawberry.type
class Query:
    thing: Thing = field("One.", Computed(named_thing, None, [NAME]))
    other: Thing | None = field("Another.", computed()(named_thing))


SMALL = strawberry.Schema(Query)._schema


def run(document: str, name: str | None = None, **variables: Any) -> Any:
    return asyncio.run(execute(Operation(document, SMALL, name), variables))


def test_invalid_document_is_refused_when_built() -> None:
    for document, reason in [
        ("", "Syntax Error"),
        ("{ thing { name }", "Syntax Error"),
        ("{ nothing }", "Cannot query field 'nothing' on type 'Query'"),
        ("query a { thing { name } } query b { thing { name } }", "Expected one operation, found 2"),
        ("mutation { thing { name } }", "not"),
        ("subscription { thing { name } }", "not"),
    ]:
        with pytest.raises(InvalidDocument) as caught:
            pytest.fail(f"{document} is {Operation(document, SMALL)}")
        assert reason in str(caught.value)
        assert str(caught.value).endswith(document), "the text shows the document"


def test_errors_are_limited() -> None:
    with pytest.raises(InvalidDocument) as caught:
        Operation(f"{{ {' '.join(f'x{number}' for number in range(100))} }}", SMALL)
    assert len(caught.value.errors) == 21
    assert "aborted" in caught.value.errors[-1].message


def test_operation_is_chosen_by_name() -> None:
    several = """
        query a { thing { ...f } }
        query b($n: String! = "y", $skip: Boolean! = false) { thing(name: $n) { name @skip(if: $skip) } }
        fragment f on Thing { name }
    """
    for name, expected in {"a": {"thing": {"name": "x"}}, "b": {"thing": {"name": "y"}}}.items():
        assert Operation(several, SMALL, name).name == name
        assert run(several, name).data == expected
    for name in ("c", ""):
        with pytest.raises(InvalidDocument, match=f"Expected one operation called '{name}', found 0"):
            Operation(several, SMALL, name)
    assert Operation("{ thing { name } }", SMALL).name == ""
    with pytest.raises(InvalidDocument, match="Expected one operation called 'a', found 0"):
        Operation("{ thing { name } }", SMALL, "a")


def test_chosen_operation_may_run_on_graphql_core() -> None:
    several = "query a { __schema { queryType { name } } } query b { thing { name } }"
    assert run(several, "a").data == {"__schema": {"queryType": {"name": "Query"}}}


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ("{ thing { name missing } }", ("thing",)),
        ("{ thing { name } other { name } }", ()),
        ("{ it: thing { name missing } }", ("it",)),
        ("{ it: thing { called: name missing } }", ("it",)),
        ("{ thing { ...f } } fragment f on Thing { name missing }", ("thing",)),
        ("{ thing { name } }", ("thing", "name")),
    ],
)
def test_result_path_follows_single_fields(document: str, path: tuple[str, ...]) -> None:
    assert Operation(document, SMALL).result_path == path


def test_result_path_of_a_nested_page() -> None:
    operation = Operation("query ($id: UUID!) { project(id: $id) { tasks(page: 2) { count next results { id } } } }")
    assert operation.result_path == ("project", "tasks")


def test_variables_have_types_choices_and_defaults() -> None:
    operation = Operation(
        """
        query ($id: UUID!, $ids: [UUID!], $status: [TaskStatus!], $page: Int! = 1, $active: Boolean, $text: String) {
          task(id: $id) { id }
          tasks(id: $ids, status: $status, page: $page, is_active: $active, external_id: $text) { count }
        }
        """
    )
    assert operation.variables == (
        Variable("id", "UUID", is_list=False, is_required=True, choices=None),
        Variable("ids", "UUID", is_list=True, is_required=False, choices=None),
        Variable("status", "TaskStatus", True, False, ("open", "in_progress", "completed", "archived")),
        Variable("page", "Int", is_list=False, is_required=False, choices=None, default=1),
        Variable("active", "Boolean", is_list=False, is_required=False, choices=None),
        Variable("text", "String", is_list=False, is_required=False, choices=None),
    )


def test_coded_error_has_code_and_details() -> None:
    result = run("{ thing { name missing refused } }")
    assert result.data == {"thing": {"name": "x", "missing": None, "refused": None}}
    refused, missing = sorted(result.errors, key=lambda error: error.message, reverse=True)
    assert (missing.message, missing.extensions) == ("Thing not found.", {"code": "RESOURCE_NOT_FOUND"})
    assert isinstance(missing.original_error, NotFound)
    details = {"things": 1001, "cap": 1000}
    assert (refused.message, refused.extensions) == ("Too many.", {"code": "VALIDATION_ERROR", "details": details})


def test_unexpected_exception_has_cause_without_code() -> None:
    result = run("{ thing { name broken } }")
    assert result.data == {"thing": {"name": "x", "broken": None}}
    (error,) = result.errors
    assert not error.extensions
    assert isinstance(error.original_error, Unreachable)
    assert str(error.original_error) == "the cause"


@pytest.mark.parametrize("variables", [{}, {"n": None}, {"n": 1}, {"n": ["x"]}, {"n": {"x": "y"}}], ids=str)
def test_invalid_variables_are_errors(variables: dict[str, Any]) -> None:
    result = run("query ($n: String!) { thing(name: $n) { name } }", **variables)
    assert result.data is None
    (error,) = result.errors
    assert not error.extensions
    assert "$n" in error.message


CANNOT = "Cannot query field "
NOT_IN_WHERE = "Expected value of type 'MemberWhere' not to include unknown field "


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            "{ members { full_name } }",
            f"{CANNOT}'full_name' on type 'MemberPage'. Did you mean 'results {{ full_name }}'?",
        ),
        ("{ tasks { results { members { results { member { id } } } } } }", "'TaskMember'. Did you mean 'user'?"),
        ("{ invoice_totals { results { amount_due } } }", "Did you mean the fields inside 'results', without"),
        ("{ invoices(status: late) { count } }", "'InvoiceStatus' enum. Did you mean one of draft, sent, viewed,"),
        ("{ teams { nodes { name } } }", f"{CANNOT}'nodes' on type 'TeamPage'. Did you mean 'results'?"),
        ("{ members(filter: {status: active}) { count } }", "'filter' on field 'Query.members'. Did you mean 'where'?"),
        ("{ users { count } }", f"{CANNOT}'users' on type 'Query'. Did you mean 'members'?"),
        ("{ members { salary } }", f"{CANNOT}'salary' on type 'MemberPage'."),
        ("{ members(where: {days: {}}) { count } }", f"{NOT_IN_WHERE}'days', found: {{"),
        ('{ members(where: {ful_name: {_eq: "x"}}) { count } }', f"{NOT_IN_WHERE}'ful_name'. Did you mean 'full_name'"),
    ],
)
def test_unknown_field_is_refused_with_a_hint(document: str, message: str) -> None:
    with pytest.raises(InvalidDocument) as caught:
        Operation(document)
    (error,) = caught.value.errors
    assert message in error.message


def test_value_of_a_variable_is_refused_with_the_values() -> None:
    errors = Operation("query ($s: InvoiceStatus!) { invoices(status: [$s]) { count } }").coerce({"s": "late"}).errors
    assert errors[0].message.endswith("Did you mean one of draft, sent, viewed, partially_paid, paid, void?")


@pytest.mark.parametrize(
    ("where", "hint"),
    [
        ("{custom_fields: {}}", "one of the columns is_active, has_running_timer, user_id, "),
        ("{full_name: {contains: 1}}", "one of _eq, _neq, "),
    ],
)
def test_hint_at_conditions_names_those_that_are(where: str, hint: str) -> None:
    with pytest.raises(InvalidDocument) as caught:
        Operation(f"{{ members(where: {where}) {{ count }} }}")
    assert f"Did you mean {hint}" in caught.value.errors[0].message


def test_every_named_rule_is_one_of_graphql_core() -> None:
    named = {name for names in RULES_OF_TOKENS.values() for name in names.split()}
    assert named <= {rule.__name__.removesuffix("Rule") for rule in specified_rules}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{ projects(limit: $limit) { count } }", "Variable '$limit' is not defined."),
        ("query ($limit: Int) { projects { count } }", "Variable '$limit' is never used."),
        ("query ($limit: Project) { projects(limit: $limit) { count } }", "Variable '$limit' cannot be non-input type"),
        ("{ projects { ...page } }", "Unknown fragment 'page'."),
        ("{ projects { count } } fragment page on ProjectPage { count }", "Fragment 'page' is never used."),
        ("{ projects { ... on Client { id } } }", "Fragment cannot be spread here"),
        ("{ projects { count @upper } }", "Unknown directive '@upper'."),
        ("{ projects { count @skip(if: true) @skip(if: true) } }", "can only be used once"),
        ("{ projects { sum } }", "Cannot query field 'sum'"),
        ("{ projects { count } } { clients { count } }", "must be the only defined operation"),
    ],
)
def test_invalid_document_has_errors_of_all_rules(document: str, message: str) -> None:
    parsed = parse(document)
    errors = validation_errors(parsed, document, GRAPHQL_SCHEMA)
    assert errors == validation_errors(parsed, None, GRAPHQL_SCHEMA) == validate(GRAPHQL_SCHEMA, parsed)
    assert message in errors[0].message


def test_failure_of_a_generated_function_is_logged(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SelectionPlan, "builder_source", lambda self, layout: "lambda objects, *columns: 1 / 0")
    result = run("{ thing { name } }")
    assert (result.data, result.errors) == ({"thing": {"name": "x"}}, None)
    assert "ZeroDivisionError" in caplog.text
    caplog.clear()
    assert run("{ thing { missing } }").errors
    assert caplog.text == ""
