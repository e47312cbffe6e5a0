"""Document identifiers: `sha256:` and the SHA-256 of a document's text.

GraphQL over HTTP, appendix "Persisted Documents", defines this form (SHA256 hex document identifier).
"""

import re
from hashlib import sha256

ID_PREFIX = "sha256:"
SHA256_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)


def sha256_hex(text: str) -> str:
    """The SHA-256 of a text in UTF-8: 64 hexadecimal digits in lower case."""
    return sha256(text.encode()).hexdigest()


def document_id(text: str) -> str:
    """The identifier of a document. Each change of its text, also of white space, gives another one."""
    return ID_PREFIX + sha256_hex(text)


def is_document_id(text: str) -> bool:
    """Whether a text has the form of an identifier."""
    return text.startswith(ID_PREFIX) and SHA256_HEX.fullmatch(text.removeprefix(ID_PREFIX)) is not None
