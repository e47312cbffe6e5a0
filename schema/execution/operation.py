"""An operation: a document that was parsed and validated once, to be executed many times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from inspect import isawaitable
from itertools import product
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
    separate_operations,
    type_from_ast,
    validate,
)

from resolvers.context import NewContext
from schema.execution.compiler import CompiledOperation, NotCompiled, compile_operation, flags_of, key_of
from schema.execution.state import FAILED, ExecutionState
from schema.execution.variables import Variables
from schema.schema import GRAPHQL_SCHEMA

MOST_SELECTIONS = 16
"""Combinations of flags for which an operation is kept compiled."""

MOST_ERRORS = 20
"""Errors of one document that are told."""


class InvalidDocument(ValueError):
    """A document that can't be executed against the schema; the text says why and shows it."""

    def __init__(self, errors: Sequence[GraphQLError], document: str = "") -> None:
        super().__init__("\n".join([*map(str, errors), document]))
        self.errors = errors


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
    """Checks its document when it is built: a text, or what was parsed already. Raises InvalidDocument.

    Of several operations in a document, `name` says which one it is.
    """

    def __init__(
        self, document: str | DocumentNode, schema: GraphQLSchema = GRAPHQL_SCHEMA, name: str | None = None
    ) -> None:
        text = document if isinstance(document, str) else ""
        try:
            parsed = parse(document, no_location=True) if isinstance(document, str) else document
            errors = validate(schema, parsed, max_errors=MOST_ERRORS, allow_empty_selection_sets=False)
            if errors:
                raise InvalidDocument(errors, text)
            chosen = definition_of(parsed, name)
        except GraphQLError as error:
            raise InvalidDocument([error], text) from error
        # What belongs to other operations is no concern of this one.
        self._document = separate_operations(parsed)[chosen.name.value if chosen.name else ""]
        self._definition = chosen
        self._schema = schema
        self._variables = Variables(schema, self._definition.variable_definitions or ())
        self._flags = flags_of(self._document)
        self._compiled = lru_cache(MOST_SELECTIONS)(self._compile)

    def prepare(self) -> None:
        """Compile it for each combination of its flags now, so that no request waits for that."""
        for flags in product((False, True), repeat=len(self._flags)):
            self._compiled(flags)

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
            way.append(key_of(node))
            selections = node.selection_set.selections if node.selection_set else ()
        return tuple(way), tuple(key_of(node) for node in selections if isinstance(node, FieldNode))

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

    async def execute(self, variables: Mapping[str, Any], new_context: NewContext) -> Result:
        """Run the operation for one request. Never raises for what a resolver raised."""
        outcome = await self.run(variables, new_context)
        return Result(outcome.data, [_failure(error) for error in outcome.errors or ()])

    async def run(self, variables: Mapping[str, Any], new_context: NewContext) -> ExecutionResult:
        """The same, with the errors as GraphQL has them."""
        coerced = self._variables.values(variables)
        if isinstance(coerced, list):
            return ExecutionResult(None, coerced)
        compiled = self._compiled(tuple(coerced.coerced.get(name) for name in self._flags))
        if compiled is None:
            return await self.interpret(variables, new_context)
        run = ExecutionState(new_context(compiled.columns), coerced)
        (data,) = await compiled.selection.data([None], run, lambda _: [])
        return ExecutionResult(None if data is FAILED else data, run.errors or None)

    async def interpret(self, variables: Mapping[str, Any], new_context: NewContext) -> ExecutionResult:
        """The same by graphql-core, which does what is not compiled."""
        context = new_context({})
        outcome = execute(self._schema, self._document, context_value=context, variable_values=dict(variables))
        if isawaitable(outcome):
            outcome = await outcome
        assert isinstance(outcome, ExecutionResult)
        return outcome

    def _compile(self, flags: tuple[Any, ...]) -> CompiledOperation | None:
        """The operation for some values of its flags; None for what is left to graphql-core."""
        try:
            return compile_operation(
                self._schema, self._document, self._definition, dict(zip(self._flags, flags, strict=True))
            )
        except NotCompiled:
            return None


def definition_of(document: DocumentNode, name: str | None = None) -> OperationDefinitionNode:
    """The operation that is meant: the one called `name`, or the only one there is. Raises GraphQLError."""
    operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    if name is not None:
        operations = [node for node in operations if node.name is not None and node.name.value == name]
    if len(operations) != 1:
        wanted = "one operation" if name is None else f"one operation called {name!r}"
        raise GraphQLError(f"Expected {wanted}, found {len(operations)}.")
    return operations[0]


def _failure(error: GraphQLError) -> Failure:
    extensions = error.extensions or {}
    return Failure(extensions.get("code"), error.message, extensions.get("details"), error.original_error or error)
