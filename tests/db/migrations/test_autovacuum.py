"""Tables that grow each day are vacuumed and analyzed after a part of them that stays small."""

import psycopg

from db.jobs.doctor.examination import MOMENTS


def test_growing_tables_are_vacuumed_early(own_url: str) -> None:
    with psycopg.connect(own_url) as connection:
        found = connection.execute("SELECT relname, reloptions FROM pg_class WHERE reloptions IS NOT NULL").fetchall()
    expected = [
        "autovacuum_vacuum_scale_factor=0.02",
        "autovacuum_vacuum_insert_scale_factor=0.01",
        "autovacuum_analyze_scale_factor=0.02",
    ]
    options: dict[str, list[str]] = dict(found)
    assert {name: options.get(name) for name in MOMENTS} == dict.fromkeys(MOMENTS, expected)
