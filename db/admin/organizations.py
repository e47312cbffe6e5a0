"""Organizations: create, list, show, suspend and resume them."""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, select, update

from db.admin.keys import set_organization
from db.admin.tenant import use_organization
from db.tables.people import FEATURES, OrganizationStatus, Weekday, organizations
from db.tables.reference import country_codes, currency_codes, zone_names


@dataclass(frozen=True)
class NewOrganization:
    """The columns of an organization to create. Raises ValueError."""

    name: str
    timezone: str
    currency: str
    country: str | None
    week_start_day: Weekday
    features: Sequence[str]

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("The name is empty.")
        if self.timezone not in zone_names():
            raise ValueError(f"{self.timezone!r} is not a time zone: give an IANA name, such as Europe/Berlin.")
        if self.currency not in currency_codes():
            raise ValueError(f"{self.currency!r} is not a currency: give an ISO 4217 code, such as EUR.")
        if self.country is not None and self.country not in country_codes():
            raise ValueError(f"{self.country!r} is not a country: give an ISO 3166-1 code, such as DE.")
        unknown = sorted(set(self.features) - set(FEATURES))
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not a feature. Features are {', '.join(FEATURES)}.")


def create_organization(connection: Connection, organization: NewOrganization) -> UUID:
    """Insert an organization and return its id."""
    id_ = uuid7()
    use_organization(connection, id_)
    values = asdict(organization) | {
        "name": organization.name.strip(),
        "week_start_day": organization.week_start_day.value,
        "features": {feature: feature in organization.features for feature in FEATURES},
    }
    connection.execute(insert(organizations).values(organization_id=id_, **values))
    return id_


def list_organizations(connection: Connection) -> Sequence[Any]:
    """All organizations that are not deleted, oldest first. The connection is that of the tables' owner."""
    columns = organizations.c
    order = (columns.created_at, columns.organization_id)
    return connection.execute(select(organizations).where(columns.deleted_at.is_(None)).order_by(*order)).all()


def read_organization(connection: Connection, organization_id: UUID) -> Mapping[str, Any]:
    """The columns of an organization. Raises AccessError if it does not exist."""
    set_organization(connection, organization_id)
    query = select(organizations).where(organizations.c.organization_id == organization_id)
    return dict(connection.execute(query).mappings().one())


def set_status(connection: Connection, organization_id: UUID, status: OrganizationStatus) -> None:
    """Suspend an organization, whose keys then answer 401, or resume it. Raises AccessError if it does not exist."""
    set_organization(connection, organization_id)
    connection.execute(
        update(organizations).where(organizations.c.organization_id == organization_id).values(status=status.value)
    )


def uuid7() -> UUID:
    """A new UUID of version 7: the time in milliseconds, then random bits."""
    milliseconds = time.time_ns() // 1_000_000
    bits = milliseconds << 80 | 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    return UUID(int=bits)
