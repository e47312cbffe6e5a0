"""SQL functions of the database, which policies and triggers call. `orgdata migrate` replaces them each time.

It does so after the migrations: a policy of a new revision needs a function that the revision creates.
"""

from importlib.resources import files

from sqlalchemy import Connection


def ensure_functions(connection: Connection) -> None:
    """Create the functions, or replace them by those of this version."""
    functions = files(__package__).joinpath("functions.sql").read_text()
    # As one message without parameters, in which a percent sign is no placeholder.
    connection.exec_driver_sql(functions, execution_options={"no_parameters": True})
