"""The manifest of an export: which files it has, with what is in them, written when all of them are whole."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from uuid import UUID

import orjson
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from db.errors import OperatorError

MANIFEST = "manifest.json"


class ExportFormat(StrEnum):
    """The formats of exported files."""

    ndjson = "ndjson"
    csv = "csv"
    parquet = "parquet"


def _plain(name: str) -> str:
    """A file of the folder itself, whatever the manifest of a stranger says."""
    if name != Path(name).name or name.startswith("."):
        raise ValueError("is not the name of a file in the folder")
    return name


class ManifestModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ManifestFile(ManifestModel):
    file: Annotated[str, AfterValidator(_plain)]
    resource: str
    rows: int = Field(ge=0)
    bytes: int = Field(ge=0)
    sha256: str


class ManifestResource(ManifestModel):
    """A resource, also one without rows, which has no file."""

    rows: int = Field(ge=0)
    updated_since: AwareDatetime | None
    """Rows that changed earlier are left out; null: all rows are there."""
    fields: Sequence[str]
    computed: Sequence[str]
    """Those of the fields that are no columns: an import reads over them."""


class Manifest(ManifestModel):
    organization_id: UUID
    schema_version: str
    snapshot_at: AwareDatetime
    format: ExportFormat
    resources: Mapping[str, ManifestResource]
    files: Sequence[ManifestFile]


def json_bytes(model: BaseModel) -> bytes:
    return orjson.dumps(model.model_dump(mode="json"), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder. Raises OperatorError."""
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise OperatorError(f"{path} cannot be read: {error.strerror}. An export ends with it.") from error
    except ValidationError as error:
        raise OperatorError(f"{path} is not the manifest of an export: {first_problem(error)}.") from error


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong with a JSON document."""
    problem = error.errors(include_url=False)[0]
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else problem["msg"]


def computed_fields(folder: Path) -> Mapping[str, frozenset[str]]:
    """The computed fields of each resource; none for a folder that is no export."""
    try:
        manifest = read_manifest(folder)
    except OperatorError:
        return {}
    return {name: frozenset(resource.computed) for name, resource in manifest.resources.items()}
