"""Arguments of MCP tools: checked by the schema of the tool, then converted to the path and query of a request."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import orjson
from jsonschema import Draft202012Validator

from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.mcp.calls import query_of
from rest_facade.mcp.tool import EndpointTool, Tool

TYPES = {"string": "a string", "integer": "an integer", "boolean": "true or false", "array": "a list of strings"}
"""The types of arguments in words."""

ADDED_BY_HOSTS = frozenset(("toolCallId", "tool", "task_progress", "wait_for_previous", "_meta"))
"""Arguments that hosts add to those of the model, such as n8n, Cline and Gemini CLI. No tool has one of them."""

ID_FORM = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
"""The form of ids in a path; the scalar's, which the client's side does without."""

FORMAT_MESSAGES = {
    "uuid": "Invalid UUID format.",
    "date": "Invalid date format. Use YYYY-MM-DD.",
    "currency": "currency must be an ISO 4217 code in capital letters, such as EUR.",
    "domain": "domain must be a domain alone, such as example.com: without https:// and path.",
}
"""Messages for a text that does not match the pattern of its format (spec, Validation messages)."""


def checked(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that have a value, in the types of the tool's schema: null counts as absent.

    Models write `"3"` for 3, and `"a,b"` or `'["a", "b"]'` for a list: all tools take them. Raises Refused (400), which
    names the first argument that the schema does not permit, and says what may be given.
    """
    properties = tool.schema["properties"]
    given = {
        name: _converted(value, properties.get(name, {}))
        for name, value in arguments.items()
        if value is not None and name not in ADDED_BY_HOSTS
    }
    for name in given:
        # /v1 ignores unknown parameters, but a model that misspelled a filter would trust the unfiltered result.
        if name not in properties:
            sent_name = name.encode(errors="replace").decode()
            raise Refused(invalid(f"{tool.name} takes {', '.join(properties) or 'no arguments'}.", sent_name))
    for name in tool.schema.get("required", ()):
        if given.get(name, "") == "":
            raise Refused(invalid(f"{name} is required.", name))
    for error in Draft202012Validator(tool.schema).iter_errors(given):
        name = str(error.path[0])
        raise Refused(invalid(_message(name, properties[name], str(error.validator)), name))
    return given


def target(tool: EndpointTool, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """The path and the query of the request that checked arguments make."""
    texts = {name: _text(value) for name, value in arguments.items()}
    if "domain" in texts:
        # Websites are stored by their registrable domains, in punycode. Longer texts are refused, and slow to encode.
        texts["domain"] = texts["domain"].lower().removeprefix("www.").rstrip(".")
        with suppress(UnicodeError):
            texts["domain"] = texts["domain"][:256].encode("idna").decode()
    ids = {name: quote(texts.pop(name), safe="") for name in tool.ids}
    return tool.path.format_map(ids), query_of(texts)


def _converted(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value in the type of its schema, if it is written in another way; else the value itself."""
    with suppress(orjson.JSONDecodeError):
        if isinstance(value, str) and value.startswith(('["', "['")):
            value = orjson.loads(value if value[1] == '"' else value.replace("'", '"'))
    match schema.get("type"), value:
        case "integer", float() if value.is_integer():
            return int(value)
        case "integer", str() if value.isascii() and value.removeprefix("-").isdigit() and len(value) < 19:
            return int(value)
        case "boolean", "true" | "false" | "True" | "False":
            return value.lower() == "true"
        case "string", bool():
            return value
        case "string", int():
            return str(value)
        case "string", str() if "pattern" not in schema:
            return value.strip()
        case "string", list() if all(isinstance(item, str) for item in value):
            return ",".join(value)
        case "array", list():
            return [_converted(item, schema["items"]) for item in value]
        case "array", str() | int():
            return [] if value == "" else [item.strip() for item in str(value).split(",")]
    return value


def _message(name: str, schema: Mapping[str, Any], keyword: str) -> str:
    """The sentence about a value that the keyword of the schema does not permit."""
    one = schema.get("items", schema)
    match keyword:
        case "enum":
            return f"{name} must be one of {', '.join(one['enum'])}."
        case "pattern":
            return FORMAT_MESSAGES[one["format"]]
        case "minimum" | "maximum":
            return f"{name} must be an integer from {schema['minimum']} to {schema['maximum']}."
    return f"{name} must be {TYPES[schema['type']]}."


def _text(value: Any) -> str:
    """A value as text of a query."""
    match value:
        case list():
            return ",".join(value)
        case bool():
            return str(value).lower()
    return str(value)
