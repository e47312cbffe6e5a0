"""Where `examples/dlt` is, the Python that it is installed in, and the program that prints the tables it loaded."""

from tests.helpers.repository import ROOT

EXAMPLE = ROOT / "examples" / "dlt"
PYTHON = ROOT / ".venv" / "dlt" / "bin" / "python"
TABLES = ROOT / "tests" / "clients" / "dlt_tables.py"
