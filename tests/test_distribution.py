"""What is installed: our distribution alone provides the four packages, and provides nothing else."""

import sys
import tomllib
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

from rest_facade.site.sources import FOLDERS

NAME = "orgdata-service"
PACKAGES = {"db", "resolvers", "rest_facade", "schema"}
ROOT = Path(__file__).parents[1]


def test_our_distribution_alone_provides_the_four_packages() -> None:
    # The working directory and the installed distribution may both be found: the same name twice.
    provided = {package: set(names) for package, names in packages_distributions().items()}
    assert {package: names for package, names in provided.items() if package in PACKAGES or NAME in names} == {
        package: {NAME} for package in PACKAGES
    }
    assert set((distribution(NAME).read_text("top_level.txt") or "").split()) == PACKAGES


def test_the_packages_are_imported_from_this_folder() -> None:
    for package in PACKAGES:
        assert Path(__import__(package).__path__[0]).resolve() == (ROOT / package).resolve()


def test_every_other_file_is_shipped() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    shipped = {
        path
        for package, patterns in settings["package-data"].items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
    }
    files = {path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file()}
    # The schema as text is for readers of the source, the checksums of revisions for the test that freezes them.
    source_only = {path for path in files if path.suffix == ".graphql" or path.name == "SHA256SUMS"}
    assert {path for path in files - shipped - source_only if path.suffix not in (".py", ".pyc")} == set()


def test_pages_are_found_where_pip_puts_them() -> None:
    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["data-files"]
    assert shipped["share/orgdata/docs"] == ["docs/*.md"]
    assert shipped["share/orgdata"] == ["CHANGELOG.md"]
    # pip copies what belongs below sys.prefix into a folder of --target, beside the packages.
    assert FOLDERS[1:] == tuple(each / "share" / "orgdata" / "docs" for each in (ROOT, Path(sys.prefix)))


def test_every_folder_with_modules_is_a_package() -> None:
    # setuptools ships packages only: a folder without __init__.py would be missing where it is installed.
    folders = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []
