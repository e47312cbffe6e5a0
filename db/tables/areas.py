"""All areas: importing this module declares every table in `metadata`."""

from db.tables import activity, keys, leaves, money, payroll, people, reference, timesheets, work
from db.tables.columns import metadata

__all__ = ["AREAS", "metadata"]

AREAS = (reference, keys, people, work, timesheets, activity, money, payroll, leaves)
