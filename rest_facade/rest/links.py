"""Paging links of a response: URLs of pages, cursors, and the position from which a request continues.

Page tokens (parameter `after`) and cursors are signed, and carry the position where the previous page ended.
With the position, a deep page costs as much as the first. A page token is valid for one organization, operation, set of
filters, page and limit; it names the page and the limit for a request without them. Elsewhere it is ignored, and the
page number decides. Without a page number it is refused: page 1 again would have no end. A cursor is valid for one
organization and operation, elsewhere it is refused; it carries the filters of its walk
(`resolvers/reports/walk_cursor.py`).
"""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

import orjson

from resolvers.reports.walk_cursor import INVALID_CURSOR
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.request import Request

BLOCK_BYTES = 64
"""Length of the blocks of SHA-256."""

POSITIONS = frozenset({"after", "cursor"})
"""The parameters that say where a page starts."""

PAGE_TOKEN = re.compile(r"([1-9][0-9]{0,9})/([1-9][0-9]{0,2})/(.*)", re.ASCII | re.DOTALL)
"""The text of a page token: page, limit, position. Its numbers have bounds: it is read before it is verified."""

OTHER_LIST = "after belongs to a list with other filters. Use next unchanged, or send page."

MAC_BYTES = 16
"""Length of the signature: too long to guess, short enough for a URL."""


class _Key:
    """HMAC-SHA256 with one key (RFC 2104). The key is hashed once: `hmac.digest` would take twice the time."""

    def __init__(self, key: bytes) -> None:
        block = (sha256(key).digest() if len(key) > BLOCK_BYTES else key).ljust(BLOCK_BYTES, b"\0")
        self._inner, self._outer = (sha256(bytes(byte ^ pad for byte in block)) for pad in (0x36, 0x5C))

    def mac(self, text: bytes, subject: bytes) -> bytes:
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(len(text).to_bytes(4) + text + subject)
        outer.update(inner.digest())
        return outer.digest()[:MAC_BYTES]


class TokenSigner:
    """Signs with the first key and verifies with all keys, so that keys can be rotated."""

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys:
            raise ValueError("At least one signing key is needed.")
        self._keys = [_Key(key.encode()) for key in keys]

    def sign(self, position: str, subject: bytes) -> str:
        """A token with the position, valid for `subject` only."""
        text = position.encode()
        return _encode(self._keys[0].mac(text, subject) + text)

    def verify(self, token: str, subject: bytes) -> str | None:
        """The position in a token; None if the token was not signed with one of the keys for `subject`."""
        content = _decode(token)
        if content is None:
            return None
        mac, text = content[:MAC_BYTES], content[MAC_BYTES:]
        if not any(hmac.compare_digest(mac, key.mac(text, subject)) for key in self._keys):
            return None
        return text.decode()


def token_subject(organization_id: UUID, operation: str, variables: Mapping[str, Any], page: int | None) -> bytes:
    """All that decides which rows follow, and is not in the token itself: a cursor (`page` is None) has the filters."""
    filters = dict(variables) if page is not None else {}
    for name in ("page", "after"):
        filters.pop(name, None)
    return orjson.dumps([organization_id, operation, page, filters], option=orjson.OPT_SORT_KEYS)


def unverified_position(token: str) -> str:
    """The position in a token that may be invented; empty for what is no token."""
    return (_decode(token) or b"")[MAC_BYTES:].decode(errors="replace")


def _decode(token: str) -> bytes | None:
    """The signature and the text of a token; None for what is no token."""
    try:
        content = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except (NotBase64, ValueError):
        return None
    # Decoding skips characters outside the alphabet. Only the exact text of the token is valid.
    return content if _encode(content) == token else None


def _encode(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


@dataclass(slots=True)
class RequestLinks:
    """The links of one request (see `envelopes.Links`). URLs start with the configured base URL, never with Host."""

    signer: TokenSigner
    base_url: str
    organization_id: UUID
    endpoint: Endpoint
    variables: Mapping[str, Any]
    request: Request

    def page_url(self, number: int, position: str | None) -> str:
        page_token = None
        if position is not None:
            text = f"{number}/{self.variables['limit']}/{position}"
            page_token = self.signer.sign(text, self._subject(self.variables, number))
        path = self.endpoint.path.format_map(self.variables)
        url = f"{self.base_url}{path}?{self.request.page_query(number, page_token)}"
        query = self.request.query_values
        # The limit may be one that only the token of the request names.
        is_of_token = page_token is None and "after" in query and "limit" not in query
        return f"{url}&limit={self.variables['limit']}" if is_of_token else url

    def cursor(self, position: str) -> str:
        return self.signer.sign(position, self._subject({}, None))

    def cursor_url(self, position: str) -> str:
        """The URL of the page that starts at a position."""
        path = self.endpoint.path.format_map(self.variables)
        return f"{self.base_url}{path}?{self.request.cursor_query(self.cursor(position))}"

    def start_position(self) -> dict[str, Any]:
        """The variables of the position at which the previous page ended; empty without one.

        Raises Refused (400) for a cursor that does not verify.
        """
        query, known = self.request.query_values, self.endpoint.query_names
        if "cursor" in query and "cursor" in known:
            position = self.signer.verify(query["cursor"][0], self._subject({}, None))
            if position is None:
                raise Refused(invalid(INVALID_CURSOR, "cursor"))
            return {"cursor": position}
        if "after" in query and "after" in known:
            return self._page_position(query["after"][0])
        return {}

    def _page_position(self, token: str) -> dict[str, Any]:
        """The position of a page token, and the page and limit that it names where the request does not.

        Empty for a token that does not verify: then the page number decides. Raises Refused (400) if there is none: the
        token is one of another list, or was changed.
        """
        query, variables = self.request.query_values, dict(self.variables)
        if (named := PAGE_TOKEN.fullmatch(unverified_position(token))) is not None:
            variables |= {name: int(named[i]) for i, name in ((1, "page"), (2, "limit")) if name not in query}
            if self.signer.verify(token, self._subject(variables, variables["page"])) is not None:
                return {"page": variables["page"], "limit": variables["limit"], "after": named[3]}
        if "page" not in query:
            raise Refused(invalid(OTHER_LIST, "after"))
        return {}

    def _subject(self, variables: Mapping[str, Any], page: int | None) -> bytes:
        # Workers of earlier versions take the whole text of a page token for the position. So that they ignore it in
        # place of refusing it, it is not signed for the operation alone.
        operation = self.endpoint.operation if page is None else f"{self.endpoint.operation} page"
        return token_subject(self.organization_id, operation, variables, page)
