"""Arguments of an MCP tool, converted to the path and the query of the REST request.

Only arguments that no request could hold are refused here; the REST API validates the values.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from rest_facade.mcp.tools import Tool
from rest_facade.rest.errors import Refused, invalid


def target(tool: Tool, arguments: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """The path and the query. A null argument counts as absent. Raises Refused (400)."""
    present = {name: value for name, value in arguments.items() if value is not None}
    properties = tool.schema["properties"]
    for name in present:
        # /v1 ignores unknown parameters, but a model that misspelled a filter would trust the unfiltered result.
        if name not in properties:
            raise Refused(invalid(f"{tool.endpoint.operation} takes {', '.join(properties) or 'no arguments'}.", name))
    texts = {name: _text(name, value, properties[name].get("type") == "array") for name, value in present.items()}
    for name in tool.endpoint.ids:
        if not texts.get(name):
            raise Refused(invalid(f"{name} is required.", name))
    ids = {name: quote(texts.pop(name), safe="", errors="replace") for name in tool.endpoint.ids}
    return tool.endpoint.path.format_map(ids).encode(), urlencode(texts, errors="replace").encode()


def _text(name: str, value: Any, is_list: bool) -> str:
    """A value as text of a query."""
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
