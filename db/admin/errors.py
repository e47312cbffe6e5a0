"""Errors of the owner's work, whose text is a sentence for the operator.

They are apart from the code that raises them: the command knows them without loading the tables.
"""


class MigrationError(Exception):
    """A database cannot be migrated as it is; the message says what to correct."""


class RoleError(Exception):
    """A role cannot be created or used; the message says what an administrator must run."""
