"""Expression: Python source, from which the compiler makes one function for all objects of a list."""

from collections.abc import Callable
from typing import NamedTuple, NewType

Expression = NewType("Expression", str)
"""Python source of an expression."""


class Access(NamedTuple):
    """How code reads an object: `attribute` makes the code of an attribute from its name.

    `variable` is the object itself; None if it is no object, but in columns of a row. Then `presence` is the code of
    what is null where there is none; None if there always is one.
    """

    attribute: Callable[[str], Expression]
    variable: Expression | None = None
    presence: Expression | None = None
