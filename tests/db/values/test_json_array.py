"""JSON arrays that the database wrote: copied into a response, read as a list, or counted as text."""

import orjson
import pytest

from db.values.json_array import JsonArray, Keys


def test_text_is_copied_as_it_is() -> None:
    text = '[{"b":1.50,"a":"\\u00e9"}]'
    assert orjson.dumps({"rows": JsonArray(text, ("b", "a")).fragment}) == b'{"rows":%b}' % text.encode()


def test_array_is_read_as_a_list() -> None:
    assert list(JsonArray('[{"a":1},{"a":2}]', ("a",))) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(
    ("keys", "items", "count"),
    [
        (("a",), [], 0),
        (("a",), [{"a": '{"a":'}, {"a": "{"}], 2),
        (("a", ("b", ("c",))), [{"a": "{", "b": [{"c": '[{"c":1}'}, {"c": None}]}, {"a": 1, "b": []}], 4),
        ((("b", ("b",)),), [{"b": [{"b": 1}]}], 2),
    ],
)
def test_objects_are_counted_without_braces_of_strings(keys: Keys, items: list[object], count: int) -> None:
    assert JsonArray(orjson.dumps(items).decode(), keys).object_count == count
