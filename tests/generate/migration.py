"""`make migration NAME=...`: writes the draft of a migration, from the declared tables and a migrated database."""

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from alembic import command
from alembic.autogenerate import renderers
from alembic.autogenerate.api import AutogenContext
from alembic.operations import ops
from alembic.operations.ops import CreateTableOp, ExecuteSQLOp, MigrateOperation, MigrationScript, ModifyTableOps
from sqlalchemy import Column

from db.admin.engine import connect
from db.admin.migrate import FOLDER, configuration, head
from tests.generate.migrated import check_changes, migrated_database

NAME = re.compile(r"[a-z][a-z0-9_]*")


class ProtectOp(MigrateOperation):
    """Row-level security on a new tenant table: `protect(table)` of db.migrations.security."""

    def __init__(self, table: str) -> None:
        self.table = table


@renderers.dispatch_for(ProtectOp)
def _render(context: AutogenContext, operation: ProtectOp) -> str:
    context.imports.add("from db.migrations.security import protect")
    return f"protect({operation.table!r})"


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if not NAME.fullmatch(name):
        sys.exit("Give the migration a name of small letters, digits and underscores: make migration NAME=badges")
    with migrated_database() as url, connect(url).connect() as connection:
        config = configuration(connection)
        config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
        config.set_main_option("truncate_slug_length", "80")
        script = command.revision(
            config,
            f"{name.replace('_', ' ').capitalize()}.",
            autogenerate=True,
            rev_id=f"{int(head()) + 1:04}",
            process_revision_directives=_complete,
        )
    if script is None or isinstance(script, list) or not script.path:
        sys.exit("The declared tables are those of the last migration: there is nothing to write.")
    path = Path(script.path)
    path = path.rename(path.with_name(f"{script.revision}_{name}.py"))
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if "# ###" not in line))
    for arguments in (["check", "--quiet", "--select", "I,F401", "--fix"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *arguments, path], check=True)
    shown = path.relative_to(FOLDER.parents[1])
    more = " Run make migration again: the next revision validates its constraints." * ("NOT VALID" in path.read_text())
    print(f"{shown}: read it.{more}")  # noqa: T201


def _complete(context: Any, revision: Any, scripts: list[MigrationScript]) -> None:
    """Put row-level security on new tenant tables, and CHECK constraints on earlier ones; write nothing where nothing
    differs.
    """
    for script in scripts:
        assert script.upgrade_ops is not None
        adapt(script.upgrade_ops.ops)
        created = [each for each in script.upgrade_ops.ops if isinstance(each, CreateTableOp)]
        for each in created:
            if each.info.get("tenant"):
                script.upgrade_ops.ops.append(ProtectOp(each.table_name))
            each.info.clear()
        new = tuple(f"ALTER TABLE {each.table_name} " for each in created)
        checks = (each for each in check_changes(context.connection) if not (new and each.startswith(new)))
        script.upgrade_ops.ops += [ExecuteSQLOp(each) for each in checks]
    scripts[:] = [script for script in scripts if script.upgrade_ops and script.upgrade_ops.ops]


def adapt(operations: Iterable[MigrateOperation]) -> None:
    """Leave out comments of new tables and columns: each `orgdata migrate` sets those of the declarations.

    Foreign keys of earlier tables stay NOT VALID: no owner sees the rows of all organizations.
    """
    for each in operations:
        if isinstance(each, CreateTableOp):
            each.comment = None
            for item in each.columns:
                if isinstance(item, Column):
                    item.comment = None
        elif isinstance(each, ops.AddColumnOp):
            each.column.comment = None
        elif isinstance(each, ops.CreateForeignKeyOp):
            each.kw["postgresql_not_valid"] = True
        elif isinstance(each, ModifyTableOps):
            adapt(each.ops)


if __name__ == "__main__":
    main()
