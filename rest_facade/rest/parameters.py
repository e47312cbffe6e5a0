"""Query and path parameters: parsed strictly, checked in the order and refused with the messages of the specification.

No parameter is declared: the variables of an endpoint's document are its parameters, and their GraphQL types say how
each is parsed. `$client_id: UUID` is an id, `$status: [TaskStatus!]` a list of that enumeration: the parameter is
repeated, as generated clients do, or its values are separated by commas, or both. A Boolean variable that switches
optional fields on is a value of a parameter: `$with_line_items: Boolean!` is `include=line_items`,
`$detail_url: Boolean!` is `detail=url`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from resolvers.period import range_error
from resolvers.relations.arguments import MAX_VALUES
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from schema.execution.operation import Variable
from schema.scalars import SCALARS, QueryForm

QueryValues = Mapping[str, Sequence[str]]
"""The query of a request: the values of each name, in the order sent."""

EXPANSIONS = {"with_": "include", "detail_": "detail"}
"""Prefixes of Boolean variables that are values of a parameter, and the name of that parameter."""


class Stage(IntEnum):
    """The stages of checking parameters, in order. The first failure is the response."""

    IDS = 1
    MISSING = 2
    DATES = 3
    ZONE = 4
    PAGING = 5
    TOGETHER = 6
    FILTERS = 7


STAGES: Mapping[str, Stage] = {"UUID": Stage.IDS, "Date": Stage.DATES, "Timezone": Stage.ZONE}
"""The stage of a parameter by its scalar; FILTERS for all others."""


@dataclass(frozen=True)
class Parameter:
    """A query parameter: its name, the stage of its check, and how its text is parsed, which raises Refused (400).

    `is_list`: whether it may be sent more than once. `excludes` is the parameter that may not be sent beside it.
    """

    name: str
    stage: Stage
    parse: Callable[[str], Any]
    is_required: bool = False
    is_list: bool = False
    excludes: str | None = None

    def value(self, query_values: QueryValues) -> Any:
        """The value; None if the parameter was not sent. Raises Refused (400).

        An empty value of a required parameter counts as missing; that of an optional one is parsed like any other text.
        A list that was sent in several parts is one comma list. Equal parts are one.
        """
        if self.is_missing(query_values):
            return None
        return self.parse(",".join(dict.fromkeys(query_values[self.name])))

    def is_missing(self, query_values: QueryValues) -> bool:
        return self.name not in query_values or (self.is_required and not query_values[self.name][0])

    def variables(self, query_values: QueryValues) -> dict[str, Any]:
        """The document's variables for this parameter; empty if it was not sent. Raises Refused (400)."""
        value = self.value(query_values)
        return {} if value is None else {self.name: value}


@dataclass(frozen=True)
class Expansion(Parameter):
    """A parameter whose values name Boolean variables: `prefix` + value. The values sent are true, all others false.

    So there are variables for it even if it was not sent.
    """

    prefix: str = ""
    names: Sequence[str] = ()

    def variables(self, query_values: QueryValues) -> dict[str, Any]:
        values = self.value(query_values) or ()
        return {self.prefix + name: name in values for name in self.names}


def parameters_of(variables: Sequence[Variable]) -> list[Parameter]:
    """The parameters of a document's variables. Raises ValueError for a type that no query can hold."""
    expansions: dict[str, list[str]] = {}
    parameters: list[Parameter] = []
    for variable in variables:
        prefix = next((prefix for prefix in EXPANSIONS if variable.name.startswith(prefix)), None)
        if prefix is not None and variable.type == "Boolean":
            expansions.setdefault(prefix, []).append(variable.name.removeprefix(prefix))
        else:
            parameters.append(parameter_of(variable))
    return parameters + [_expansion(prefix, names) for prefix, names in expansions.items()]


def _expansion(prefix: str, names: Sequence[str]) -> Expansion:
    name = EXPANSIONS[prefix]
    parse = _comma_list(name, _choice(name, names))
    return Expansion(name, Stage.FILTERS, parse, is_list=True, prefix=prefix, names=tuple(names))


def parameter_of(variable: Variable) -> Parameter:
    """The parameter of a variable. Raises ValueError for a type that no query can hold."""
    if variable.choices is not None:
        stage, parse = Stage.FILTERS, _choice(variable.name, variable.choices)
    else:
        query = SCALARS[variable.type].query if variable.type in SCALARS else None
        if query is None:
            raise ValueError(
                f"${variable.name}: no query parameter is of the type {variable.type}. "
                "To allow it, give its entry in schema/scalars.py a `query`."
            )
        stage = STAGES.get(variable.type, Stage.FILTERS)
        parse = _parser(variable.name, query, is_named=stage is not Stage.ZONE)
    return Parameter(
        variable.name,
        stage,
        _comma_list(variable.name, parse) if variable.is_list else parse,
        is_required=variable.is_required,
        is_list=variable.is_list,
        excludes=None if variable.argument is None else variable.argument.excludes,
    )


def refuse_repeated(names: Sequence[str], query_values: QueryValues) -> None:
    """Raise Refused (400) for the first of the parameters `names`, which have one value, that was sent with two.

    Equal values are one: clients add their query to `next` again. An empty one is not a value.
    """
    for name in names:
        values = query_values.get(name, ())
        if len(values) > 1 and (len(set(values)) > 1 or not values[0]):
            raise Refused(invalid(f"{name} must be given once.", name))


def refuse_bad_range(values: Mapping[str, Any]) -> None:
    """Raise Refused (400) for a range of days that ends before it begins, or is too long. Both ends are included."""
    start, end = values.get("start_date"), values.get("end_date")
    if start is not None and end is not None and (error := range_error(start, end)) is not None:
        raise Refused(invalid(error))


def refuse_missing(parameters: Sequence[Parameter], query_values: QueryValues) -> None:
    """Raise Refused (400) for a missing required parameter, or for a range of days with one end only."""
    ends = [parameter for parameter in parameters if parameter.name in ("start_date", "end_date")]
    missing = [parameter.is_missing(query_values) for parameter in ends]
    if any(missing) and (any(parameter.is_required for parameter in ends) or not all(missing)):
        raise Refused(invalid("start_date and end_date are required."))
    for parameter in parameters:
        if parameter.is_required and parameter.is_missing(query_values):
            raise Refused(invalid(f"{parameter.name} is required.", parameter.name))


def refuse_together(parameters: Sequence[Parameter], values: Mapping[str, Any]) -> None:
    """Raise Refused (400) if a parameter is sent with the one that it excludes (spec, Report endpoints)."""
    for parameter in parameters:
        if values.get(parameter.name) is not None and values.get(parameter.excludes or "") is not None:
            raise Refused(invalid(f"Cannot combine {parameter.excludes} and {parameter.name} filters."))


def _parser(name: str, query: QueryForm, *, is_named: bool) -> Callable[[str], Any]:
    """`is_named`: an invalid time zone is refused without `details` (spec, details shape)."""

    def parse(text: str) -> Any:
        try:
            return query.parse(text)
        except ValueError as error:
            raise Refused(invalid(query.message.format(name=name), name if is_named else None)) from error

    return parse


def _choice(name: str, choices: Sequence[str]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise Refused(invalid("Invalid value.", name, f"Allowed values: {', '.join(choices)}."))
        return text

    return parse


def _comma_list(name: str, parse: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    def parse_list(text: str) -> list[Any]:
        texts = text.split(",")
        if len(texts) > MAX_VALUES:
            raise Refused(invalid(f"{name} cannot hold more than {MAX_VALUES} values.", name))
        return [parse(item) for item in texts]

    return parse_list
