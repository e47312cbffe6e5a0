"""The OpenAPI 3.1 document, made from the endpoints and their documents: nothing about an operation is said twice."""

import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from types import ModuleType
from typing import Any

from rest_facade.openapi import errors
from rest_facade.openapi.examples import Examples
from rest_facade.openapi.parameters import Parameters
from rest_facade.openapi.schemas import Schemas
from rest_facade.rest.cors import KEY_HEADER
from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import activity, leaves, money, people, timesheets, work
from schema.documents.result_types import DocumentTypes

AREAS: Sequence[ModuleType] = (people, work, timesheets, activity, money, leaves)
"""Each is a tag, described by its first line."""

ACRONYMS = {"Url": "URL"}

ABOUT = """
People, work, tracked time, activity, money and leave of one organization, to be read.

The organization is that of the key. Keys that are null are there all the same; new keys and new values of enumerations
may come. Times end in `Z`, days are those of `timezone`, durations are whole seconds, money is decimal text.

Walk a list by following `next` until it is null. To poll for changes, ask with the largest `updated_at` that you saw as
`updated_since`, and `include_deleted=true`.
"""


def openapi(
    endpoints: Sequence[Endpoint], *, base_url: str, examples: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The document. `examples` are ids and days that exist where it is served, by the names of parameters."""
    known = Examples(examples or {})
    schemas = Schemas()
    paths = {endpoint.path: {"get": _operation(endpoint, schemas, known)} for endpoint in endpoints}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Organization data",
            "version": version("orgdata-service"),
            "summary": "Read-only workforce time-tracking data.",
            "description": ABOUT.strip(),
        },
        "servers": [{"url": base_url}],
        "security": [{"key": []}],
        "tags": [{"name": name_of(area), "description": _first_line(area)} for area in AREAS],
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
                    "description": "A partner key reads everything, an MCP key what its scopes allow.",
                }
            },
        },
    }


def name_of(area: ModuleType) -> str:
    return area.__name__.rpartition(".")[2]


def summary_of(operation: str) -> str:
    """`List member projects` for listMemberProjects."""
    first, *others = re.findall(r"[A-Z]?[a-z]+", operation)
    return " ".join([first.capitalize(), *(ACRONYMS.get(word, word.lower()) for word in others)])


def _operation(endpoint: Endpoint, schemas: Schemas, examples: Examples) -> dict[str, Any]:
    answer = DocumentTypes(endpoint.document + endpoint.fragment)
    (area,) = [name_of(area) for area in AREAS if endpoint in area.ENDPOINTS]
    content: dict[str, Any] = {"schema": schemas.body(endpoint, answer)}
    example = examples.body(endpoint.operation)
    if example is not None:
        content["example"] = example
    return {
        "operationId": endpoint.operation,
        "summary": summary_of(endpoint.operation),
        "description": f"{answer.about().description} An MCP key needs the scope `{endpoint.scope}`. "
        f"Requests are counted in the group `{endpoint.group}`.",
        "tags": [area],
        "parameters": Parameters(endpoint, answer, examples.parameters, schemas).all(),
        "responses": {
            "200": {
                "description": answer.about().description,
                "headers": errors.headers(errors.RATES),
                "content": {"application/json": content},
            },
            **errors.references(),
        },
    }


def _first_line(area: ModuleType) -> str:
    return (area.__doc__ or "").strip().splitlines()[0]
