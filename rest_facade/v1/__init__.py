"""Version 1 of the published contract: one list of endpoints for everything that needs one."""

from rest_facade.v1 import people, work

ENDPOINTS = [*people.ENDPOINTS, *work.ENDPOINTS]
