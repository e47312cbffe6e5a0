"""The formats of exported files."""

from enum import StrEnum


class ExportFormat(StrEnum):
    ndjson = "ndjson"
    csv = "csv"
    parquet = "parquet"
