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
        self._id_positions: dict[int, list[tuple[int, ...]]] = {}
        """The positions of ids in the patterns, by the number of segments: a few each, however many endpoints."""
        for endpoint in endpoints:
            pattern = tuple(None if part[:1] == "{" else part.encode() for part in endpoint.path.split("/"))
            if pattern in self._endpoints:
                other = self._endpoints[pattern]
                raise ValueError(f"{endpoint.operation} and {other.operation} share {endpoint.path}.")
            self._endpoints[pattern] = endpoint
            positions = tuple(i for i, part in enumerate(pattern) if part is None)
            of_length = self._id_positions.setdefault(len(pattern), [])
            if positions not in of_length:
                of_length.append(positions)

    def find(self, raw_path: bytes) -> tuple[Endpoint, Mapping[str, str]] | None:
        """The endpoint of a path, and the ids in the path as sent. None if there is no such endpoint."""
        parts = raw_path.split(b"/")
        for positions in self._id_positions.get(len(parts), ()):
            pattern: list[bytes | None] = [*parts]
            for position in positions:
                # An id is not empty: the pattern keeps an empty segment, which no endpoint has there.
                pattern[position] = None if parts[position] else b""
            endpoint = self._endpoints.get(tuple(pattern))
            if endpoint is not None:
                ids = [parts[position].decode("latin-1") for position in positions]
                return endpoint, dict(zip(endpoint.ids, ids, strict=True))
        return None
