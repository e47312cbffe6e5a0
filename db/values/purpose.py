"""Purpose: what an API key opens."""

from enum import StrEnum


class Purpose(StrEnum):
    """What a key opens: partner all of `/v1`, mcp the scopes it lists, internal GraphQL on the internal listener."""

    partner = "partner"
    mcp = "mcp"
    internal = "internal"
