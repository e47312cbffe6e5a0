"""Arguments of a tool, as the path and the query of the request that it stands for.

Only what no request could say is refused here. Values are judged where those of every request are.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from rest_facade.mcp.tools import Tool
from rest_facade.rest.errors import Refused, invalid


def target(tool: Tool, arguments: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """The path and the query. An argument that is null was not given. Raises Refused (400)."""
    given = {name: value for name, value in arguments.items() if value is not None}
    known = tool.schema["properties"]
    for name in given:
        # /v1 ignores what it doesn't know, but a model that misspelt a filter would believe the answer.
        if name not in known:
            raise Refused(invalid(f"{tool.endpoint.operation} takes {', '.join(known) or 'no arguments'}.", name))
    texts = {name: _text(name, value, known[name].get("type") == "array") for name, value in given.items()}
    for name in tool.endpoint.ids:
        if not texts.get(name):
            raise Refused(invalid(f"{name} is required.", name))
    ids = {name: quote(texts.pop(name), safe="", errors="replace") for name in tool.endpoint.ids}
    return tool.endpoint.path.format_map(ids).encode(), urlencode(texts, errors="replace").encode()


def _text(name: str, value: Any, is_list: bool) -> str:
    """A value as it stands in a query."""
    match value:
        case list() if is_list:
            return ",".join(_text(name, item, False) for item in value)
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            return str(int(value))
        case str() | int() | float():
            return str(value)
    raise Refused(invalid(f"{name} must be a plain value{' or a list of them' if is_list else ''}.", name))
