"""CORS: which web origins may call the API from a browser, which headers they may send, and which they may read."""

import re
from collections.abc import Iterable, Mapping, Sequence

from db.admin.key_format import without_secrets
from rest_facade.errors.refusals import KEY_HEADER

HEADER_NAMES = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+([ \t]*,[ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]+)*", re.ASCII)
MAX_HEADER_NAMES = 2_000
"""Characters of the names of headers that a browser asks for at once."""


class Cors:
    """The allowed origins; `*` allows all. This is safe: keys are sent in a header, never in a cookie.

    `exposed` are the headers of responses that a page may read. It may send any header: those of tracing, of a
    library, and of caches change nothing here.
    """

    def __init__(self, origins: Sequence[str], exposed: Iterable[str] = ()) -> None:
        self._all = "*" in origins
        self._origins = frozenset(origins)
        self._exposed = {"Access-Control-Expose-Headers": ", ".join(exposed)}

    def headers(self, origin: str | None) -> Mapping[str, str]:
        """The CORS headers of a response to `origin`; empty if the origin is not allowed."""
        if origin is None or not (self._all or origin in self._origins):
            return {}
        return {"Access-Control-Allow-Origin": "*" if self._all else origin, **self._exposed}

    def preflight_headers(self, origin: str | None, requested: str, methods: str) -> Mapping[str, str]:
        """The CORS headers of the response to OPTIONS; `requested` are the headers that a page wants to send."""
        allowed = self.headers(origin)
        if not allowed:
            return {}
        # A key that stands for a name is not repeated: brackets, which redact it, are in no name.
        names = without_secrets(requested)
        is_list = len(names) <= MAX_HEADER_NAMES and HEADER_NAMES.fullmatch(names)
        return {
            **allowed,
            "Access-Control-Allow-Methods": methods,
            "Access-Control-Allow-Headers": f"{KEY_HEADER}, {names}" if is_list else KEY_HEADER,
            "Access-Control-Max-Age": "600",
        }
