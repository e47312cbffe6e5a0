"""The state of an export: since when the next one looks for changes, in a file that it is given."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import orjson
from pydantic import AwareDatetime, ValidationError

from db.errors import OperatorError
from db.jobs.exporting.manifest import ManifestModel, first_problem, json_bytes

STATE = "state.json"

OVERLAP = timedelta(minutes=1)
"""How far before its watermark an export reads again: a row gets `updated_at` a moment before others see it."""


class ExportState(ManifestModel):
    """`watermarks`: for each resource, a time before which every change is in an export."""

    organization_id: UUID
    schema_version: str
    watermarks: Mapping[str, AwareDatetime]
    sha256: str = ""
    """Of the rest: a state that was edited would leave rows out, and nothing else would show it."""

    def write(self, path: Path) -> None:
        path.write_bytes(json_bytes(self.model_copy(update={"sha256": self._digest()})))

    def since(self, resource: str) -> datetime | None:
        """The time from which an export reads changes of a resource; None for a resource that was not exported."""
        watermark = self.watermarks.get(resource)
        return None if watermark is None else watermark - OVERLAP

    def check(self, path: Path, organization_id: UUID, schema_version: str) -> None:
        """Raises OperatorError unless an export of this organization and schema can continue it."""
        if self.sha256 != self._digest():
            raise OperatorError(f"{path} was changed after an export wrote it: export everything, without --since.")
        if self.organization_id != organization_id:
            raise OperatorError(f"{path} is of organization {self.organization_id}.")
        if self.schema_version != schema_version:
            raise OperatorError(
                f"{path} is of schema version {self.schema_version}, and the database has {schema_version}:"
                " export everything, without --since."
            )

    def _digest(self) -> str:
        content = self.model_dump(mode="json", exclude={"sha256"})
        return sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


def read_state(path: Path) -> ExportState:
    """The state in a file. Raises OperatorError."""
    try:
        return ExportState.model_validate_json(path.read_bytes())
    except OSError as error:
        raise OperatorError(f"{path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        raise OperatorError(f"{path} is not the state of an export: {first_problem(error)}.") from error
