"""CORS: which web origins may call the API from a browser, and which headers they may read."""

from collections.abc import Mapping, Sequence

KEY_HEADER = "X-SERVICE-API-KEY"

EXPOSED_HEADERS = (
    "X-Request-ID, X-Data-As-Of, X-Unknown-Parameters, Retry-After, "
    "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset"
)
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, OPTIONS",
    "Access-Control-Allow-Headers": KEY_HEADER,
    "Access-Control-Max-Age": "600",
}


class Cors:
    """The allowed origins; `*` allows all. This is safe: keys are sent in a header, never in a cookie."""

    def __init__(self, origins: Sequence[str]) -> None:
        self._all = "*" in origins
        self._origins = frozenset(origins)

    def headers(self, origin: str | None, *, preflight: bool = False) -> Mapping[str, str]:
        """The CORS headers of a response to `origin`; empty if the origin is not allowed."""
        if origin is None or not (self._all or origin in self._origins):
            return {}
        allowed = {"Access-Control-Allow-Origin": "*" if self._all else origin}
        return allowed | (PREFLIGHT_HEADERS if preflight else {"Access-Control-Expose-Headers": EXPOSED_HEADERS})
