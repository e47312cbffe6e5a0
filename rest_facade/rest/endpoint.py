"""An endpoint: a path, a GraphQL field and an envelope, declared together and checked when it is built.

`Router` finds the endpoint of a path. Paths are compared byte by byte as sent, without decoding or adding
a slash.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from rest_facade.access.scope_families import FAMILIES
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.rest.envelopes import Cursor, Envelope
from rest_facade.rest.parameters import (
    Expansion,
    Parameter,
    QueryValues,
    Stage,
    parameter_of,
    parameters_of,
    refuse_bad_range,
    refuse_missing,
    refuse_repeated,
    refuse_together,
)
from schema.documents.endpoint_document import LEAF_FIELDS, endpoint_document
from schema.execution.operation import Operation

PATH = re.compile(r"/v1(/([a-z_]+|\{[a-z_]+\}))+/")
BRACKETS = re.compile(r"\[[0-9]*\]$", re.ASCII)


VERSION = b"/v1/"


@dataclass(frozen=True)
class Endpoint:
    """One operation of the specification.

    `fields` is the GraphQL field of the data, with those around it; `selection` has its keys, or those of a row: by
    default all leaf fields of its type (`full_selection`). The document is made from them (see `endpoint_document`).
    Its variables are the parameters: all arguments of the field but `without`. `group` is the resource group of the
    rate limit, `scope` what an MCP key needs; both are derived from the path by default. `parameter_scopes` are the
    scopes that it needs, too, for parameters that reveal something of other resources.
    """

    operation: str
    path: str
    envelope: Envelope
    fields: str
    selection: str = field(default=LEAF_FIELDS, repr=False)
    without: Collection[str] = ()
    group: str = ""
    scope: str = ""
    parameter_scopes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not PATH.fullmatch(self.path):
            raise ValueError(f"{self.operation}: {self.path!r} is not a path /v1/.../ with a slash at its end.")
        if not self.group:
            object.__setattr__(self, "group", self.path.split("/")[2])
        if not self.scope:
            object.__setattr__(self, "scope", f"{self.group}:read")
        if len(set(self.ids)) < len(self.ids):
            raise ValueError(f"{self.operation}: {self.path!r} names an id twice.")
        for scope in (self.scope, *self.parameter_scopes.values()):
            if scope not in {f"{family}:read" for family in FAMILIES}:
                raise ValueError(
                    f"{self.operation}: {scope!r} is not <family>:read with one of {sorted(FAMILIES)}, "
                    "which are FAMILIES_OF_AREAS of rest_facade/access/scope_families.py."
                )
        variables = {variable.name for variable in self.compiled.variables}
        missing = {*self.ids, *self.envelope.paging_parameters, *self.parameter_scopes} - variables
        if missing:
            raise ValueError(f"{self.operation}: its document lacks the variables {sorted(missing)}.")
        # Computed now: a variable that no query can hold fails here, not at the first request.
        self._stages  # noqa: B018

    @cached_property
    def document(self) -> str:
        """The text of the GraphQL document."""
        selection, paging = self.envelope.selection(self.selection), self.envelope.paging_parameters
        try:
            return endpoint_document(self.operation, self.fields, selection, without=self.without, paging=paging)
        except ValueError as error:
            raise ValueError(f"{self.operation}: {error}") from error

    @cached_property
    def compiled(self) -> Operation:
        """The document, parsed, validated and compiled once."""
        operation = Operation(self.document)
        operation.compile_all()
        return operation

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The names of the path parameters, all of them ids, in order."""
        return tuple(re.findall(r"\{([a-z_]+)\}", self.path))

    @cached_property
    def query_parameters(self) -> Sequence[Parameter]:
        """The query parameters that the document declares, without those of paging."""
        others = {*self.ids, *self.envelope.paging_parameters}
        return parameters_of([variable for variable in self.compiled.variables if variable.name not in others])

    @cached_property
    def _path_parameters(self) -> Mapping[str, Parameter]:
        """The path parameters by name."""
        return {each.name: parameter_of(each) for each in self.compiled.variables if each.name in self.ids}

    @cached_property
    def _stages(self) -> Sequence[tuple[Stage, Sequence[Parameter]]]:
        """The stages in which this endpoint has anything to check, in order, with their parameters."""
        names = {parameter.name for parameter in self.query_parameters}
        has_range = not names.isdisjoint({"start_date", "end_date"})
        checks = {
            Stage.MISSING: has_range or any(parameter.is_required for parameter in self.query_parameters),
            Stage.DATES: has_range,
            Stage.PAGING: bool(self.envelope.paging_parameters),
            Stage.TOGETHER: any(parameter.excludes in names for parameter in self.query_parameters),
        }
        by_stage = {stage: [each for each in self.query_parameters if each.stage is stage] for stage in Stage}
        return [(stage, parameters) for stage, parameters in by_stage.items() if parameters or checks.get(stage)]

    @cached_property
    def query_names(self) -> tuple[str, ...]:
        """The names of all query parameters, those of paging first."""
        return (*self.envelope.paging_parameters, *(parameter.name for parameter in self.query_parameters))

    @cached_property
    def known_names(self) -> frozenset[str]:
        """The same, for look-ups."""
        return frozenset(self.query_names)

    @cached_property
    def _lists(self) -> frozenset[str]:
        return frozenset(parameter.name for parameter in self.query_parameters if parameter.is_list)

    def without_brackets(self, query_values: QueryValues) -> QueryValues:
        """The same, with `status[]` and `status[0]` as `status`: so libraries of HTTP write the values of a list."""
        values: dict[str, list[str]] = {}
        for name, texts in query_values.items():
            list_name = BRACKETS.sub("", name)
            values.setdefault(list_name if list_name in self._lists else name, []).extend(texts)
        return values

    def scopes(self, query_values: QueryValues) -> Iterator[str]:
        """The scopes that a request needs."""
        yield self.scope
        for name, scope in self.parameter_scopes.items():
            if name in query_values:
                yield scope

    def variables(self, ids: Mapping[str, str], query_values: QueryValues) -> dict[str, Any]:
        """The document's variables for one request. Raises Refused (400) at the first failure."""
        if "page" in query_values and isinstance(self.envelope, Cursor):
            # Before any other check (spec, Cursor list).
            raise Refused(invalid("page is not supported on this endpoint; use cursor.", "page"))
        if max(map(len, query_values.values()), default=0) > 1:
            refuse_repeated([name for name in self.query_names if name not in self._lists], query_values)
        variables: dict[str, Any] = {}
        for name, text in ids.items():
            # Some clients encode the hyphens, which changes nothing (RFC 3986, 6.2.2.2).
            variables[name] = self._path_parameters[name].parse(unquote(text))
        for stage, parameters in self._stages:
            for parameter in parameters:
                if parameter.name in query_values or isinstance(parameter, Expansion):
                    variables |= parameter.variables(query_values)
            match stage:
                case Stage.MISSING:
                    refuse_missing(self.query_parameters, query_values)
                case Stage.DATES:
                    refuse_bad_range(variables)
                case Stage.PAGING:
                    variables |= self.envelope.paging_variables(query_values)
                case Stage.TOGETHER:
                    refuse_together(self.query_parameters, variables)
        return variables


