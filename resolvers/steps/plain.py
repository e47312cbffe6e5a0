"""Plain steps, which read nothing: values of an object alone, or of rows that a statement joined to its row."""

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Any

from resolvers.selected import Join
from resolvers.steps.step import Access, Expression, FieldStep


@dataclass(frozen=True, eq=False)
class Constant(FieldStep):
    """The same value for each object, such as `__typename`."""

    value: str
    needs = frozenset()

    def expression(self, access: Access) -> Expression:
        return Expression(repr(self.value))

    def values(self, objects: Sequence[Any]) -> list[Any]:
        return [self.value] * len(objects)


@dataclass(frozen=True, eq=False)
class Attribute(FieldStep):
    """A column of a row, or a key of a JSON object: the attribute `name`. `default` takes the place of null."""

    name: str
    default: Any = field(default=None, kw_only=True)
    _get: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "needs", frozenset([self.name]))
        object.__setattr__(self, "_get", attrgetter(self.name))

    def expression(self, access: Access) -> Expression:
        value = access.attribute(self.name)
        return value if self.default is None else Expression(f"({self.default!r} if (v := {value}) is None else v)")

    def values(self, objects: Sequence[Any]) -> list[Any]:
        if dict in {*map(type, objects)}:
            found = [value_of(each, self.name) for each in objects]
        else:
            found = [*map(self._get, objects)]
        return found if self.default is None else [self.default if value is None else value for value in found]


def value_of(parent: Any, name: str) -> Any:
    """The resolver of fields that have no own one: an attribute of a row, or a key of a JSON object."""
    return parent.get(name) if type(parent) is dict else getattr(parent, name)


class Composed(FieldStep):
    """An object that is made of columns of the object around it, such as a budget: `members` are its attributes."""

    def __init__(self, **members: str) -> None:
        self.needs = frozenset(members.values())
        self._members = members
        self._make: Any = namedtuple("Object", [*members])  # type: ignore[misc]  # noqa: PYI024 - data
        self._columns = attrgetter(*members.values())

    def inside(self, access: Access) -> Access:
        return Access(lambda name: access.attribute(self._members[name]))

    def values(self, objects: Sequence[Any]) -> list[Any]:
        return [self._make(*self._columns(each)) for each in objects]


@dataclass(frozen=True, eq=False)
class Computed(FieldStep):
    """What `function` returns for an object, which is called for each.

    `parent` is its parameter for the object, if it has one; `name` that of the function in code, empty with arguments.
    """

    function: Callable[..., Any]
    needs: frozenset[str] | None = None
    parent: str | None = "root"
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", {self.name: self.function} if self.name else {})

    def expression(self, access: Access) -> Expression | None:
        return Expression(f"{self.name}({access.variable})") if self.name and access.variable else None

    def for_one(self) -> Callable[..., Any]:
        return lambda root, **_: self.function(root)


def computed(*needs: str) -> Callable[[Callable[[Any], Any]], Computed]:
    """A decorator: the step of a function that reads only these attributes of its object."""
    return lambda function: Computed(function, frozenset(needs))


@dataclass(frozen=True, eq=False)
class JoinedRow(FieldStep):
    """A row of a relation, in columns of the object (`Selected.join`). Its column `key` is null where there is none."""

    join: Join
    needs = frozenset()

    def inside(self, access: Access) -> Access:
        prefix = self.join.prefix
        return Access(lambda name: access.attribute(prefix + name), presence=access.attribute(f"{prefix}key"))

    def values(self, objects: Sequence[Any]) -> list[Any]:
        rows = split_off(objects[0]._fields, self.join.prefix)
        return [row if (row := rows(each)).key is not None else None for each in objects]


@dataclass(frozen=True, eq=False)
class JoinedAttribute(Attribute):
    """The value of one `column` of such a row."""

    join: Join
    column: str

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "needs", frozenset())


@lru_cache(4096)
def split_off(fields: Sequence[str], prefix: str) -> Callable[[Any], Any]:
    """A function of a row with these fields that returns the row that is joined to it with this prefix."""
    places = [place for place, name in enumerate(fields) if name.startswith(prefix)]
    names = [fields[place].removeprefix(prefix) for place in places]
    make: Any = namedtuple("Row", names)  # type: ignore[misc]  # noqa: PYI024 - its columns are data
    return lambda row: make._make([row[place] for place in places])
