"""A leaf of a compiled document: a scalar or a member of an enumeration, and how it is written."""

from collections.abc import Callable, Mapping
from typing import Any

from graphql import GraphQLEnumType, GraphQLLeafType
from strawberry.types.scalar import ScalarDefinition

from schema.execution.state import FAILED, Column, ExecutionState, PathAt
from schema.scalars import unchanged

CHECKED = {
    "String": "v if type(v) is str else {write}(v)",
    "Boolean": "v if v is True or v is False else {write}(v)",
    "Int": "v if type(v) is int and -0x80000000 <= v < 0x80000000 else {write}(v)",
}
"""Where a value is written as it is if it is what nearly all of them are."""


class LeafSerializer:
    """`expression` is, in Python, the data of a value `v` that is not null; `names` is what stands in it."""

    waits = False
    selection = None

    def __init__(self, type_: GraphQLLeafType) -> None:
        self._type = type_
        write, table = f"write_{type_.name}", f"names_{type_.name}"
        self.names: Mapping[str, Any] = {write: self.written}
        self.expression = CHECKED.get(type_.name, "{write}(v)").format(write=write)
        definition = (type_.extensions or {}).get("strawberry-definition")
        if isinstance(definition, ScalarDefinition) and definition.serialize is unchanged:
            self.expression = "v"
        elif isinstance(type_, GraphQLEnumType):
            self.names = {write: self.written, table: {item.value: name for name, item in type_.values.items()}}
            self.expression = f"{table}.get(v) or {write}(v)"
        self._all = self._compiled()

    def written(self, value: Any) -> Any:
        """The data of one value that is not null. Raises what the type raises."""
        data = self._type.coerce_output_value(value)
        if data is None:
            raise TypeError(f"{self._type} has no data for {value!r}.")
        return data

    async def column(self, values: Column, run: ExecutionState, where: PathAt) -> Column:
        """The data of each value; None where it is null, or could not be had."""
        try:
            return self._all(values)
        except Exception:  # noqa: BLE001 - found again value by value, where it is
            return [self._one(value, run, where, at) for at, value in enumerate(values)]

    def _one(self, value: Any, run: ExecutionState, where: PathAt, at: int) -> Any:
        if value is None or value is FAILED:
            return None
        try:
            return self.written(value)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is an error of this field
            run.fail(error, where(at))
            return None

    def _compiled(self) -> Callable[[Column], Column]:
        absent = "None if v is None or v is failed else"
        names = {**self.names, "failed": FAILED}
        made: Callable[[Column], Column] = eval(  # noqa: S307 - of nothing but names of the schema
            f"lambda values: [{absent} ({self.expression}) for v in values]", names
        )
        return made
