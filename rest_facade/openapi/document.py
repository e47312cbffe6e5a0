"""The OpenAPI 3.1 document, generated from the endpoints, their documents and the descriptions in the schema."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any

import orjson

from rest_facade.errors.refusals import KEY_HEADER
from rest_facade.openapi import errors
from rest_facade.openapi.parameters import Parameters
from rest_facade.openapi.polling import polling_text
from rest_facade.openapi.schemas import Schemas
from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import TAGS
from rest_facade.version import RELEASE
from schema.documents.result_types import DocumentTypes

SUMMARIES: Mapping[str, str] = {
    "listClockInOut": "List clock-in and clock-out records",
    "listManualTimesheetReports": "List manual time entries",
    "listMemberHourlyPaymentLog": "List hourly payments of a member",
    "listMemberOneTimePaymentLog": "List one-time payments of a member",
    "listTimeActivityReport": "List time activity by member",
    "listTimesheetIdleTime": "List timesheets with their idle time",
    "listAppReports": "List application usage by member",
    "listUrlReports": "List URL usage by member",
}
"""Summaries of operations whose names do not read as one."""

NOT_FOUND: Mapping[str, str] = {
    "listClientProjects": "404 if the client is inactive.",
    "listMemberPaymentSettings": "404 unless the membership of the person is active.",
    "listMemberHourlyPaymentLog": "404 unless the membership of the person is active.",
    "listMemberOneTimePaymentLog": "404 unless the membership of the person is active.",
}
"""Causes of 404 besides an unknown id in the path (spec, Not-found causes)."""

CAPPED: Mapping[str, str] = dict.fromkeys(
    ("listTimeActivityReport", "listTimesheetIdleTime"),
    "If a person on the page has more than 1,000 timesheets in the range, the page is refused: 400 with the integers "
    "`timesheets_in_range` and `timesheets_cap` in `details`. Read each half of the range, or each person of that page "
    "with `user_id`.",
)
"""What to do when a page is refused for the records of one person."""

DESCRIPTION = """
Read-only access to one organization's people, work, tracked time, activity, money and leave. The key in the header
`X-SERVICE-API-KEY` selects the organization. To read a list, follow `next` until it is null.

### Values

- Every listed key is present; a missing value is null. Clients must accept new keys and new enumeration values.
- Times are UTC and end in `Z`. Days are local days in `timezone`, by default that of the organization.
- Durations are whole seconds. Money is a decimal string.
- A parameter that an operation does not have is ignored, and the header `X-Unknown-Parameters` names it.

### Polling for changes

- The header `X-Data-As-Of` is the moment up to which a response has every change: the service may read copies of its
  database that are a little behind.
- Keep the earliest `X-Data-As-Of` of the responses of a walk, and send it less a minute as `updated_since` next time,
  with `include_deleted=true` where the operation has it. Replace rows by id.
- A row carries the time of its change, but appears only when its transaction commits: hence the minute.
- Names of other rows do not move its `updated_at`, except in reports.
"""


def openapi(
    endpoints: Sequence[Endpoint], *, base_url: str, examples: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The document. `examples` are values of parameters, by name, that exist in the served data."""
    values = {**_stored_examples()["parameters"], **(examples or {})}
    schemas = Schemas()
    paths = {endpoint.path: {"get": _operation(endpoint, schemas, values)} for endpoint in endpoints}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Organization data",
            "version": RELEASE,
            "summary": "Read-only workforce time-tracking data.",
            "description": DESCRIPTION.strip(),
        },
        "servers": [{"url": base_url}],
        "security": [{"key": []}],
        "tags": [{"name": area_name(area), "description": area.__doc__} for area in TAGS],
        "paths": paths,
        "components": {
            "schemas": dict(sorted({**schemas.components, **errors.schemas()}.items())),
            "responses": errors.responses(),
            "headers": dict(errors.HEADERS),
            "securitySchemes": {
                "key": {
                    "type": "apiKey",
                    "in": "header",
                    "name": KEY_HEADER,
                    "description": "A partner key may read everything. An MCP key may read what its scopes allow.",
                }
            },
        },
    }


def area_name(area: ModuleType) -> str:
    return area.__name__.rpartition(".")[2]


def summary_of(endpoint: Endpoint) -> str:
    """`List leave types` for listLeaveTypes, `List tasks of a project` for listProjectTasks, or that of SUMMARIES."""
    verb, *words = re.findall(r"[A-Z]?[a-z]+", endpoint.operation)
    if endpoint.ids and len(words) > 1:
        parent, *words = words
        words += ["of a", parent]
    return SUMMARIES.get(endpoint.operation, " ".join([verb, *words]).capitalize())


def _operation(endpoint: Endpoint, schemas: Schemas, examples: Mapping[str, str]) -> dict[str, Any]:
    types = DocumentTypes(endpoint.document)
    (area,) = [area_name(area) for area in TAGS if endpoint in area.ENDPOINTS]
    content: dict[str, Any] = {"schema": schemas.body(endpoint, types)}
    sentences = [
        types.result.description,
        NOT_FOUND.get(endpoint.operation),
        polling_text(endpoint),
        CAPPED.get(endpoint.operation),
        f"An MCP key needs the scope `{endpoint.scope}`.",
        f"The request counts towards the rate limit of the group `{endpoint.group}`.",
    ]
    bodies = _stored_examples()["bodies"]
    if endpoint.operation in bodies:
        content["example"] = bodies[endpoint.operation]
    return {
        "operationId": endpoint.operation,
        "summary": summary_of(endpoint),
        "description": " ".join(filter(None, sentences)),
        "tags": [area],
        "parameters": Parameters(endpoint, types, examples, schemas).all(),
        "responses": {
            "200": {
                "description": types.result.description,
                "headers": errors.headers(errors.OF_DATA),
                "content": {"application/json": content},
            },
            **errors.references(),
        },
    }


@cache
def _stored_examples() -> dict[str, Any]:
    """Responses of the demo organization by operation (`bodies`), and values of parameters by name."""
    stored: dict[str, Any] = orjson.loads((files(__package__) / "examples.json").read_bytes())
    return stored
