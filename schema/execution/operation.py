"""An operation: parsed, validated and compiled once, executed many times."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any
from uuid import UUID

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
    get_named_type,
    get_nullable_type,
    is_non_null_type,
    parse,
    separate_operations,
    specified_rules,
    type_from_ast,
    validate,
    value_from_ast_untyped,
)

from db.reading.database import Database
from db.values.bounded_dict import BoundedDict
from resolvers.context import Context
from resolvers.relations.arguments import Argument
from resolvers.signed_urls import UrlSigner
from schema.execution.arguments import CoercedVariables, Variables
from schema.execution.compiler import CompiledOperation, compile_operation, directive_variables, response_key
from schema.execution.hints import with_hint
from schema.execution.state import ORPHAN, ExecutionBudget, ExecutionState, ExecutionStopped
from schema.schema import GRAPHQL_SCHEMA

log = logging.getLogger(__name__)

ORPHANS = (
    "Rows of organization %s refer to rows that do not exist, and were left out: orgdata doctor names them. Fields: %s"
)
"""The log line of an answer that left rows out."""

ROOT_OBJECT = ()
"""The object of the query type. Its resolvers do not depend on it."""

MAX_VARIANTS = 16
"""Compiled variants of an operation at most, one for each combination of its @skip and @include flags."""

MAX_VALIDATION_ERRORS = 20
"""Reported validation errors of a document at most."""

RULES_OF_TOKENS = {
    ("$",): """NoUndefinedVariables NoUnusedVariables UniqueVariableNames VariablesAreInputTypes
        VariablesInAllowedPosition""",
    ("...", "fragment"): """FragmentsOnCompositeTypes KnownFragmentNames NoFragmentCycles NoUnusedFragments
        PossibleFragmentSpreads UniqueFragmentNames""",
    ("@",): """KnownDirectives UniqueDirectivesPerLocation DeferStreamDirectiveOnRootField DeferStreamDirectiveLabel
        DeferStreamDirectiveOnValidOperations StreamDirectiveOnListField""",
}
"""The names of rules that no document without one of the tokens can break."""


class InvalidDocument(ValueError):
    """A document that cannot be executed against the schema. The text has the errors and the document."""

    def __init__(self, errors: Sequence[GraphQLError], document: str = "") -> None:
        super().__init__("\n".join([*map(str, errors), document]))
        self.errors = errors


@dataclass(frozen=True)
class Variable:
    """A variable of an operation. `type` is its innermost type, `choices` the values of an enumeration.

    `default` is None if it has none. `argument` is the declared one whose value it is, if there is one.
    """

    name: str
    type: str
    is_list: bool
    is_required: bool
    choices: tuple[str, ...] | None
    default: Any = None
    argument: Argument | None = field(default=None, compare=False, repr=False)


class Operation:
    """One operation of a document, given as text or parsed. The constructor raises InvalidDocument.

    `name` selects one of several operations; the attribute is empty if the operation has none.
    """

    def __init__(
        self, document: str | DocumentNode, schema: GraphQLSchema = GRAPHQL_SCHEMA, name: str | None = None
    ) -> None:
        text = document if isinstance(document, str) else ""
        try:
            parsed = parse(document, no_location=True) if isinstance(document, str) else document
            source = text or (parsed.loc.source.body if parsed.loc is not None else None)
            errors = validation_errors(parsed, source, schema)
            if errors:
                raise InvalidDocument(errors, text)
            definition = definition_of(parsed, name)
        except GraphQLError as error:
            raise InvalidDocument([error], text) from error
        self.name = definition.name.value if definition.name else ""
        is_alone = len(parsed.definitions) == 1
        self._document = parsed if is_alone else separate_operations(parsed)[self.name]
        self._definition = definition
        self._schema = schema
        self.coerce = Variables(schema, self._definition.variable_definitions or ()).coerce
        """Makes the coerced variables of a request. May be called in a thread."""
        self._flag_names = directive_variables(self._document)
        self._variants: BoundedDict[tuple[Any, ...], CompiledOperation | GraphQLError] = BoundedDict(MAX_VARIANTS)

    def compile_all(self) -> None:
        """Compile all variants now, so that no request waits for it."""
        for flags in product((False, True), repeat=len(self._flag_names)):
            with suppress(InvalidDocument):
                self.variant(dict(zip(self._flag_names, flags, strict=True)))

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in the order of their definitions."""
        return tuple(self._variable(node) for node in self._definition.variable_definitions or ())

    @cached_property
    def result_path(self) -> tuple[str, ...]:
        """The path of the result in the data: down while a selection has exactly one field."""
        path: list[str] = []
        selections = self._definition.selection_set.selections
        while len(selections) == 1 and isinstance(node := selections[0], FieldNode):
            path.append(response_key(node))
            selections = node.selection_set.selections if node.selection_set else ()
        return tuple(path)

    def _variable(self, node: VariableDefinitionNode) -> Variable:
        type_: Any = type_from_ast(self._schema, node.type)
        nullable, named = get_nullable_type(type_), get_named_type(type_)
        choices = tuple(named.values) if isinstance(named, GraphQLEnumType) else None
        return Variable(
            node.variable.name.value,
            named.name,
            isinstance(nullable, GraphQLList),
            is_non_null_type(type_) and node.default_value is None,
            choices,
            None if node.default_value is None else value_from_ast_untyped(node.default_value),
            self._arguments_of_variables.get(node.variable.name.value),
        )

    @cached_property
    def _arguments_of_variables(self) -> Mapping[str, Argument]:
        try:
            variant = self.variant(dict.fromkeys(self._flag_names, True))
        except InvalidDocument:
            return {}
        return {
            each.arguments.variables[argument.name]: argument
            for each in variant.fields
            for argument in each.step.arguments
            if argument.name in each.arguments.variables
        }

    def compile_for(self, coerced: CoercedVariables) -> bool:
        """Compile the variant that these variables select, and its statements, so that `Executor.execute` need not.

        Returns whether it is heavy (see `Batch`). May be called in a thread. Raises InvalidDocument.
        """
        if coerced.errors:
            return False
        variant = self.variant(coerced.values.coerced)
        for _ in variant.first_statements(coerced.values):
            pass
        return variant.is_heavy

    def variant(self, variables: Mapping[str, Any]) -> CompiledOperation:
        """The compiled operation for the flags among these variables. Raises InvalidDocument if there is none."""
        flags = tuple(map(variables.get, self._flag_names))
        variant = self._variants.get(flags)
        if variant is None:
            variant = self._variants[flags] = self._compile(dict(zip(self._flag_names, flags, strict=True)))
        if isinstance(variant, GraphQLError):
            raise InvalidDocument([variant])
        return variant

    def _compile(self, flags: dict[str, Any]) -> CompiledOperation | GraphQLError:
        for name, value in flags.items():
            if value is None:
                return GraphQLError(f"Variable '${name}' must not be null: @skip or @include depends on it.")
        try:
            return compile_operation(self._schema, self._document, self._definition, flags)
        except GraphQLError as error:
            return error


