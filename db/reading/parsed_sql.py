"""Parsed SQL: the text that the server gets, parameters in the text format, and rows, decoded in time slices."""

import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import lru_cache, partial
from typing import Any, ClassVar
from uuid import UUID

from psycopg import ProgrammingError
from psycopg.abc import Buffer
from psycopg.adapt import PyFormat
from psycopg.pq.abc import PGresult

from db.values.time_slices import in_time_slices

EncodedParameters = tuple[Sequence[Buffer | None], Sequence[int]]
"""Parameters in text format, and their type OIDs; 0 lets the server infer the type."""

MAX_KNOWN = 512
"""Statements whose SQL the process keeps parsed; the least recently used goes."""

VALUES_PER_SLICE = 4_000
"""Values that are decoded in one go: about a millisecond. A page of a list has fewer."""

_PLACEHOLDER = re.compile(r"%%|%\((\w+)\)s")


class ParsedSql:
    """SQL with `$1` in place of the first name and so on, and the class of its rows once a result was seen."""

    def __init__(self, sql: str) -> None:
        self.numbers: dict[str, int] = {}
        """The number of each parameter by name, in order."""
        self.sql = _PLACEHOLDER.sub(self._number, sql).encode()
        self._make_row: Callable[[Sequence[Any]], Any] | None = None

    def _number(self, match: re.Match[str]) -> str:
        name = match[1]
        return "%" if name is None else f"${self.numbers.setdefault(name, len(self.numbers) + 1)}"

    def encode(self, parameters: Mapping[str, Any], transformer: Any) -> EncodedParameters:
        """The parameters in the order of their numbers. Raises psycopg.ProgrammingError if one is missing."""
        try:
            values: list[Any] = []
            inferred: list[int] = []
            for index, name in enumerate(self.numbers):
                value = parameters[name]
                # psycopg chooses the type of an integer by its size; a prepared statement needs the same type each
                # time. The SQL casts integers, so the server can infer their type.
                if type(value) is int:
                    inferred.append(index)
                elif type(value) is list:
                    value = _array(value)
                    inferred.append(index)
                values.append(value)
        except KeyError as error:
            raise ProgrammingError(f"No value for {error} in {self.sql!r}") from None
        data = transformer.dump_sequence(values, [PyFormat.TEXT] * len(values))
        types = list(transformer.types)
        for index in inferred:
            types[index] = 0
        return data, types

    async def decode(self, result: PGresult, transformer: Any) -> list[Any]:
        """The rows of a result, decoded in time slices."""
        if self._make_row is None:
            self._make_row = _row_maker(*map(result.fname, range(result.nfields)))
        transformer.set_pgresult(result)
        make_row, count = self._make_row, result.ntuples
        rows_per_slice = max(1, VALUES_PER_SLICE // max(1, result.nfields))
        rows: list[Any]
        if count <= rows_per_slice:
            rows = transformer.load_rows(0, count, make_row)
            return rows

        def load(part: Any) -> list[Any]:
            rows: list[Any] = transformer.load_rows(part.start, part.stop, make_row)
            return rows

        return await in_time_slices(load, range(count), rows_per_slice)


class _Row(tuple[Any, ...]):
    """A row: the values of the columns in their order, each also an attribute, with methods of a named tuple.

    A class of `namedtuple` has 7 KB and takes 160 us to make, one of these 2 KB and 20 us: each new selection has one.
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]]

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, **values: Any) -> "_Row":
        return tuple.__new__(type(self), (self._asdict() | values).values())


_ColumnGetter: Any = type(vars(namedtuple("_Getter", "value"))["value"])  # noqa: PYI024 - a property written in C


@lru_cache(MAX_KNOWN)
def _row_maker(*columns: bytes | None) -> Callable[[Sequence[Any]], Any]:
    """What makes rows with these columns. Statements with the same columns share a class."""
    names = tuple((column or b"").decode() for column in columns)
    getters = {name: _ColumnGetter(index, None) for index, name in enumerate(names)}
    # Without a Python frame per row.
    return partial(tuple.__new__, type("Row", (_Row,), {"__slots__": (), "_fields": names, **getters}))


def _array(values: list[Any]) -> Any:
    """A list of UUIDs, days or instants as the text of an array: psycopg would check each for characters to quote."""
    first = values[0] if values else None
    if type(first) is UUID:
        return "{" + ",".join([each.hex for each in values]) + "}"
    if isinstance(first, date):
        return "{" + ",".join([each.isoformat() for each in values]) + "}"
    return values


parse_sql = lru_cache(MAX_KNOWN)(ParsedSql)
