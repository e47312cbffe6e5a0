"""All checks of `orgdata doctor`."""

from collections.abc import Sequence

from db.doctor.activity import activity
from db.doctor.caps import caps
from db.doctor.check import Check, Scope
from db.doctor.deleted import deleted
from db.doctor.memberships import memberships
from db.doctor.overlaps import overlaps
from db.doctor.roles import roles
from db.doctor.row_security import row_security
from db.doctor.schema import schema
from db.doctor.server import server
from db.doctor.timers import timers


def unique(checks: Sequence[Check]) -> Sequence[Check]:
    """The checks. Raises ValueError if two have the same name."""
    names = [check.name for check in checks]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"Several checks are called {', '.join(repeated)}.")
    return checks


DATABASE_CHECKS = unique([*server(), *roles(), *row_security(), *schema()])
ORGANIZATION_CHECKS = unique([*overlaps(), *memberships(), *activity(), *caps(), *timers(), *deleted()])
CHECKS = unique([*DATABASE_CHECKS, *ORGANIZATION_CHECKS])

assert all(check.scope is Scope.database for check in DATABASE_CHECKS)
