"""`declare_enum`: an enumeration of the schema has the descriptions of the declared one."""

import strawberry

from db.tables.columns import DescribedEnum
from resolvers.relations.arguments import declare_enum


class Size(DescribedEnum):
    """A size."""

    small = "small", "Less than ten."
    large = "large", "Ten and more."


def test_enumeration_and_values_have_their_descriptions() -> None:
    declare_enum(Size)

    @strawberry.type
    class Query:
        size: Size

    assert (
        strawberry.Schema(Query)
        .as_str()
        .startswith(
            'type Query {\n  size: Size!\n}\n\n"""A size."""\nenum Size {\n'
            '  """Less than ten."""\n  small\n\n  """Ten and more."""\n  large\n}'
        )
    )
