"""`orgdata explain`: how the service makes one answer: document, steps, SQL, plans and generated functions."""

import asyncio
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import orjson
import typer
from graphql import parse, print_ast

from db.errors import OperatorError
from rest_facade.commands.owner import owner_engine
from rest_facade.settings import load, require_settings

if TYPE_CHECKING:
    from db.reading.transaction import BoundStatement
    from schema.execution.operation import Operation


def explain(
    operation: Annotated[str, typer.Argument(help="An operation of the REST API, such as listProjects.")] = "",
    *,
    document: Annotated[
        typer.FileText | None, typer.Option(help="A file with one operation of GraphQL instead; - is standard input.")
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A parameter, or a variable of the document, in JSON or as text."),
    ] = None,
    organization: Annotated[
        UUID | None, typer.Option(help="Answer for this organization, and add the plans of PostgreSQL.")
    ] = None,
    analyze: Annotated[bool, typer.Option("--analyze", help="Run each statement again, for its real times.")] = False,
) -> None:
    """Print how an answer is made: the GraphQL document, its steps, their SQL and plans, and the generated functions.

    Without an organization, the statements that are run first are shown, and nothing is read.
    """
    from db.figures.statement_plans import statement_plan
    from schema.execution.explained import generated_functions, step_lines
    from schema.execution.operation import InvalidDocument

    given = dict(_name_and_value(each) for each in parameter or [])
    text, compiled, variables = _asked(operation, document, given)
    coerced = compiled.coerce(variables)
    if coerced.errors:
        raise OperatorError("\n".join(error.message for error in coerced.errors))
    try:
        variant = compiled.variant(coerced.values.coerced)
    except InvalidDocument as error:
        raise OperatorError("\n".join(each.message for each in error.errors)) from error
    _print("Document", print_ast(parse(text)))
    _print("Steps", "\n".join(step_lines(variant.selection)))
    errors: Sequence[str] = ()
    if organization is None:
        for field, statement in variant.first_statements(coerced.values):
            _print(f"Statement of {field.coordinate}", statement.sql)
    else:
        bound, errors = asyncio.run(_run(compiled, organization, variables))
        options = "(ANALYZE, BUFFERS)" if analyze else ""
        with owner_engine().connect() as connection:
            driver: Any = connection.connection.driver_connection
            for number, each in enumerate(bound, 1):
                _print(f"Statement {number}", f"{each[0].sql}\n{_values(each)}")
                _print(f"Plan {number}", "\n".join(statement_plan(driver, organization, each, options)))
    for coordinate, source in generated_functions(variant, coerced.values):
        _print(f"Function of {coordinate}", source)
    if errors:
        _print("Errors", "\n".join(errors))


def _asked(
    name: str, document: typer.FileText | None, given: Mapping[str, str]
) -> "tuple[str, Operation, Mapping[str, Any]]":
    """The document, its operation, and the variables. Raises OperatorError."""
    from rest_facade.errors.envelope import Refused
    from rest_facade.v1 import ENDPOINTS
    from schema.execution.operation import InvalidDocument, Operation

    if (document is None) == (not name):
        raise OperatorError("Name an operation, or give a --document.")
    if document is not None:
        text = document.read()
        try:
            return text, Operation(text), {each: _json(value) for each, value in given.items()}
        except InvalidDocument as error:
            raise OperatorError("\n".join(each.message for each in error.errors)) from error
    endpoint = next((each for each in ENDPOINTS if each.operation == name), None)
    if endpoint is None:
        names = [each.operation for each in ENDPOINTS]
        near = "".join(f" Did you mean {each}?" for each in get_close_matches(str(name), names, 1))
        raise OperatorError(f"There is no operation {name}.{near} `orgdata openapi` prints them all.")
    missing = [each for each in endpoint.ids if each not in given]
    if missing:
        raise OperatorError(f"{name} needs --parameter {missing[0]}=ID.")
    try:
        queried = {each: [value] for each, value in given.items() if each not in endpoint.ids}
        variables = endpoint.variables({each: given[each] for each in endpoint.ids}, queried)
    except Refused as refused:
        raise OperatorError(refused.error.message) from refused
    return endpoint.document, endpoint.compiled, variables


async def _run(
    operation: "Operation", organization_id: UUID, variables: Mapping[str, Any]
) -> "tuple[list[BoundStatement], list[str]]":
    """Execute the operation. Returns the statements that it ran, and its errors."""
    from db.reading.database import Database
    from rest_facade.composition import url_signer
    from schema.execution.operation import Executor

    ran: list[BoundStatement] = []

    class RecordedDatabase(Database):
        async def read_rows(self, organization_id: UUID, statements: Any, *, is_heavy: bool = False) -> Any:
            ran.extend(statements)
            return await super().read_rows(organization_id, statements, is_heavy=is_heavy)

    settings = load()
    url = require_settings(settings, "database_url").get_secret_value()
    database = RecordedDatabase(url, statement_timeout=settings.statement_timeout)
    await database.open()
    try:
        result = await Executor(database, url_signer(settings)).execute(operation, organization_id, variables)
    finally:
        await database.close()
    return ran, [error.message for error in result.errors or ()]


def _values(bound: "BoundStatement") -> str:
    """The values of a statement's parameters, as comments."""
    statement, values = bound
    known = {**statement.constants, **values}
    return "\n".join(f"-- {name} = {known[name]!r}" for name in sorted(statement.parameter_names & known.keys()))


def _name_and_value(text: str) -> tuple[str, str]:
    name, is_given, value = text.partition("=")
    if not is_given:
        raise OperatorError(f"{text!r} is not NAME=VALUE.")
    return name, value


def _json(text: str) -> Any:
    """A value of GraphQL: JSON, or the text itself."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _print(title: str, text: str) -> None:
    typer.echo(f"# {title}\n\n{text.rstrip()}\n")
