"""Query and path parameters: read strictly, refused in the words of the specification, in its order.

Parameters are not declared anywhere: the variables of an endpoint's document are its parameters, and their GraphQL
types say how each is read. `$client_id: UUID` is an id, `$status: [TaskStatus!]` a comma list of that enumeration.
Keys that are answered only when asked for hang on Boolean variables, and those are values of a parameter:
`$with_line_items: Boolean!` is `include=line_items`, `$detail_url: Boolean!` is `detail=url`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from resolvers.period import RANGE_REQUIRED, range_error
from rest_facade.rest.errors import Refused, invalid
from schema.execution.operation import Variable
from schema.scalars import SCALARS, QueryForm, scalar_named

QueryValues = Mapping[str, Sequence[str]]
"""The query of a request: the values of each name, in the order in which they were sent."""

MAX_PAGE = 2**31 - 1
MAX_VALUES = 100
MAX_DIGITS = 20

EXPANSIONS = {"with_": "include", "detail_": "detail"}
"""How names of Boolean variables begin that are no parameters themselves, and the parameter that switches them."""

_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)


class Stage(IntEnum):
    """The order in which parameters are checked; the first failure wins."""

    IDS = 1
    MISSING = 2
    DATES = 3
    ZONE = 4
    PAGING = 5
    TOGETHER = 6
    FILTERS = 7


STAGES: Mapping[str, Stage] = {"UUID": Stage.IDS, "Date": Stage.DATES, "Timezone": Stage.ZONE}
"""The stage of a parameter by its scalar; FILTERS for every other one."""


class InvalidValue(Exception):
    """A value that is not of its kind; the text is the message for the client."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name, when it is checked, and how its text becomes a value."""

    name: str
    stage: Stage
    read: Callable[[str], Any]
    is_required: bool = False
    is_named: bool = True

    def value(self, given: QueryValues) -> Any:
        """The value, or None where the parameter was not sent. Raises Refused (400).

        An empty value is a missing one if the parameter is required, and a malformed one if it is not.
        """
        if self.is_missing(given):
            return None
        try:
            return self.read(given[self.name][0])
        except InvalidValue as error:
            raise Refused(invalid(str(error), self.name if self.is_named else None)) from error

    def is_missing(self, given: QueryValues) -> bool:
        return self.name not in given or (self.is_required and not given[self.name][0])

    def variables(self, given: QueryValues) -> dict[str, Any]:
        """What the value means for the document; nothing where the parameter was not sent. Raises Refused (400)."""
        value = self.value(given)
        return {} if value is None else {self.name: value}


@dataclass(frozen=True)
class Expansion(Parameter):
    """A parameter whose values are the ends of variables that start with `prefix`; those it lists are true."""

    prefix: str = ""
    names: Sequence[str] = ()

    def variables(self, given: QueryValues) -> dict[str, Any]:
        chosen = self.value(given) or ()
        return {self.prefix + name: name in chosen for name in self.names}


def parameters_of(variables: Sequence[Variable]) -> list[Parameter]:
    """The parameters that variables of a document stand for. Raises ValueError for a type that has no rule here."""
    switches: dict[str, list[str]] = {}
    parameters: list[Parameter] = []
    for variable in variables:
        prefix = next((prefix for prefix in EXPANSIONS if variable.name.startswith(prefix)), None)
        if prefix is not None and variable.type == "Boolean":
            switches.setdefault(prefix, []).append(variable.name.removeprefix(prefix))
        else:
            parameters.append(parameter_of(variable))
    return parameters + [_expansion(prefix, names) for prefix, names in switches.items()]


def _expansion(prefix: str, names: Sequence[str]) -> Expansion:
    name = EXPANSIONS[prefix]
    return Expansion(name, Stage.FILTERS, _listed(name, _choice(names)), prefix=prefix, names=tuple(names))


