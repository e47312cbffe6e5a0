"""Comments of tables and columns in the database: those of the declarations. `orgdata migrate` sets them each time."""

from sqlalchemy import Connection, inspect
from sqlalchemy.schema import SetColumnComment, SetTableComment

from db.tables.areas import metadata


def ensure_comments(connection: Connection) -> None:
    """Give tables and columns the declared comments. A table whose comments are right is not locked.

    What is declared and not migrated yet is left out, so that `make migration` can write it.
    """
    inspector = inspect(connection)
    stored: dict[tuple[str, str | None], str | None] = {}
    for (_, name), comment in inspector.get_multi_table_comment().items():
        stored[name, None] = comment["text"]
    for (_, name), columns in inspector.get_multi_columns().items():
        stored |= {(name, column["name"]): column["comment"] for column in columns}
    for table in metadata.sorted_tables:
        commands = {None: SetTableComment(table)} | {each.name: SetColumnComment(each) for each in table.columns}
        for column, command in commands.items():
            place = table.name, column
            if place in stored and stored[place] != command.element.comment:
                connection.execute(command)
