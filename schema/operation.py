"""An operation: a document that was parsed and validated once, to be executed many times."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import isawaitable
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    GraphQLEnumType,
    GraphQLError,
    GraphQLList,
    GraphQLSchema,
    OperationDefinitionNode,
    VariableDefinitionNode,
    execute,
    get_named_type,
    get_nullable_type,
    is_non_null_type,
    parse,
    type_from_ast,
    validate,
)

from resolvers.context import Context
from schema.schema import GRAPH


class InvalidDocument(ValueError):
    """A document that can't be executed against the schema; the text says why and shows it."""


@dataclass(frozen=True)
class Failure:
    """One error of an execution. `code` is what a resolver gave; None where nobody expected the failure."""

    code: str | None
    message: str
    details: Mapping[str, Any] | None
    cause: BaseException | None


@dataclass(frozen=True)
class Result:
    """The data, null where a failure left nothing, and the failures."""

    data: dict[str, Any] | None
    failures: list[Failure]


@dataclass(frozen=True)
class Variable:
    """A variable of an operation: its innermost type, whether it must be given, what an enumeration allows."""

    name: str
    type: str
    is_list: bool
    is_required: bool
    choices: tuple[str, ...] | None


class Operation:
    """Checks its document when it is built. Raises InvalidDocument."""

    def __init__(self, document: str, schema: GraphQLSchema = GRAPH) -> None:
        try:
            self._document: DocumentNode = parse(document, no_location=True)
        except GraphQLError as error:
            raise InvalidDocument(f"{error}\n{document}") from error
        errors = validate(schema, self._document)
        if errors:
            raise InvalidDocument("\n".join([*map(str, errors), document]))
        operations = [node for node in self._document.definitions if isinstance(node, OperationDefinitionNode)]
        if len(operations) != 1:
            raise InvalidDocument(f"Expected one operation, found {len(operations)}:\n{document}")
        self._definition = operations[0]
        self._schema = schema

    @cached_property
    def name(self) -> str:
        """The name of the operation; empty if it has none."""
        return self._definition.name.value if self._definition.name else ""

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in the order of their definitions."""
        return tuple(self._variable(node) for node in self._definition.variable_definitions or ())

    @cached_property
    def answer(self) -> tuple[str, ...]:
        """The way through the data to what the operation is about: down every selection of one plain field."""
        return self._walk()[0]

    @cached_property
    def selected(self) -> tuple[str, ...]:
        """The keys selected where `answer` leads."""
        return self._walk()[1]

    def _walk(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        way: list[str] = []
        selections = self._definition.selection_set.selections
        while len(selections) == 1 and isinstance(node := selections[0], FieldNode):
            way.append(node.alias.value if node.alias else node.name.value)
            selections = node.selection_set.selections if node.selection_set else ()
        return tuple(way), tuple(node.name.value for node in selections if isinstance(node, FieldNode))

    def _variable(self, node: VariableDefinitionNode) -> Variable:
        # Validation has already found every type that a variable names.
        type_: Any = type_from_ast(self._schema, node.type)
        bare, named = get_nullable_type(type_), get_named_type(type_)
        choices = tuple(named.values) if isinstance(named, GraphQLEnumType) else None
        return Variable(
            node.variable.name.value,
            named.name,
            isinstance(bare, GraphQLList),
            is_non_null_type(type_) and node.default_value is None,
            choices,
        )

    async def execute(self, variables: Mapping[str, Any], context: Context) -> Result:
        """Run the operation for one request. Never raises for what a resolver raised."""
        outcome = execute(self._schema, self._document, context_value=context, variable_values=dict(variables))
        if isawaitable(outcome):
            outcome = await outcome
        assert isinstance(outcome, ExecutionResult)
        return Result(outcome.data, [_failure(error) for error in outcome.errors or ()])


def _failure(error: GraphQLError) -> Failure:
    extensions = error.extensions or {}
    return Failure(extensions.get("code"), error.message, extensions.get("details"), error.original_error or error)
