"""The described enumerations of the tables and reports, declared as enumerations of the schema."""

from typing import Any

import strawberry

from db.tables.areas import AREAS
from db.tables.columns import DescribedEnum
from resolvers.reports.grouped.variants import TimeGroup, TimeGroupOrder

assert AREAS, "the enumerations of all tables are declared"
assert {TimeGroup, TimeGroupOrder} <= {*DescribedEnum.__subclasses__()}, "those of reports, too"


def declare_enum(enumeration: type[DescribedEnum]) -> None:
    """Declare an enumeration, with its description and those of its values."""
    declared: Any = strawberry.enum(enumeration, description=enumeration.__doc__)
    for value in declared.__strawberry_definition__.values:
        value.description = enumeration[value.name].description


for each in DescribedEnum.__subclasses__():
    declare_enum(each)