def parameter_of(variable: Variable) -> Parameter:
    """How a variable of a document is read from a query. Raises ValueError for a type that has no rule here."""
    if variable.choices is not None:
        stage, read = Stage.FILTERS, _choice(variable.choices)
    else:
        query = SCALARS[variable.type].query if variable.type in SCALARS else None
        if query is None:
            raise ValueError(
                f"${variable.name}: no query parameter is of the type {variable.type}. "
                "To allow it, give its entry in schema/scalars.py a `query`."
            )
        stage, read = STAGES.get(variable.type, Stage.FILTERS), _reader(variable.name, query)
    return Parameter(
        variable.name,
        stage,
        _listed(variable.name, read) if variable.is_list else read,
        # A variable with a default is never missing, whatever its type says.
        is_required=variable.is_required,
        # Spec, details shape: most refusals are read in the message alone, that of a time zone among them.
        is_named=stage is not Stage.ZONE,
    )


def refuse_repeated(names: Sequence[str], given: QueryValues) -> None:
    """Refuse a known parameter that was sent twice. Unknown ones are ignored, however often they come."""
    for name in names:
        if len(given.get(name, ())) > 1:
            raise Refused(invalid(f"{name} must be given once.", name))


def parse_number(name: str, text: str, largest: int) -> int:
    """A whole number from 1 to `largest`, in decimal digits and nothing else. Raises Refused (400)."""
    if not _INTEGER.fullmatch(text):
        raise Refused(invalid(f"{name} must be an integer.", name))
    digits = text.lstrip("-0") or "0"
    # int() refuses what is much longer, and no number of that length is within any limit.
    value = 0 if text[0] == "-" else int(digits) if len(digits) < MAX_DIGITS else largest + 1
    if value < 1:
        raise Refused(invalid(f"{name} must be >= 1.", name))
    if value > largest:
        raise Refused(invalid(f"{name} cannot exceed {largest}.", name))
    return value


def uuid(name: str, text: str) -> Any:
    """An id of a path. Raises Refused (400)."""
    query = scalar_named("UUID").query
    assert query is not None
    return Parameter(name, Stage.IDS, _reader(name, query)).value({name: [text]})


def refuse_bad_range(values: Mapping[str, Any]) -> None:
    """Refuse a range of days that ends before it begins, or is too long. Both ends count, whatever the zone."""
    start, end = values.get("start_date"), values.get("end_date")
    if start is not None and end is not None and (error := range_error(start, end)) is not None:
        raise Refused(invalid(error))


def refuse_missing(parameters: Sequence[Parameter], given: QueryValues) -> None:
    """Refuse what lacks a required parameter. The two ends of a range come together or not at all."""
    ends = [parameter for parameter in parameters if parameter.name in ("start_date", "end_date")]
    missing = [parameter.is_missing(given) for parameter in ends]
    if any(missing) and (any(parameter.is_required for parameter in ends) or not all(missing)):
        raise Refused(invalid(RANGE_REQUIRED))
    for parameter in parameters:
        if parameter.is_required and parameter.is_missing(given):
            raise Refused(invalid(f"{parameter.name} is required.", parameter.name))


def refuse_user_with_team(values: Mapping[str, Any]) -> None:
    """Refuse a person together with a team (spec, Report endpoints)."""
    if values.get("user_id") is not None and values.get("team_id") is not None:
        raise Refused(invalid("Cannot combine user_id and team_id filters."))


def _reader(name: str, query: QueryForm) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return query.parse(text)
        except ValueError as error:
            raise InvalidValue(query.message.format(name=name)) from error

    return read


def _choice(choices: Sequence[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise InvalidValue("Invalid value.")
        return text

    return read


def _listed(name: str, read: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    def read_all(text: str) -> list[Any]:
        texts = text.split(",")
        if len(texts) > MAX_VALUES:
            raise InvalidValue(f"{name} cannot hold more than {MAX_VALUES} values.")
        return [read(item) for item in texts]

    return read_all
