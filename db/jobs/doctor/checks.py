"""All checks of `orgdata doctor`."""

from collections.abc import Sequence

from db.jobs.doctor.activity import activity
from db.jobs.doctor.caps import caps
from db.jobs.doctor.check import Check
from db.jobs.doctor.deleted import deleted
from db.jobs.doctor.memberships import memberships
from db.jobs.doctor.overlaps import overlaps
from db.jobs.doctor.roles import roles
from db.jobs.doctor.row_security import row_security
from db.jobs.doctor.schema import schema
from db.jobs.doctor.server import server
from db.jobs.doctor.timers import timers


def unique(checks: Sequence[Check]) -> Sequence[Check]:
    """The checks. Raises ValueError if two have the same name."""
    names = [check.name for check in checks]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"Several checks are called {', '.join(repeated)}.")
    return checks


DATABASE_CHECKS = [*server(), *roles(), *row_security(), *schema()]
ORGANIZATION_CHECKS = [*overlaps(), *memberships(), *activity(), *caps(), *timers(), *deleted()]
CHECKS = unique([*DATABASE_CHECKS, *ORGANIZATION_CHECKS])

for check in CHECKS:
    if check.is_of_organization != (check in ORGANIZATION_CHECKS):
        raise ValueError(f"{check.name}: a check of an organization, and no other, uses :organization_id.")
