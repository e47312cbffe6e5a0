"""Fixtures of exports: a filled organization for each module, and folders that get its export."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest
from sqlalchemy import Connection, text

from db.admin.engine import connect
from db.admin.keys import set_organization
from db.jobs.exporting.export_run import export_rows
from db.jobs.exporting.exported_rows import ExportedRows
from db.jobs.exporting.manifest import ExportFormat, Manifest
from rest_facade.commands.exports.export_rows import exported_resources
from tests.factories.rows import Rows
from tests.world import World, build

Export = Callable[..., Manifest]


@pytest.fixture(scope="session")
def resources() -> Sequence[ExportedRows]:
    return exported_resources()


@pytest.fixture(scope="module")
def world(rows: Rows) -> World:
    """An organization in which every table has rows. Tests change and add some."""
    return build(rows, "exported")


@pytest.fixture
def own(world: World) -> UUID:
    return world.organization_id


@pytest.fixture
def owner(owner_url: str, own: UUID) -> Iterator[Connection]:
    """A connection of the owner for the rows of the organization, which commits."""
    with connect(owner_url).begin() as connection:
        set_organization(connection, own)
        yield connection


@pytest.fixture
def export(owner_url: str, own: UUID, tmp_path: Path, resources: Sequence[ExportedRows]) -> Export:
    """`export("to")` writes to a folder of this name."""

    def run(to: str, format_: ExportFormat = ExportFormat.ndjson, *tables: str, **options: Any) -> Manifest:
        chosen = [each for each in resources if not tables or each.name in tables]
        return export_rows(connect(owner_url), own, chosen, tmp_path / to, format_, **options)

    return run


def rows_of(folder: Path, manifest: Manifest) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The rows of each resource in NDJSON files."""
    found: dict[str, list[Mapping[str, Any]]] = {name: [] for name in manifest.resources}
    for file in manifest.files:
        found[file.resource] += map(orjson.loads, (folder / file.file).read_bytes().splitlines())
    return found


def counted(owner: Connection, table: str) -> int:
    """How many rows the organization has in a table."""
    query = text(f"SELECT count(*) FROM {table} WHERE organization_id = current_setting('app.organization_id')::uuid")
    return int(owner.execute(query).scalar_one())
