"""A page of the documentation on the public listener: bytes that were made at the start, with their headers."""

from dataclasses import dataclass
from hashlib import sha256

from rest_facade.errors.envelope import RawHeaders, raw_headers

PAGES_ROOT = b"/docs/"
NOT_FOUND_PAGE = PAGES_ROOT + b"404.html"
"""The page for browsers that ask for one that does not exist."""


@dataclass(frozen=True)
class StaticPage:
    """A body, and the headers of responses that have it."""

    status: int
    body: bytes
    headers: RawHeaders

    def is_known(self, if_none_match: bytes | None) -> bool:
        """Whether the client has it already (RFC 9110, 13.1.2). A proxy that compresses makes the tag a weak one."""
        tags = (if_none_match or b"").replace(b"W/", b"").replace(b",", b" ").split()
        return self.headers.get(b"etag") in tags


def static_page(body: bytes, content_type: str, security_policy: str) -> StaticPage:
    """A page that clients may keep, and ask about before they show it again."""
    headers = {
        "Content-Type": content_type,
        "Content-Security-Policy": security_policy,
        "Cache-Control": "no-cache",
        "ETag": f'"{sha256(body).hexdigest()[:32]}"',
        "Referrer-Policy": "no-referrer",
    }
    return StaticPage(200, body, raw_headers(headers))


def not_found_page(body: bytes, content_type: str, security_policy: str) -> StaticPage:
    """The page of an address that has none."""
    headers = {**static_page(body, content_type, security_policy).headers}
    del headers[b"etag"]
    return StaticPage(404, body, {**headers, **raw_headers({"Cache-Control": "no-store", "Vary": "Accept"})})


def redirect(path: str) -> StaticPage:
    """A response that leads to another path, relative to the one of the request: a proxy may add a prefix."""
    return StaticPage(308, b"", raw_headers({"Location": path, "Cache-Control": "no-cache"}))
