"""Arguments of an MCP tool, converted to the path and the query of the REST request.

Only arguments that no request could hold are refused here; the REST API validates the values.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.tool import EndpointTool, Tool


def checked(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that have a value: null counts as absent. Raises Refused (400), which says what may be given."""
    properties = tool.schema["properties"]
    given = {name: value for name, value in arguments.items() if value is not None}
    for name, value in given.items():
        # /v1 ignores unknown parameters, but a model that misspelled a filter would trust the unfiltered result.
        if name not in properties:
            raise Refused(invalid(f"{tool.name} takes {', '.join(properties) or 'no arguments'}.", name))
        choices = properties[name].get("items", properties[name]).get("enum")
        values = value if isinstance(value, list) else str(value).split(",")
        if choices and not all(one in choices for one in values):
            raise Refused(invalid(f"{name} must be one of {', '.join(choices)}.", name))
    return given


def target(tool: EndpointTool, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """The path and the query of the request. Raises Refused (400)."""
    lists = {name for name, schema in tool.schema["properties"].items() if schema.get("type") == "array"}
    texts = {name: _text(name, value, name in lists) for name, value in arguments.items()}
    for name in tool.ids:
        if not texts.get(name):
            raise Refused(invalid(f"{name} is required.", name))
    ids = {name: quote(texts.pop(name), safe="", errors="replace") for name in tool.ids}
    return tool.path.format_map(ids), urlencode(texts, errors="replace")


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
