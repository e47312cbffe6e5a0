"""Version 1 of the API: ENDPOINTS lists every published endpoint. Router, OpenAPI, MCP and tests are built from it."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import activity, leaves, money, people, timesheets, work

TAGS = (people, work, timesheets, activity, money, leaves)
"""The areas, which are the tags of the OpenAPI document: the docstring of each is its description there."""

ENDPOINTS: list[Endpoint] = [endpoint for area in TAGS for endpoint in area.ENDPOINTS]