class Executor:
    """Executes operations on one database. Each execution has a context of its own, so requests share no rows.

    Without `url_signer`, screenshots have no URLs.
    """

    def __init__(self, database: Database, url_signer: UrlSigner | None = None) -> None:
        self._database = database
        self._url_signer = url_signer

    async def execute(
        self,
        operation: Operation,
        organization_id: UUID,
        variables: Mapping[str, Any] | CoercedVariables,
        budget: ExecutionBudget | None = None,
    ) -> ExecutionResult:
        """The data and the errors; those of resolvers have a code in their `extensions`. Nothing is raised.

        Nothing is executed beyond `budget`.
        """
        # To coerce many takes long, and may have been done in a thread.
        coerced = variables if isinstance(variables, CoercedVariables) else operation.coerce(variables)
        if coerced.errors:
            return ExecutionResult(None, [*coerced.errors])
        try:
            variant = operation.variant(coerced.values.coerced)
        except InvalidDocument as invalid:
            return ExecutionResult(None, [*invalid.errors])
        context = Context(
            self._database,
            organization_id,
            self._url_signer,
            variant.selected,
            has_one_source=variant.has_one_source,
            is_heavy=variant.is_heavy,
        )
        state = ExecutionState(context, coerced.values, budget=budget)
        try:
            (data,) = await variant.selection.complete([ROOT_OBJECT], state, lambda _: [])
        except ExecutionStopped as stopped:
            return ExecutionResult(None, [*state.errors, stopped])
        finally:
            context.close()
        if state.orphans:
            paths = {".".join(each for each in error.path or () if isinstance(each, str)) for error in state.orphans}
            log.warning(ORPHANS, organization_id, ", ".join(sorted(paths)))
        if data is ORPHAN:
            data = state.report_orphan([])
        return ExecutionResult(data, state.errors or None)


def definition_of(document: DocumentNode, name: str | None = None) -> OperationDefinitionNode:
    """The operation called `name`, or the only operation of the document. Raises GraphQLError."""
    operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    if name is not None:
        operations = [node for node in operations if node.name is not None and node.name.value == name]
    if len(operations) != 1:
        wanted = "one operation" if name is None else f"one operation called {name!r}"
        raise GraphQLError(f"Expected {wanted}, found {len(operations)}.")
    return operations[0]


def validation_errors(document: DocumentNode, text: str | None, schema: GraphQLSchema) -> Sequence[GraphQLError]:
    """The errors of a parsed document, whose text tells what it may have; all rules are applied if it is unknown.

    All rules together visit each node of a document, and those of variables hash all of it: half of the time is saved
    for documents without variables, fragments and directives, which is what most ad-hoc documents are.
    """
    left_out = {
        name
        for tokens, names in RULES_OF_TOKENS.items()
        if text is not None and not any(token in text for token in tokens)
        for name in names.split()
    }
    rules = [rule for rule in specified_rules if rule.__name__.removesuffix("Rule") not in left_out]
    found = validate(schema, document, rules, max_errors=MAX_VALIDATION_ERRORS, allow_empty_selection_sets=False)
    return [with_hint(error, schema) for error in found]
