"""`rest_facade/mcp/tools.json`: the MCP tools, made from the endpoints and the descriptions of the schema.

A client shows all tools to its model at once, so a tool leaves the keys of its results to its answers, and what many
tools share to the instructions of the server.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson
from graphql import GraphQLEnumType, get_named_type

from rest_facade.mcp.answers import ARRAY_KEY, NEXT_ARGUMENT
from rest_facade.mcp.names import NAMED
from rest_facade.mcp.tool import PACKAGED, EndpointTool, ToolKey, flattened
from rest_facade.openapi.parameters import Parameters
from rest_facade.openapi.schemas import Schemas
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Cursor, Offset
from rest_facade.v1 import ENDPOINTS
from schema.documents.result_types import DocumentTypes, ResultField
from schema.scalars import DATE_FORM, UUID_FORM

FILE = Path(str(files("rest_facade.mcp"))) / PACKAGED

PATTERNS = {"uuid": UUID_FORM.pattern, "date": DATE_FORM.pattern, "currency": "^[A-Z]{3}$", "domain": r"^[^/:\s]+$"}
"""What tools check by themselves: no other text gets into a path or a sum. /v1 would answer zeros for the currency
`eur` and for a URL as a domain. It checks all other values."""

DEFAULT_ROWS = 20
"""Rows of a page that a model has not asked for."""

DEFAULT_KEYS = 18
"""Keys of a row that a model has not asked for."""

SHORT = {
    "user_id": "Person.",
    "team_id": "Team.",
    "project_id": "Project.",
    "client_id": "Client.",
    "task_id": "Task.",
    "invoice_id": "Invoice.",
    "leave_type_id": "Leave type.",
    "parent_task_id": "Parent task.",
    "assignee": "Person.",
    "date": "Local day.",
    **dict.fromkeys(("include", "detail"), "More keys."),
    "leave_policy_id": "Policy.",
    "leave_period_id": "Period.",
    "start_date": "First day.",
    "end_date": "Last day.",
    "timezone": "IANA name.",
    "search": "Start of name.",
    **dict.fromkeys(("status", "role", "type", "kind", "severity", "action", "productivity"), "Any of."),
    "is_active": "Active.",
    "has_running_timer": "Timer runs.",
    "include_open": "Also older open ones.",
    "domain": "Website.",
    "is_billable": "Billable.",
    "is_overdue": "Overdue.",
    "is_final": "Final.",
    "app_name": "Exact name.",
    "email": "E-mail.",
    "number": "Number.",
    "currency": "Such as EUR.",
    "limit": "Rows.",
    NEXT_ARGUMENT: "As answered.",
    "fields": "Keys.",
}
"""Descriptions of arguments that many tools have: the instructions say more, but not every host shows them."""

MORE_KEYS = {
    **{name: ["budget"] for name in ("listProjects", "listClientProjects", "listClients")},
    "listTeams": ["lead_user_ids"],
    "listTimeActivityReport": ["is_final"],
    "listInvoices": ["paid_at"],
    "listAppReports": ["days.date", "days.apps.app_name", "days.apps.duration_seconds"],
    "listUrlReports": ["days.date", "days.sites.domain", "days.sites.duration_seconds"],
}
"""Keys that are asked for most, beside the first plain ones."""

NOTES = {
    "listMembers": " Also invited and suspended ones.",
    **dict.fromkeys(("listProjects", "retrieveProject"), " `tracked_seconds_total` is of all time."),
    "listInvoices": " Owed: `sent`, `viewed`, `partially_paid`.",
    "listMemberPaymentSettings": " Active members only.",
    "listMemberHourlyPaymentLog": " Active members only. Paid when: `paid_at`. Salaries: listMemberOneTimePaymentLog.",
    "listMemberOneTimePaymentLog": " Active members only. Paid when: `paid_at`. By hour: listMemberHourlyPaymentLog.",
    "listMemberPayables": " Also of people who left.",
    "listLeaveApplications": " `amount` is of all days.",
}
"""What descriptions of tools say besides, lest a model that sees no instructions adds up what is not asked for."""

LEFT_OUT = frozenset(
    "id page after cursor include_deleted updated_since payroll_updated_since screenshots_updated_since"
    " external_id".split()
)
"""Parameters that tools do not have: `next` stands for those of pages, and programs poll and join, not agents."""

SELDOM_ASKED = frozenset(
    "created_at updated_at deleted_at description note notes reason color timezone avatar_url first_name last_name"
    " external_id external_source".split()
)
"""Keys that are not among those."""


def current() -> bytes:
    """What the file should hold: an array with one tool a line."""
    return b"[\n" + b",\n".join([orjson.dumps(asdict(tool_of(endpoint))) for endpoint in ENDPOINTS]) + b"\n]\n"


def tool_of(endpoint: Endpoint) -> EndpointTool:
    """The tool of one endpoint."""
    types = DocumentTypes(endpoint.document)
    result = types.result
    is_page = isinstance(endpoint.envelope, (Offset, Cursor))
    keys = _row_keys(result, is_page=is_page)
    schemas = Schemas()
    parameters = [_inlined(parameter, schemas) for parameter in Parameters(endpoint, types, {}, schemas).all()]
    limits = [parameter["schema"]["default"] for parameter in parameters if parameter["name"] == "limit"]
    return EndpointTool(
        name=endpoint.operation,
        description=result.description + NOTES.get(endpoint.operation, ""),
        scope=endpoint.scope,
        schema=_schema(parameters),
        path=endpoint.path,
        ids=list(endpoint.ids),
        rows=min(*limits, DEFAULT_ROWS) if limits else None,
        default_fields=_default_fields(keys)[:DEFAULT_KEYS] + MORE_KEYS.get(endpoint.operation, []) if is_page else [],
        keys=keys,
    )


def _inlined(value: Any, schemas: Schemas) -> Any:
    """The same, with components instead of references to them."""
    if isinstance(value, list):
        return [_inlined(item, schemas) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return schemas.components[value["$ref"].rpartition("/")[2]]
    return {name: _inlined(item, schemas) for name, item in value.items()}


def _default_fields(keys: Sequence[ToolKey]) -> list[str]:
    """The plain keys of a row, first those that it begins with; those of the lists in it if it has no others."""
    is_report = any(key.name == "is_final" for key in keys)
    plain = [
        key.name
        for number, key in enumerate(keys)
        if not (key.keys or key.is_list or key.name in SELDOM_ASKED or (number and key.name.endswith("_id")))
        and not (is_report and key.name in ("start_date", "end_date"))
    ]
    names = dict(flattened(keys))
    people = [name for name in ("user.user_id", "user.full_name", "user.email") if name in names][:2]
    if plain in ([], ["id"]):
        plain = [f"{key.name}.{inner}" for key in keys if key.is_list for inner in _default_fields(key.keys)] or plain
    return [*plain[:1], *people, *plain[1:]] if plain[:1] == ["id"] else [*people, *plain]


def _row_keys(result: ResultField, *, is_page: bool) -> Sequence[ToolKey]:
    """The keys of each result, or of the one object."""
    return _keys(next(key for key in result.keys if key.name == ARRAY_KEY) if is_page else result)


def _keys(field: ResultField) -> Sequence[ToolKey]:
    return tuple(ToolKey(key.name, key.description, _type_name(key), key.is_list, _keys(key)) for key in field.keys)


def _type_name(key: ResultField) -> str:
    named = get_named_type(key.type)
    name = "one of " + ", ".join(named.values) if isinstance(named, GraphQLEnumType) else named.name
    name = "object" if key.keys else name
    return f"{'list of ' if key.is_list else ''}{name}{' or null' if key.is_nullable else ''}"


def _schema(parameters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    properties = {each["name"]: _argument(each) for each in parameters if each["name"] not in LEFT_OUT}
    if "limit" in properties:
        properties[NEXT_ARGUMENT] = {"type": "string", "description": SHORT[NEXT_ARGUMENT]}
    properties["fields"] = {"type": "string", "description": SHORT["fields"]}
    required = [each["name"] for each in parameters if each["required"]]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _argument(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of an argument."""
    name, schema = parameter["name"], parameter["schema"]
    schema = {**schema, "format": name} if name in PATTERNS else schema
    kept = _type({**schema, "format": None}) if name in NAMED else _type(schema)
    if "items" in schema:
        kept["items"] = _type(schema["items"])
    sentence = parameter["description"].partition(". ")[0].partition("; ")[0].rstrip(".")
    return {**kept, "description": SHORT.get(name, f"{sentence}.")}


def _type(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: schema[name] for name in ("enum", "format") if schema.get(name)}
    pattern = {"pattern": PATTERNS[kept["format"]]} if kept.get("format") in PATTERNS else {}
    return {"type": schema.get("type", "string"), **kept, **pattern}
