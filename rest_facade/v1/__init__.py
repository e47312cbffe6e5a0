"""Version 1 of the published contract: one list of endpoints for everything that needs one."""

from rest_facade.v1 import activity, leaves, money, people, timesheets, work

ENDPOINTS = [
    *people.ENDPOINTS,
    *work.ENDPOINTS,
    *timesheets.ENDPOINTS,
    *activity.ENDPOINTS,
    *money.ENDPOINTS,
    *leaves.ENDPOINTS,
]
