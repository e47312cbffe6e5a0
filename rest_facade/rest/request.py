"""A request, as the steps of its life see it: read once from the ASGI scope, never decoded twice."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network
from urllib.parse import parse_qsl, urlencode

from starlette.types import Scope

from rest_facade.access.client_address import client_address
from rest_facade.rest.cors import KEY_HEADER
from rest_facade.rest.errors import new_request_id
from rest_facade.rest.parameters import QueryValues

KEY, ORIGIN, FORWARDED = KEY_HEADER.lower().encode(), b"origin", b"x-forwarded-for"


@dataclass(frozen=True)
class Request:
    """One HTTP request. `key` is None where the header is missing or was sent twice."""

    method: str
    raw_path: bytes
    query: bytes
    address: str
    key: str | None = field(repr=False)
    origin: str | None
    id: str = field(default_factory=new_request_id)

    @classmethod
    def of(cls, scope: Scope, trusted: Sequence[IPv4Network | IPv6Network]) -> "Request":
        """Read what the steps need; the rest of the headers is not even decoded."""
        keys: list[bytes] = []
        origin: bytes | None = None
        hops: list[bytes] = []
        for name, value in scope["headers"]:
            if name == KEY:
                keys.append(value)
            elif name == ORIGIN:
                origin = value
            elif name == FORWARDED:
                hops.append(value)
        peer = scope["client"][0] if scope["client"] else "unknown"
        return cls(
            method=scope["method"],
            raw_path=scope["raw_path"],
            query=scope["query_string"],
            address=client_address(peer, b",".join(hops).decode("latin-1") if hops else None, trusted),
            key=keys[0].decode("latin-1").strip(" \t") if len(keys) == 1 else None,
            origin=origin.decode("latin-1") if origin is not None else None,
        )

    @cached_property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The query, in the order in which it was sent. Bytes that are no UTF-8 become U+FFFD."""
        if not self.query:
            return []
        return parse_qsl(self.query.decode(errors="replace"), keep_blank_values=True)

    @cached_property
    def given(self) -> QueryValues:
        """The values of each name."""
        given: dict[str, list[str]] = {}
        for name, value in self.pairs:
            given.setdefault(name, []).append(value)
        return given

    def query_for(self, page: int, after: str | None) -> str:
        """The same query for another page, with the hint from which it starts, if there is one."""
        kept = [(name, value) for name, value in self.pairs if name not in ("page", "after")]
        paging = [("page", str(page))] + ([("after", after)] if after is not None else [])
        return urlencode(kept + paging)
