"""Bounded dicts."""

from db.values.bounded_dict import BoundedDict


def test_entry_set_longest_ago_makes_room() -> None:
    found: BoundedDict[str, int] = BoundedDict(2)
    for key, value in [("a", 1), ("b", 2), ("a", 3), ("c", 4)]:
        found[key] = value
    assert [*found.items()] == [("a", 3), ("c", 4)]


def test_look_up_keeps_no_entry() -> None:
    found: BoundedDict[str, int] = BoundedDict(2)
    found["a"], found["b"] = 1, 2
    assert found.get("a") == 1
    found["c"] = 3
    assert "a" not in found
