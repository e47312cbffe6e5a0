"""Version 1 of the API: ENDPOINTS lists every published endpoint. Router, OpenAPI, MCP and tests are built from it."""

from rest_facade.v1 import activity, leaves, money, people, timesheets, work

ENDPOINTS = [
    *people.ENDPOINTS,
    *work.ENDPOINTS,
    *timesheets.ENDPOINTS,
    *activity.ENDPOINTS,
    *money.ENDPOINTS,
    *leaves.ENDPOINTS,
]
