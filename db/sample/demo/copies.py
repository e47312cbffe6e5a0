"""Copies of the rows of a sample organization, which make a larger one: ids, names and numbers of their own."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Column, Uuid

from db.sample.demo.data_files import DataFile
from db.tables.activity import apps, domains, screenshots, url_pages
from db.tables.leaves import leave_periods, leave_policies, leave_types
from db.tables.money import invoices
from db.tables.payroll import hourly_payment_logs, one_time_payment_logs
from db.tables.people import members, organizations, teams
from db.tables.work import clients, projects

SHARED_TABLES = (organizations, apps, domains, url_pages, leave_types, leave_policies, leave_periods)
"""Tables whose rows all copies share."""

SEPARATORS = {table.c.name: " " for table in (teams, clients, projects)} | dict.fromkeys(
    (
        *(members.c.employee_number, clients.c.external_id, projects.c.code),
        *(invoices.c.number, invoices.c.public_url),
        *(hourly_payment_logs.c.reference, one_time_payment_logs.c.reference),
    ),
    "-",
)
"""Texts that end in the number of their copy, with what stands before it."""


def copied(column: Column[object], value: str, copy: int) -> str:
    """SQL of a column's value in a copy of the record `r`. Copy 0 is as in the files; other ids end in a number."""
    if not copy:
        return value
    if column in SEPARATORS:
        return f"{value} || '{SEPARATORS[column]}{copy + 1}'"
    if column in (screenshots.c.object_key, screenshots.c.thumbnail_key):
        return f"'{copy + 1}/' || {value}"
    if column is members.c.role:
        return f"CASE {value} WHEN 'owner' THEN 'admin' ELSE {value} END"
    if not isinstance(column.type, Uuid) or any(key.column.table in SHARED_TABLES for key in column.foreign_keys):
        return value
    own_id = f"overlay({value}::text PLACING '{copy:08x}' FROM 29)::uuid"
    if column is members.c.manager_user_id:
        return f"CASE r.role WHEN 'owner' THEN r.user_id ELSE {own_id} END"
    return own_id


def copied_members(file: DataFile, copy: int) -> list[bytes]:
    """The lines of the members: first names as in the file, and the last names of people further down in it."""
    lines = list(file.lines)
    named = [number for number, row in enumerate(file.rows) if row.get("email")]
    for number, other in zip(named, named[copy:] + named[:copy], strict=True):
        for old, new in zip(_last_names(file.rows[number]), _last_names(file.rows[other]), strict=True):
            lines[number] = lines[number].replace(old.encode(), new.encode())
    return lines


def _last_names(row: Mapping[str, Any]) -> tuple[str, str]:
    """The last name of a member, and as the e-mail address has it."""
    return row["last_name"], row["email"].partition(".")[2].partition("@")[0]
