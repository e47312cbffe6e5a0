"""The described enumerations of the tables and reports, declared as enumerations of the schema."""

from db.tables.areas import AREAS
from db.tables.columns import DescribedEnum
from resolvers.relations.arguments import declare_enum
from resolvers.reports.grouped.variants import TimeGroup, TimeGroupOrder

assert AREAS, "the enumerations of all tables are declared"
assert {TimeGroup, TimeGroupOrder} <= {*DescribedEnum.__subclasses__()}, "those of reports, too"


for each in DescribedEnum.__subclasses__():
    declare_enum(each)
