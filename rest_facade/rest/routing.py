"""Step 2: the endpoint of a path. Paths are compared byte by byte as sent, without decoding or adding a slash."""

from collections.abc import Mapping, Sequence

from rest_facade.rest.endpoint import Endpoint

VERSION = b"/v1/"

PathPattern = tuple[bytes | None, ...]
"""The segments of a path; None stands for an id."""


class Router:
    """Finds the endpoint of a path with a few dictionary lookups, however many endpoints there are."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self._endpoints: dict[PathPattern, Endpoint] = {}
        for endpoint in endpoints:
            pattern = tuple(None if part[:1] == "{" else part.encode() for part in endpoint.path.split("/"))
            if pattern in self._endpoints:
                other = self._endpoints[pattern]
                raise ValueError(f"{endpoint.operation} and {other.operation} share {endpoint.path}.")
            self._endpoints[pattern] = endpoint
        # The positions of ids in the patterns: few combinations, however many endpoints there are.
        self._id_positions = {tuple(i for i, part in enumerate(pattern) if part is None) for pattern in self._endpoints}

    def find(self, raw_path: bytes) -> tuple[Endpoint, Mapping[str, str]] | None:
        """The endpoint of a path, and the ids in the path as sent. None if there is no such endpoint."""
        parts = raw_path.split(b"/")
        for positions in self._id_positions:
            if positions and (positions[-1] >= len(parts) or not all(parts[position] for position in positions)):
                continue
            endpoint = self._endpoints.get(tuple(None if i in positions else part for i, part in enumerate(parts)))
            if endpoint is not None:
                ids = (parts[position].decode("latin-1") for position in positions)
                return endpoint, dict(zip(endpoint.ids, ids, strict=True))
        return None
