"""An endpoint: what is published under one path, declared in one place and checked when it is built."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from db.admin.key_format import FAMILIES
from rest_facade.rest.envelopes import Envelope
from rest_facade.rest.parameters import (
    Parameter,
    QueryValues,
    Stage,
    parameters_of,
    refuse_bad_range,
    refuse_missing,
    refuse_repeated,
    refuse_user_with_team,
    uuid,
)
from schema.execution.operation import Operation

PATH = re.compile(r"/v1(/([a-z_]+|\{[a-z_]+\}))+/")


class BrokenEndpoint(ValueError):
    """A declaration that contradicts itself; the text shows it."""


@dataclass(frozen=True)
class Endpoint:
    """One operation of the specification.

    `document`, with the `fragment` that it spreads, is executed as it stands; its variables are the parameters.
    `group` is the
    bucket of the rate limit and `scope` what an MCP key needs; both follow from the path unless they are given.
    """

    operation: str
    path: str
    envelope: Envelope
    document: str = field(repr=False)
    fragment: str = field(default="", repr=False)
    group: str = ""
    scope: str = ""

    def __post_init__(self) -> None:
        if not PATH.fullmatch(self.path):
            raise BrokenEndpoint(f"{self.operation}: {self.path!r} is not a path /v1/.../ with a slash at its end.")
        if not self.group:
            object.__setattr__(self, "group", self.path.split("/")[2])
        if not self.scope:
            object.__setattr__(self, "scope", f"{self.group}:read")
        if len(set(self.ids)) < len(self.ids):
            raise BrokenEndpoint(f"{self.operation}: {self.path!r} names an id twice.")
        if self.scope not in {f"{family}:read" for family in FAMILIES}:
            raise BrokenEndpoint(
                f"{self.operation}: {self.scope!r} is not <family>:read with one of {sorted(FAMILIES)}."
            )
        if self.compiled.name != self.operation:
            raise BrokenEndpoint(f"{self.operation}: its document is called {self.compiled.name!r}.")
        variables = {variable.name for variable in self.compiled.variables}
        missing = {*self.ids, *self.envelope.own} - variables
        if missing:
            raise BrokenEndpoint(f"{self.operation}: its document lacks the variables {sorted(missing)}.")
        # Read now, so that a variable that no query could give fails here and not at the first request.
        self.parameters  # noqa: B018
        if not self.envelope.selects <= set(self.compiled.result_keys):
            raise BrokenEndpoint(f"{self.operation}: its document must select {sorted(self.envelope.selects)}.")

    @cached_property
    def compiled(self) -> Operation:
        """The document, parsed, validated and compiled once."""
        operation = Operation(self.document + self.fragment)
        operation.prepare()
        return operation

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The names of the ids in the path, in order."""
        return tuple(re.findall(r"\{([a-z_]+)\}", self.path))

    @cached_property
    def parameters(self) -> Mapping[Stage, Sequence[Parameter]]:
        """The same by the stage at which each is checked."""
        return {stage: [parameter for parameter in self.query if parameter.stage is stage] for stage in Stage}

    @cached_property
    def query(self) -> Sequence[Parameter]:
        """What may stand in the query besides the envelope's own, as the document declares it."""
        known = {*self.ids, *self.envelope.own}
        return parameters_of([variable for variable in self.compiled.variables if variable.name not in known])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name that means something in the query."""
        return (*self.envelope.own, *(parameter.name for parameter in self.query))

    def variables(self, ids: Mapping[str, str], given: QueryValues) -> dict[str, Any]:
        """The variables of the document for one request. Raises Refused (400) at the first failure."""
        self.envelope.refuse(given)
        refuse_repeated(self.names, given)
        values = {name: uuid(name, text) for name, text in ids.items()}
        for stage in Stage:
            for parameter in self.parameters[stage]:
                values |= parameter.variables(given)
            match stage:
                case Stage.MISSING:
                    refuse_missing(self.query, given)
                case Stage.DATES:
                    refuse_bad_range(values)
                case Stage.PAGING:
                    values |= self.envelope.read(given)
                case Stage.TOGETHER:
                    refuse_user_with_team(values)
        return values
