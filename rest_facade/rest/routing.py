"""Step 2: which endpoint a path names. Paths are compared byte by byte, as they were sent.

Nothing is decoded, no slash is added or dropped: a path that differs in any byte is another path.
"""

from collections.abc import Mapping, Sequence

from rest_facade.rest.endpoint import Endpoint

VERSION = b"/v1/"

PathPattern = tuple[bytes | None, ...]
"""The segments of a path, None for an id."""


class Router:
    """Finds an endpoint in a few dictionary look-ups, however many there are."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self._endpoints: dict[PathPattern, Endpoint] = {}
        for endpoint in endpoints:
            shape = tuple(None if part[:1] == "{" else part.encode() for part in endpoint.path.split("/"))
            if shape in self._endpoints:
                raise ValueError(f"{endpoint.operation} and {self._endpoints[shape].operation} share {endpoint.path}.")
            self._endpoints[shape] = endpoint
        # Which segments can be ids: few combinations, whatever the number of endpoints.
        self._places = {tuple(i for i, part in enumerate(shape) if part is None) for shape in self._endpoints}

    def find(self, raw_path: bytes) -> tuple[Endpoint, Mapping[str, str]] | None:
        """The endpoint of a path, with the ids in it as they were sent; None where there is none."""
        parts = raw_path.split(b"/")
        for places in self._places:
            if places and (places[-1] >= len(parts) or not all(parts[place] for place in places)):
                continue
            endpoint = self._endpoints.get(tuple(None if i in places else part for i, part in enumerate(parts)))
            if endpoint is not None:
                ids = (parts[place].decode("latin-1") for place in places)
                return endpoint, dict(zip(endpoint.ids, ids, strict=True))
        return None
