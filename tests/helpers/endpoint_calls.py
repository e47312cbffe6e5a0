"""URLs that call endpoints over a world, and the items of their answers."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Unpaged
from tests.world import World


def path_of(endpoint: Endpoint, world: World) -> str:
    unknown = [name for name in endpoint.ids if name not in world.ids]
    assert not unknown, f"tests/world.py: `ids` of a world has no {unknown}, which {endpoint.path} takes"
    return endpoint.path.format_map(world.ids)


def params_of(endpoint: Endpoint, world: World) -> dict[str, str]:
    """The required query parameters of an endpoint. The range is the month of all events of a world."""
    values = {
        "start_date": "2026-01-01",
        "end_date": "2026-01-31",
        "user_id": str(world.ids["user_id"]),
        "date": datetime.now(UTC).date().isoformat(),
    }
    required = [parameter.name for parameter in endpoint.query_parameters if parameter.is_required]
    unknown = [name for name in required if name not in values]
    assert not unknown, f"{__name__}: params_of has no {unknown}, which {endpoint.operation} requires"
    return {name: values[name] for name in required}


def url_of(endpoint: Endpoint, world: World, query: str = "") -> str:
    """The path with the required parameters, followed by `query`."""
    full_query = "&".join(filter(None, [urlencode(params_of(endpoint, world)), query]))
    return f"{path_of(endpoint, world)}?{full_query}" if full_query else path_of(endpoint, world)


def items_of(endpoint: Endpoint, body: Any) -> list[dict[str, Any]]:
    if not isinstance(endpoint.envelope, Unpaged):
        return list(body["results"])
    return body if isinstance(body, list) else [body]


def key_of(item: dict[str, Any]) -> str:
    return str(item.get("id") or item.get("user_id") or item["user"]["user_id"])
