"""All areas: importing this module declares every table in `metadata`."""

from db.tables import activity, keys, leaves, money, payroll, people, reference, timesheets, work

AREAS = (reference, keys, people, work, timesheets, activity, money, payroll, leaves)
