"""Which pages of a browser may call the API, and what they may read of an answer."""

from collections.abc import Mapping, Sequence

KEY_HEADER = "X-SERVICE-API-KEY"

EXPOSED_HEADERS = "X-Request-ID, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset"
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, OPTIONS",
    "Access-Control-Allow-Headers": KEY_HEADER,
    "Access-Control-Max-Age": "600",
}


class Cors:
    """Origins that are allowed; `*` is all. Keys travel in a header and never in a cookie, so that is safe."""

    def __init__(self, origins: Sequence[str]) -> None:
        self._all = "*" in origins
        self._origins = frozenset(origins)

    def headers(self, origin: str | None, *, preflight: bool = False) -> Mapping[str, str]:
        """What lets the page of `origin` read the answer; nothing where it may not."""
        if origin is None or not (self._all or origin in self._origins):
            return {}
        allowed = {"Access-Control-Allow-Origin": "*" if self._all else origin}
        return allowed | (PREFLIGHT_HEADERS if preflight else {"Access-Control-Expose-Headers": EXPOSED_HEADERS})
