"""Prints the tables of a DuckDB database that dlt filled as JSON, each row with the rows of its nested tables."""

import json
import sys
from collections import defaultdict
from typing import Any

import duckdb

database = duckdb.connect(sys.argv[1], read_only=True)
names = [
    name
    for (name,) in database.execute(
        "SELECT table_name FROM information_schema.tables"
        " WHERE table_schema = 'service' AND table_name NOT LIKE '_dlt%'"
    ).fetchall()
]
nested: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
tables: dict[str, list[Any]] = {}
# The longest names first: rows need those of their nested tables.
for name in sorted(names, key=len, reverse=True):
    result = database.execute(f'SELECT * FROM service."{name}"')
    columns = [column[0] for column in result.description]
    rows = [dict(zip(columns, values, strict=True)) for values in result.fetchall()]
    for row in sorted(rows, key=lambda row: row.get("_dlt_list_idx", 0)):
        shown = {key: str(value) for key, value in row.items() if value is not None and not key.startswith("_dlt")}
        shown.pop("is_gone", None)
        # Empty ones are left out: a load without any makes no table.
        children = {child: nested[child][row["_dlt_id"]] for child in names if child.rpartition("__")[0] == name}
        shown |= {child: of_row for child, of_row in children.items() if of_row}
        if "_dlt_parent_id" in row:
            nested[name][row["_dlt_parent_id"]].append(shown)
        else:
            tables.setdefault(name, []).append(shown)
for rows in tables.values():
    rows.sort(key=lambda row: json.dumps(row, sort_keys=True))
json.dump(tables, sys.stdout, sort_keys=True)
