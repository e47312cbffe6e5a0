"""Checks of arguments that a document gives as constants: an error is said once, before anything is read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from resolvers.lists.keyset import check_position
from resolvers.lists.page_arguments import check_page
from resolvers.lists.where import check_where
from resolvers.period import MAX_RANGE_DAYS, check_range
from resolvers.relations.nodes import IDS, check_ids

ArgumentCheck = Callable[[Mapping[str, Any]], None]

ARGUMENT_CHECKS: Sequence[tuple[frozenset[str], ArgumentCheck]] = [
    (frozenset({"page", "limit"}), check_page),
    (frozenset({"after"}), lambda arguments: check_position(arguments["after"])),
    (frozenset({"where"}), lambda arguments: check_where(arguments["where"])),
    (frozenset({IDS}), lambda arguments: check_ids(arguments[IDS])),
]
"""The names of arguments, which mean the same in all fields, and the check of their values."""


def check_constants(arguments: Mapping[str, Any], max_days: int | None) -> None:
    """Raise Refusal for invalid values. An argument without a value and a default is None, a variable is absent.

    `max_days` is the longest range of the field.
    """
    if {"start_date", "end_date"} <= arguments.keys():
        check_range(arguments, max_days or MAX_RANGE_DAYS)
    for names, check in ARGUMENT_CHECKS:
        if names <= arguments.keys():
            check(arguments)
