"""JSON arrays that the database wrote: copied into a response, or read as a list."""

import orjson

from db.reading.json_array import JsonArray


def test_text_is_copied_as_it_is() -> None:
    text = '[{"b":1.50,"a":"\\u00e9"}]'
    assert orjson.dumps({"rows": JsonArray(text, ("b", "a")).fragment}) == b'{"rows":%b}' % text.encode()


def test_array_is_read_as_a_list() -> None:
    array = JsonArray('[{"a":1},{"a":2}]', ("a",))
    assert len(array) == 2
    assert list(array) == [{"a": 1}, {"a": 2}]
    assert array[0] == {"a": 1}
    assert array[1:] == [{"a": 2}]
