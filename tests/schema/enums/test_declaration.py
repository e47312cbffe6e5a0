"""`enumeration`: each value has its description, and exactly the values are described."""

from enum import StrEnum

import pytest
import strawberry

from schema.enums.declaration import enumeration


class Size(StrEnum):
    small = "small"
    large = "large"


def test_values_have_their_descriptions() -> None:
    enumeration(Size, "A size.", small="Less than ten.", large="Ten and more.")

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


@pytest.mark.parametrize("values", [{"small": "Less than ten."}, {"small": "A.", "large": "B.", "huge": "C."}])
def test_values_without_or_besides_description_are_refused(values: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"Size: describe each value, and no others\. Check (large|huge)\."):
        enumeration(Size, "A size.", **values)
