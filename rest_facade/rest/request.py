"""The HTTP request as the steps see it, read once from the ASGI scope, and what the steps found out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from time import perf_counter
from urllib.parse import parse_qsl, urlencode

from starlette.types import Scope

from db.admin.key_format import without_secrets
from db.reading.data_as_of import UNKNOWN
from db.reading.query_stats import QueryStats
from rest_facade.access.authentication import Caller
from rest_facade.access.client_address import forwarded_address, peer_address
from rest_facade.access.rate_counter import Count
from rest_facade.errors.envelope import RawHeaders, new_request_id
from rest_facade.errors.refusals import KEY_HEADER
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.parameters import QueryValues

DATA_AS_OF_HEADER = "X-Data-As-Of"

API_KEY, FORWARDED_FOR = KEY_HEADER.lower().encode(), b"x-forwarded-for"
CLIENT_ID_HEADER, TRACEPARENT_HEADER = b"x-request-id", b"traceparent"

UNRESERVED = re.compile(r"[A-Za-z0-9_.~-]*=[A-Za-z0-9_.~-]*", re.ASCII)
"""A name and a value that a query contains as they are."""

CLIENT_ID = re.compile(rb"[\w.:=+/-]{1,64}", re.ASCII)
TRACEPARENT = re.compile(rb"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
"""A request of a trace: W3C Trace Context, with its trace id."""


@dataclass(slots=True)
class Request:
    """One HTTP request. `key` is None if its header is missing or was sent twice."""

    method: str
    raw_path: bytes
    query: bytes
    address: str
    key: str | None = field(repr=False)
    origin: str | None
    headers: RawHeaders = field(default_factory=dict, repr=False)
    """The headers as sent; of one that was sent twice, the last."""
    id: str = field(default_factory=new_request_id)
    _pairs: Sequence[tuple[str, str]] | None = field(default=None, init=False, repr=False)
    _values: dict[str, list[str]] | None = field(default=None, init=False, repr=False)

    @classmethod
    def from_scope(cls, scope: Scope, trusted: Sequence[IPv4Network | IPv6Network]) -> "Request":
        """The request of an ASGI scope. Of the headers only those that every request needs are decoded."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        keys: list[bytes] = []
        hops: list[bytes] = []
        for name, value in scope["headers"]:
            if name == API_KEY:
                keys.append(value)
            elif name == FORWARDED_FOR:
                hops.append(value)
        peer = scope["client"][0] if scope["client"] else "unknown"
        return cls(
            method=scope["method"],
            raw_path=scope["raw_path"],
            query=scope["query_string"],
            address=forwarded_address(peer, b",".join(hops).decode("latin-1"), trusted) if hops else peer_address(peer),
            key=keys[0].decode("latin-1").strip(" \t") if len(keys) == 1 else None,
            origin=headers[b"origin"].decode("latin-1") if b"origin" in headers else None,
            headers=headers,
        )

    @property
    def client_ids(self) -> dict[str, str]:
        """For the log: the id that the client gave, and that of its trace. Those of another form are left out."""
        ids = {}
        if match := CLIENT_ID.fullmatch(self.headers.get(CLIENT_ID_HEADER, b"")):
            ids["client_request_id"] = without_secrets(match[0].decode())
        if match := TRACEPARENT.fullmatch(self.headers.get(TRACEPARENT_HEADER, b"")):
            ids["trace_id"] = match[1].decode()
        return ids

    @property
    def query_pairs(self) -> Sequence[tuple[str, str]]:
        """The names and values of the query, in the order sent. Bytes that are not UTF-8 become U+FFFD."""
        if self._pairs is None:
            self._pairs = parse_qsl(self.query.decode(errors="replace"), keep_blank_values=True) if self.query else ()
        return self._pairs

    @property
    def query_values(self) -> QueryValues:
        """The values of the query by name, in the order sent."""
        if self._values is None:
            self._values = {}
            for name, value in self.query_pairs:
                self._values.setdefault(name, []).append(value)
        return self._values

    def cursor_query(self, cursor: str) -> str:
        """The same query with another cursor."""
        pairs = [(name, value) for name, value in dict.fromkeys(self.query_pairs) if name != "cursor"]
        return urlencode([*pairs, ("cursor", cursor)])

    def page_query(self, page: int, page_token: str | None) -> str:
        """The same query for another page; `page_token` (parameter `after`) is the position where that page starts."""
        parts = []
        for name, value in dict.fromkeys(self.query_pairs):
            if name not in ("page", "after"):
                part = f"{name}={value}"
                parts.append(part if UNRESERVED.fullmatch(part) else urlencode([(name, value)]))
        # Numbers and tokens are made of characters that a query may contain as they are.
        parts.append(f"page={page}")
        if page_token is not None:
            parts.append(f"after={page_token}")
        return "&".join(parts)


@dataclass(slots=True)
class RequestState:
    """The state of a request in progress, for metrics, logs and spans: filled in by its steps.

    What belongs to a step not reached is None.
    """

    started: float = field(default_factory=perf_counter)
    query_stats: QueryStats = field(default_factory=QueryStats)
    client_ids: Mapping[str, str] = field(default_factory=dict)
    endpoint: Endpoint | None = None
    caller: Caller | None = None
    count: Count | None = None
    is_in_progress: bool = False
    """Whether it is one of those that its organization has at once."""
    unknown_parameters: str | None = None
    """The value of the header that names them."""
    refused: Request | None = None
    """The request, if its key was refused: the log says whose it is."""


def data_as_of(stats: QueryStats) -> str | None:
    """The value of X-Data-As-Of, as RFC 3339 in UTC: the moment up to which a response has every change.

    None if nothing was read, or if the moment is not known (`db.reading.data_as_of`).
    """
    moment = stats.data_as_of
    if moment is None or moment == UNKNOWN:
        return None
    return f"{moment.isoformat(timespec='microseconds').removesuffix('+00:00')}Z"
