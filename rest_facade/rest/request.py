"""The HTTP request as the steps see it: read once from the ASGI scope, decoded at first use."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from urllib.parse import parse_qsl, quote_plus

from starlette.types import Scope

from db.admin.key_format import parse_key
from rest_facade.access.client_address import client_address
from rest_facade.errors.envelope import new_request_id
from rest_facade.rest.cors import KEY_HEADER
from rest_facade.rest.parameters import QueryValues

API_KEY, ORIGIN_HEADER, FORWARDED_FOR = KEY_HEADER.lower().encode(), b"origin", b"x-forwarded-for"
AUTHORIZATION, BEARER, IF_NONE_MATCH = b"authorization", "bearer ", b"if-none-match"


UNRESERVED = re.compile(r"[A-Za-z0-9_.~-]*", re.ASCII)
"""Text that a query contains as it is."""


@dataclass(slots=True)
class Request:
    """One HTTP request. `key` is None if its header is missing or was sent twice."""

    method: str
    raw_path: bytes
    query: bytes
    address: str
    key: str | None = field(repr=False)
    origin: str | None
    authorization: str | None = field(default=None, repr=False)
    if_none_match: bytes | None = None
    id: str = field(default_factory=new_request_id)
    _pairs: Sequence[tuple[str, str]] | None = field(default=None, init=False, repr=False)
    _values: dict[str, list[str]] | None = field(default=None, init=False, repr=False)

    @classmethod
    def from_scope(cls, scope: Scope, trusted: Sequence[IPv4Network | IPv6Network]) -> "Request":
        """The request of an ASGI scope. Of the headers only those that the steps need are decoded."""
        keys: list[bytes] = []
        origin: bytes | None = None
        authorization: bytes | None = None
        if_none_match: bytes | None = None
        hops: list[bytes] = []
        for name, value in scope["headers"]:
            if name == API_KEY:
                keys.append(value)
            elif name == ORIGIN_HEADER:
                origin = value
            elif name == FORWARDED_FOR:
                hops.append(value)
            elif name == AUTHORIZATION:
                authorization = value
            elif name == IF_NONE_MATCH:
                if_none_match = value
        peer = scope["client"][0] if scope["client"] else "unknown"
        return cls(
            method=scope["method"],
            raw_path=scope["raw_path"],
            query=scope["query_string"],
            address=client_address(peer, b",".join(hops).decode("latin-1") if hops else None, trusted),
            key=keys[0].decode("latin-1").strip(" \t") if len(keys) == 1 else None,
            origin=origin.decode("latin-1") if origin is not None else None,
            authorization=authorization.decode("latin-1") if authorization is not None else None,
            if_none_match=if_none_match,
        )

    @property
    def has_key_as_bearer(self) -> bool:
        """Whether a well-formed key is in the header of another scheme. Its checksum says so: no key is looked up."""
        text = self.authorization or ""
        return text[: len(BEARER)].lower() == BEARER and parse_key(text[len(BEARER) :].strip()) is not None

    @property
    def query_pairs(self) -> Sequence[tuple[str, str]]:
        """The names and values of the query, in the order sent. Bytes that are not UTF-8 become U+FFFD."""
        if self._pairs is None:
            self._pairs = parse_qsl(self.query.decode(errors="replace"), keep_blank_values=True) if self.query else ()
        return self._pairs

    @property
    def query_values(self) -> QueryValues:
        """The values of the query by name."""
        if self._values is None:
            self._values = {}
            for name, value in self.query_pairs:
                self._values.setdefault(name, []).append(value)
        return self._values

    def page_query(self, page: int, page_token: str | None) -> str:
        """The same query for another page; `page_token` (parameter `after`) is the position where that page starts."""
        filters = [
            f"{_quoted(name)}={_quoted(value)}&" for name, value in self.query_pairs if name not in ("page", "after")
        ]
        # Numbers and tokens are made of characters that a query may contain as they are.
        after = f"&after={page_token}" if page_token is not None else ""
        return f"{''.join(filters)}page={page}{after}"


def _quoted(text: str) -> str:
    return text if UNRESERVED.fullmatch(text) else quote_plus(text)
