"""Checks of arguments that a document gives as constants: an error is said once, before anything is read."""

from collections.abc import Mapping
from typing import Any

from resolvers.lists.keyset import check_position
from resolvers.lists.list_pages import check_page
from resolvers.lists.where import parsed
from resolvers.period import MAX_RANGE_DAYS, check_range
from resolvers.relations.nodes import IDS, check_ids


def check_constants(arguments: Mapping[str, Any], max_days: int | None) -> None:
    """Raise Refusal for invalid values. An argument without a value and a default is None, a variable is absent.

    A name means the same in all fields. `max_days` is the longest range of the field.
    """
    if {"start_date", "end_date"} <= arguments.keys():
        check_range(arguments, max_days or MAX_RANGE_DAYS)
    if {"page", "limit"} <= arguments.keys():
        check_page(arguments)
    if "after" in arguments:
        check_position(arguments["after"])
    if "where" in arguments:
        parsed(arguments["where"])
    if IDS in arguments:
        check_ids(arguments[IDS])
