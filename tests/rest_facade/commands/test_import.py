"""`orgdata import` of files: what it prints, and that nothing is half imported.

Covers `rest_facade/commands/imports/import_rows.py`.
"""

import os
import signal
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from db.sample.embedded.server import Server
from tests.factories.rows import Rows
from tests.helpers.waiting import until
from tests.rest_facade.commands.conftest import CommandResult, OnTerminal, Run, assert_refused


def write(folder: Path, name: str, *lines: str) -> str:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def test_folder_is_imported_and_again_unchanged(run: Run, own: str, folder: Path) -> None:
    write(folder, "teams.csv", "external_id,name", "d,Design", "b,Build")
    write(folder, "clients.ndjson", '{"external_id": "acme", "name": "Acme", "invoice_emails": ["a@acme.example"]}')
    import_ = ("import", "--organization", own, str(folder))
    dry = "This was a dry run: nothing was written."
    new = "teams\t2 new\t0 changed\t0 deleted\t0 unchanged\nclients\t1 new\t0 changed\t0 deleted\t0 unchanged\n"
    same = "teams\t0 new\t0 changed\t0 deleted\t2 unchanged\nclients\t0 new\t0 changed\t0 deleted\t1 unchanged\n"
    results = [run(*import_, "--dry-run"), run(*import_), run(*import_)]
    assert sorted(results[0].out.splitlines()) == sorted([*new.splitlines(), dry])
    assert [sorted(result.out.splitlines()) for result in results[1:]] == [
        sorted(new.splitlines()),
        sorted(same.splitlines()),
    ]
    assert [(result.code, result.err) for result in results] == [(0, "")] * 3
    write(folder, "teams.csv", "external_id,name", "d,Design")
    assert "teams\t0 new\t0 changed\t1 deleted" in run(*import_, "--replace").out


def test_refused_rows_are_reported_by_line(run: Run, own: str, folder: Path) -> None:
    path = write(folder, "teams.csv", "external_id,name,is_active", "d,Design,true", "b,,maybe")
    lines = [f'{path}:3: is_active "maybe" is not true or false', "orgdata: 1 problem; nothing was imported."]
    assert run("import", "--organization", own, path) == CommandResult(1, "", "".join(f"{line}\n" for line in lines))


def test_key_that_is_taken_is_told_without_advice(run: Run, own_url: str, database: Rows, folder: Path) -> None:
    path = write(folder, "teams.csv", "external_id,name", "d,Design")
    taken = "BEGIN RAISE EXCEPTION 'duplicate key' USING ERRCODE = 'unique_violation'; END"
    with psycopg.connect(own_url) as connection:
        connection.execute(f"CREATE FUNCTION taken() RETURNS trigger LANGUAGE plpgsql AS $$ {taken} $$")
        connection.execute("CREATE TRIGGER taken BEFORE INSERT ON teams EXECUTE FUNCTION taken()")
    result = run("import", "--organization", str(database.organization()), path, url=own_url)
    told = "The database ended the import: duplicate key. It is one transaction, written as a whole or not at all."
    assert_refused(result, told)


def test_import_into_read_only_database_says_what_to_do(operate: Run, own: str, owner_url: str, folder: Path) -> None:
    path = write(folder, "teams.csv", "external_id,name", "d,Design")
    url = make_conninfo(owner_url, options="-c default_transaction_read_only=on")
    reason = "The database refused: cannot execute CREATE TABLE AS in a read-only transaction."
    advice = "Use the address of the primary; RESET default_transaction_read_only of the role and the database."
    assert_refused(operate("import", "--organization", own, path, DATABASE_URL=url), f"{reason} {advice}")


class SlowImport(OnTerminal):
    """An import that waits for the end of a pipe that it reads."""

    def __init__(self, url: str, own: str, folder: Path) -> None:
        pipe = folder / "teams.csv"
        os.mkfifo(pipe)
        super().__init__(url, "import", "--organization", own, str(pipe))
        self.input = pipe.open("w")
        # More than the pipe holds, and little enough that the terminal holds what is shown meanwhile.
        self.input.write("external_id,name\n" + "".join(f"e{n},Team {n}\n" for n in range(20_000)))
        self.input.flush()


def count_teams(url: str, own: str) -> int:
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('app.organization_id', %s, true)", [own])
        (count,) = connection.execute("SELECT count(*) FROM teams").fetchone() or (-1,)
        return int(count)


def test_interrupted_import_leaves_nothing_behind(own_url: str, database: Rows, folder: Path) -> None:
    own = str(database.organization())
    import_ = SlowImport(own_url, own, folder)
    import_.process.send_signal(signal.SIGINT)
    code, shown = import_.end()
    import_.input.close()
    assert code == 130, shown
    assert "orgdata: Interrupted. Nothing was imported." in shown
    assert "rows" in shown
    assert count_teams(own_url, own) == 0


def test_lost_connection_is_one_sentence(own_url: str, database: Rows, folder: Path, server: Server) -> None:
    own = str(database.organization())
    database.connection.close()
    import_ = SlowImport(own_url, own, folder)
    name = psycopg.conninfo.conninfo_to_dict(own_url)["dbname"]
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND state <> 'idle'"
    with psycopg.connect(server.url("postgres"), autocommit=True) as superuser:
        until(lambda: superuser.execute(end, [name]).fetchall())
    import_.input.close()
    code, shown = import_.end()
    assert code == 1, shown
    assert "orgdata: The database ended the import: " in shown
    assert "written as a whole or not at all" in shown
    assert "Traceback" not in shown
    assert count_teams(own_url, own) == 0
