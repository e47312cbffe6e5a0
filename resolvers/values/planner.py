"""What leads PostgreSQL's planner, which takes no hints."""

from db.tables.columns import constant

FENCE = constant(0)
"""`.offset(FENCE)` plans a subquery apart from the statement around it.

PostgreSQL merges other subqueries into that statement: it writes a column once for each use, moves conditions inside,
and may read a table of the whole organization for a join in place of the few rows of each row outside. It stands in the
SQL: of a parameter, a plan for all values would expect to skip a tenth of the rows.
"""
