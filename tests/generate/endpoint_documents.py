"""`rest_facade/v1/documents.graphql`: the documents of the endpoints, all in one file."""

from collections.abc import Iterator
from pathlib import Path

from graphql import parse, print_ast

from rest_facade.v1 import ENDPOINTS

FILE = Path(__file__).parents[2] / "rest_facade" / "v1" / "documents.graphql"

HEAD = "# The documents of the endpoints, made from their declarations and the schema by `make generated`: do not edit."


def current() -> str:
    """What the file should hold: the operations, and then the fragments, each once."""
    definitions = [text for endpoint in ENDPOINTS for text in definitions_of(endpoint.document)]
    operations = [text for text in definitions if text.startswith("query")]
    fragments = sorted({text for text in definitions if text.startswith("fragment")})
    return "\n\n".join([HEAD, *operations, *fragments]) + "\n"


def definitions_of(document: str) -> Iterator[str]:
    """The printed operations and fragments of a document."""
    return map(print_ast, parse(document).definitions)
