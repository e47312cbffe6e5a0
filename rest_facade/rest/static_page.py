"""A page of the documentation on the public listener: bytes that were made at the start, with their headers."""

import gzip
import re
from dataclasses import dataclass
from hashlib import sha256

from rest_facade.errors.envelope import RawHeaders, raw_headers

PAGES_ROOT = b"/docs/"
NOT_FOUND_PAGE = PAGES_ROOT + b"404.html"
"""The page for browsers that ask for one that does not exist."""

LEAST_GZIPPED = 2_000
"""Bytes of a body from which it is compressed, once, at the start."""

GZIP_TAKEN = re.compile(rb"gzip(?! *; *q=0(\.0*)? *(,|$))", re.IGNORECASE)
"""In Accept-Encoding, unless its quality is zero (RFC 9110, 12.5.3)."""

GZIPPED = raw_headers({"Content-Encoding": "gzip"})


@dataclass(frozen=True)
class StaticPage:
    """A body, and the headers of responses that have it."""

    status: int
    body: bytes
    headers: RawHeaders
    gzipped: bytes | None = None
    """The body for clients that take gzip; None where that saves little."""

    def representation(self, accept_encoding: bytes) -> tuple[bytes, RawHeaders]:
        """The body and the headers for a client that takes these encodings."""
        if self.gzipped is None or GZIP_TAKEN.search(accept_encoding) is None:
            return self.body, self.headers
        return self.gzipped, {**self.headers, **GZIPPED}

    def is_known(self, if_none_match: bytes) -> bool:
        """Whether the client has it already (RFC 9110, 13.1.2). The tag is weak: compressed or not, the page is one."""
        tags = if_none_match.replace(b"W/", b"").replace(b",", b" ").split()
        return self.headers.get(b"etag", b"").removeprefix(b"W/") in tags


def static_page(body: bytes, content_type: str, security_policy: str) -> StaticPage:
    """A page that clients may keep, and ask about before they show it again."""
    headers = {
        "Content-Type": content_type,
        "Content-Security-Policy": security_policy,
        "Cache-Control": "no-cache",
        "ETag": f'W/"{sha256(body).hexdigest()[:32]}"',
        "Referrer-Policy": "no-referrer",
    }
    if len(body) < LEAST_GZIPPED:
        return StaticPage(200, body, raw_headers(headers))
    return StaticPage(200, body, raw_headers({**headers, "Vary": "Accept-Encoding"}), gzip.compress(body, mtime=0))


def not_found_page(body: bytes, content_type: str, security_policy: str) -> StaticPage:
    """The page of an address that has none."""
    headers = {**static_page(body, content_type, security_policy).headers}
    del headers[b"etag"]
    return StaticPage(404, body, {**headers, **raw_headers({"Cache-Control": "no-store", "Vary": "Accept"})})


def redirect(path: str) -> StaticPage:
    """A response that leads to another path, relative to the one of the request: a proxy may add a prefix."""
    return StaticPage(308, b"", raw_headers({"Location": path, "Cache-Control": "no-cache"}))
