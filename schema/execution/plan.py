"""A selection of a compiled document: what is asked of objects of one type, answered for all of them together.

Fields that wait, and lists and objects, are columns of their own; plain values are read by one generated expression.
Only when something is wrong are those columns too, to find out what it is, and where.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from schema.execution.leaf_values import LeafSerializer
from schema.execution.state import FAILED, Column, ExecutionState, Path, PathAt


class FieldSource(Protocol):
    """Where the values of a field come from. `waits` says whether it may have to wait for something."""

    waits: bool
    names: Mapping[str, Any]
    """What stands in `expression`."""

    def expression(self, kind: type) -> str | None:
        """The value of an object `o`, a `dict` or any other `object`, in Python; None where it is no expression."""

    async def column(self, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
        """The value of each object; FAILED for what could not be had."""


class Completion(Protocol):
    """How the values of a field become data. `waits` as above; `selection` is what is asked of objects."""

    waits: bool

    @property
    def selection(self) -> "Selection | None": ...

    async def column(self, values: Column, run: ExecutionState, where: PathAt) -> Column:
        """The data of each value. What could not be had is None where the type allows it, else FAILED."""


@dataclass(frozen=True)
class PlannedField:
    """One key of an object.

    `leaf` is set for scalars and enumerations, `is_required` for what is never null; `reads` are the attributes of the
    object that are read, None if that can't be said.
    """

    key: str
    name: str
    source: FieldSource
    reads: frozenset[str] | None
    completion: Completion
    leaf: LeafSerializer | None
    is_required: bool

    @property
    def waits(self) -> bool:
        return self.source.waits or self.completion.waits

    @property
    def is_plain(self) -> bool:
        """Whether its data can be had by an expression."""
        return self.leaf is not None and self.source.expression(object) is not None

    async def column(self, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
        """The data of this field for each object."""

        def here(at: int) -> Path:
            return [*where(at), self.key]

        return await self.completion.column(await self.source.column(objects, run, here), run, here)


class Selection:
    """The fields that are asked of objects of one type. `waits` and `reads` as above."""

    def __init__(self, fields: Sequence[PlannedField]) -> None:
        self.fields = fields
        self.reads = union(field.reads for field in fields)
        self._plain = [field for field in fields if field.is_plain]
        self._apart = [field for field in fields if not field.is_plain]
        waiting = sum(field.waits for field in fields)
        self.waits, self._side_by_side = waiting > 0, waiting > 1
        self._rows = _builder(fields, object)

    @cached_property
    def _dicts(self) -> Callable[..., Column]:
        """The same for keys of a JSON column, which few selections ever see."""
        return _builder(self.fields, dict)

    async def data(self, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> Column:
        """One dict an object; FAILED for an object that lost a value which it must have."""
        if not objects:
            return []
        columns = await self._columns(objects, run, where)
        if not run.errors:
            build = self._dicts if type(objects[0]) is dict else self._rows
            try:
                return build(objects, *columns.values())
            except Exception:  # noqa: BLE001, S110 - found again below, where it is
                pass
        columns |= {field.key: await field.column(objects, run, where) for field in self._plain}
        return [self._one({field.key: columns[field.key][at] for field in self.fields}) for at in range(len(objects))]

    async def _columns(self, objects: Sequence[Any], run: ExecutionState, where: PathAt) -> dict[str, Column]:
        """The columns of the fields that are no plain ones; those that wait do so side by side."""
        asked = [field.column(objects, run, where) for field in self._apart]
        found = await asyncio.gather(*asked) if self._side_by_side else [await column for column in asked]
        return {field.key: column for field, column in zip(self._apart, found, strict=True)}

    def _one(self, data: dict[str, Any]) -> Any:
        return FAILED if any(value is FAILED for value in data.values()) else data


def union(reads: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    """All attributes that are read; None if that can't be said."""
    found: frozenset[str] = frozenset()
    for some in reads:
        if some is None:
            return None
        found |= some
    return found


def _builder(fields: Sequence[PlannedField], kind: type) -> Callable[..., Column]:
    """What makes the data of objects of one kind, given also the columns of fields that are not plain, in order.

    Raises whatever a value raises that is not as it should be.
    """
    names: dict[str, Any] = {"missing": _missing}
    columns: list[str] = []
    parts: list[str] = []
    for field in fields:
        if not field.is_plain:
            columns.append(f"c{len(columns)}")
            parts.append(f"{field.key!r}: {columns[-1].replace('c', 'v')}")
            continue
        assert field.leaf is not None
        names |= {**field.source.names, **field.leaf.names}
        value, absent = field.source.expression(kind), "missing()" if field.is_required else "None"
        if field.leaf.expression == "v" and not field.is_required:
            parts.append(f"{field.key!r}: {value}")
        else:
            parts.append(f"{field.key!r}: {absent} if (v := {value}) is None else {field.leaf.expression}")
    objects = ", ".join(["objects", *columns])
    each = "for o in objects"
    if columns:
        each = f"for o, {', '.join(column.replace('c', 'v') for column in columns)} in zip({objects})"
    build: Callable[..., Column] = eval(  # noqa: S307 - of nothing but names that a schema and a document allow
        f"lambda {objects}: [{{{', '.join(parts)}}} {each}]", names
    )
    return build


def _missing() -> None:
    raise ValueError("a value that is never null")
