"""Errors whose text is a sentence for the operator.

The command catches their base class, so it knows them without loading the code that raises them.
"""


class OperatorError(Exception):
    """An expected error of a command: it ends with this sentence instead of a traceback."""


class MigrationError(OperatorError):
    """A database cannot be migrated as it is; the message says what to correct."""


class RoleError(OperatorError):
    """A role cannot be created or used; the message says what an administrator must run."""
