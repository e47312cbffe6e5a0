"""Values of the checks: the roles, and what migrations make, which is in `new_database.json`."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from db.admin.roles import WRITER_ROLE
from db.reading.hosts.distribution import keys_to_distributed, reference_tables
from db.reading.transaction import SERVICE_ROLE

DECLARED: Mapping[str, Any] = {
    "service_role": SERVICE_ROLE,
    "writer_role": WRITER_ROLE,
    "new_database": files(__package__).joinpath("new_database.json").read_text(),
    "undistributed_keys": [str(key.name) for table in reference_tables() for key in keys_to_distributed(table)],
}
