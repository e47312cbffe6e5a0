"""A file of GraphQL documents: its operations, each with the fragments that it needs, and what is wrong with them.

A file is checked as a call would be, with the defaults of variables; a call is checked again with its values.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphql import DocumentNode, GraphQLError, OperationDefinitionNode, Source, parse, print_ast, separate_operations
from graphql.language import get_location

from schema.documents.cost_limits import MAX_TOKENS, checked_cost
from schema.documents.document_id import document_id
from schema.execution.operation import validation_errors
from schema.schema import GRAPHQL_SCHEMA

TOO_DEEPLY_NESTED = "The file is nested too deeply."
WITHOUT_OPERATION = "The file has no operation."
WITHOUT_NAME = "Give the operation a name: clients look its id up by the name."
TOO_LONG = f"The operation has more than {MAX_TOKENS:,} tokens with the fragments that it uses: ask in two operations."


class DocumentProblem(NamedTuple):
    """What is wrong, and where in the file: line and column count from 1."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.message}"


class NamedOperation(NamedTuple):
    """An operation of a file: its name, its text with the fragments that it uses, and the id of the text."""

    name: str
    text: str
    id: str


class InvalidFile(ValueError):
    """A file that cannot be used, with all its problems in the order of the lines."""

    def __init__(self, problems: Sequence[DocumentProblem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def operations_of(text: str) -> list[NamedOperation]:
    """The operations of a file. Raises InvalidFile.

    An operation is printed in the form of graphql-js, so that its id does not depend on the white space of the file.
    """
    source = Source(text)
    try:
        document = parse(source, allow_empty_selection_sets=False)
        # As in a call, limits come first: validation may be expensive beyond them.
        errors = list(_limit_errors(document)) or validation_errors(document, text, GRAPHQL_SCHEMA)
    except GraphQLError as error:
        errors = [error]
    except RecursionError:
        errors = [GraphQLError(TOO_DEEPLY_NESTED)]
    if errors:
        raise InvalidFile(sorted({_problem(source, error) for error in errors}))
    printed = {name: print_ast(each) for name, each in separate_operations(document).items()}
    return [NamedOperation(name, operation, document_id(operation)) for name, operation in printed.items()]


def _limit_errors(document: DocumentNode) -> Iterator[GraphQLError]:
    definitions = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    if not definitions:
        yield GraphQLError(WITHOUT_OPERATION)
    separated = separate_operations(document)
    for definition in definitions:
        if definition.name is None:
            yield GraphQLError(WITHOUT_NAME, definition)
            continue
        own = separated[definition.name.value]
        _, errors = checked_cost(own, definition, {})
        yield from (error if error.nodes else GraphQLError(error.message, definition) for error in errors)
        try:
            parse(print_ast(own), max_lexical_tokens=MAX_TOKENS)
        except GraphQLError:
            yield GraphQLError(TOO_LONG, definition)


def _problem(source: Source, error: GraphQLError) -> DocumentProblem:
    """An error with its first place; without one, it is about the whole file."""
    line, column = next((get_location(source, position) for position in error.positions or ()), (1, 1))
    return DocumentProblem(line, column, error.message)
