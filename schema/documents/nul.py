"""The character NUL in the strings of a document: PostgreSQL can't store it in text."""

import re
from typing import Any

from graphql import GraphQLSyntaxError, Lexer, Source, TokenKind

from schema.documents.cost_limits import MAX_TOKENS

ESCAPE = re.compile(r"\\u(?:0000|\{0+\})")


def has_nul(text: Any) -> bool:
    """Whether a string of a document has the character NUL, escaped. What follows MAX_TOKENS is refused anyway.

    The escape of a block string, or behind another backslash, is plain text.
    """
    if not isinstance(text, str) or not ESCAPE.search(text):
        return False
    lexer = Lexer(Source(text))
    try:
        for _ in range(MAX_TOKENS):
            token = lexer.advance()
            if token.kind is TokenKind.STRING and "\0" in (token.value or ""):
                return True
            if token.kind is TokenKind.EOF:
                break
    except GraphQLSyntaxError:
        return False
    return False
