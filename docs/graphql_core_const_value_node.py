"""graphql-core: `is_const_value_node` calls a list or an object constant if any of its items is.

Expected: a list or an object is a constant value only if each of its items is one, also if it has none.
Actual: `[1, $x]` and `{a: 1, b: $x}` are called constant, and `[]` and `{}` are not.

Effect: a program that coerces constant arguments once, without variables, fails for such a list with
"Argument 'ids' has invalid value at [1]".

Cause: `any(...)` in `graphql/language/predicates.py`, where graphql-js has `every`:

    any(is_const_value_node(value) for value in node.values)
    any(is_const_value_node(field.value) for field in node.fields)

Seen with graphql-core 3.3.2, Python 3.11. Usage: graphql_core_const_value_node.py
"""

from graphql import parse_value
from graphql.language import is_const_value_node

for text, expected in {
    "[1, $x]": False,
    "[$x, 1]": False,
    "{a: 1, b: $x}": False,
    "[[1, $x], 1]": False,
    "[]": True,
    "{}": True,
    "[1, 2]": True,
    "$x": False,
}.items():
    found = is_const_value_node(parse_value(text))
    print(f"{text:16} expected {expected!s:5} found {found!s:5} {'' if found is expected else '  <- wrong'}")
