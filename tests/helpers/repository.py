"""The repository: its folder, and its packages."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"

LAYERS = ("db", "resolvers", "schema", "rest_facade")
"""From the bottom up: each imports itself and those before it."""
