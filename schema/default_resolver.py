"""The resolver of fields that have no own one."""

from typing import Any


def value_of(parent: Any, name: str) -> Any:
    """The default resolver: an attribute of a row, or a key of a JSON object."""
    return parent.get(name) if type(parent) is dict else getattr(parent, name)