class Router:
    """Finds the endpoint of a path with a few dictionary lookups, however many endpoints there are."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self._endpoints: dict[tuple[str | None, ...], Endpoint] = {}
        """By the segments of the path; None stands for an id."""
        self._id_positions: dict[int, list[tuple[int, ...]]] = {}
        """The positions of ids in the patterns, by the number of segments: a few each, however many endpoints."""
        for endpoint in endpoints:
            pattern = tuple(None if part[:1] == "{" else part for part in endpoint.path.split("/"))
            if pattern in self._endpoints:
                other = self._endpoints[pattern]
                raise ValueError(f"{endpoint.operation} and {other.operation} share {endpoint.path}.")
            self._endpoints[pattern] = endpoint
            positions = tuple(i for i, part in enumerate(pattern) if part is None)
            of_length = self._id_positions.setdefault(len(pattern), [])
            if positions not in of_length:
                of_length.append(positions)

    def find(self, raw_path: bytes) -> tuple[Endpoint, Mapping[str, str]] | None:
        """The endpoint of a path, and the ids in the path as sent. None if there is no such endpoint."""
        parts = raw_path.decode("latin-1").split("/")
        for positions in self._id_positions.get(len(parts), ()):
            pattern: list[str | None] = [*parts]
            for position in positions:
                # An id is not empty: the pattern keeps an empty segment, which no endpoint has there.
                pattern[position] = None if parts[position] else ""
            endpoint = self._endpoints.get(tuple(pattern))
            if endpoint is not None:
                return endpoint, dict(zip(endpoint.ids, map(parts.__getitem__, positions), strict=True))
        return None
