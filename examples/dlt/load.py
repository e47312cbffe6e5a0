"""Loads an organization into DuckDB: at first all of it, later what changed. SERVICE_API_KEY has the key."""

import argparse
import json
import logging
import os
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import dlt
import requests
from client import Client
from operations import DEFAULT, OPERATIONS
from orgdata_source import orgdata


def main() -> None:
    """Load, and print the rows by table, the requests by resource group, and the seconds of waiting for the quota."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="address of the service")
    parser.add_argument("--database", type=Path, default=Path("orgdata.duckdb"))
    parser.add_argument("--first-day", type=date.fromisoformat, help="first day of time; default: 90 days ago")
    parser.add_argument("--all", action="store_true", help="also operations that repeat the rows of others")
    parser.add_argument("--only", nargs="+", choices=list(OPERATIONS), metavar="OPERATION", help="these operations")
    options = parser.parse_args()
    key = os.environ.get("SERVICE_API_KEY")
    if key is None:
        sys.exit("Set SERVICE_API_KEY to an API key.")
    # The database and the state of the pipeline hold names, addresses and pay.
    os.umask(0o077)
    dlt.config["runtime.dlthub_telemetry"] = False
    # Otherwise each load stays beside the database: names and pay that were erased since.
    dlt.config["load.delete_completed_jobs"] = True
    # It warns of each column in which every value is null.
    logging.getLogger("dlt").setLevel(logging.ERROR)
    client = Client(options.url, key, requests.Session())
    pipeline = dlt.pipeline(
        # The state of a pipeline belongs to its database.
        pipeline_name=f"orgdata_{options.database.stem}",
        pipelines_dir=str(options.database.resolve().with_suffix(".state")),
        destination=dlt.destinations.duckdb(str(options.database)),
        # DuckDB names the catalog after the file: a schema of the same name would be ambiguous.
        dataset_name="service",
    )
    first_day = options.first_day or datetime.now(UTC).date() - timedelta(days=90)
    names = options.only or (tuple(OPERATIONS) if options.all else DEFAULT)
    pipeline.run(orgdata(client, first_day, operations=names))
    trace = pipeline.last_trace.last_normalize_info
    rows = {} if trace is None else {table: n for table, n in trace.row_counts.items() if not table.startswith("_dlt")}
    report = {"rows": rows, "requests": client.requests, "waited_seconds": round(client.waited)}
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
