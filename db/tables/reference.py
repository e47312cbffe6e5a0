"""Reference tables: the time zones, currencies and countries that rows may name, the same for all organizations.

They are filled from pinned lists: the tzdata package (zones, and its copy of ISO 3166-1) and ISO 4217 below.
`orgdata migrate` adds what a newer list has, and removes nothing, because rows may name it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from sqlalchemy import Case, Column, ColumnElement, ForeignKey, Table, Text, case, cast, literal_column
from sqlalchemy.dialects.postgresql import ARRAY, dialect
from sqlalchemy.sql import any_

from db.tables.columns import constant, metadata

MINOR_UNIT_DIGITS = {
    **dict.fromkeys("BIF BYR CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(), 0),
    **dict.fromkeys("BHD IQD JOD KWD LYD OMR TND".split(), 3),
    **dict.fromkeys("CLF UYW".split(), 4),
}
"""ISO 4217: the digits of currencies whose minor unit is not 1/100."""

CURRENT_CURRENCIES = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF
CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF
IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT
MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD
SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS
VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG
""".split()
"""The codes of ISO 4217 in 2026."""

WITHDRAWN_CURRENCIES = "ANG BGN BYR CUC EEK HRK LTL LVL MRO SLL STD VEF ZMK ZWL".split()
"""Codes that ISO 4217 withdrew since 2011: older invoices and payments have them."""


@cache
def zone_names() -> frozenset[str]:
    """The names of the time zones: those of the tzdata package, links included."""
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="ascii").split())


def currency_codes() -> frozenset[str]:
    """The codes of the currencies, withdrawn ones included."""
    return frozenset(CURRENT_CURRENCIES + WITHDRAWN_CURRENCIES)


def country_codes() -> frozenset[str]:
    """The codes of the countries: ISO 3166-1 alpha-2, from the tzdata package."""
    lines = files("tzdata").joinpath("zoneinfo", "iso3166.tab").read_text(encoding="utf-8").splitlines()
    return frozenset(line.split("\t")[0] for line in lines if not line.startswith("#"))


def _reference_table(name: str, what: str, key: str, key_comment: str) -> Table:
    comment = f"{what} that rows may name. Filled by `orgdata migrate`, the same for all organizations."
    return Table(name, metadata, Column(key, Text, primary_key=True, comment=key_comment), comment=comment)


time_zones = _reference_table("time_zones", "Time zones", "name", "IANA name, such as Europe/Berlin.")
currencies = _reference_table("currencies", "Currencies", "code", "ISO 4217, three upper-case letters.")
countries = _reference_table("countries", "Countries", "code", "ISO 3166-1 alpha-2.")

PINNED_LISTS: Mapping[Table, Callable[[], frozenset[str]]] = {
    time_zones: zone_names,
    currencies: currency_codes,
    countries: country_codes,
}
"""What each reference table holds at least."""


def minor_unit_digits(currency: ColumnElement[Any]) -> Case[Any]:
    """The decimals of a currency, two if it is unknown. The lists stand in the SQL as arrays."""
    currencies: dict[int, list[str]] = {}
    for name, digits in MINOR_UNIT_DIGITS.items():
        currencies.setdefault(digits, []).append(name)
    arrays = {digits: cast(constant(f"{{{','.join(names)}}}"), ARRAY(Text())) for digits, names in currencies.items()}
    return case(*((currency == any_(array), constant(digits)) for digits, array in arrays.items()), else_=constant(2))


@cache
def digits_sql(currency: str) -> str:
    """The same as SQL text, for statements of jobs. `currency` is the SQL of a column."""
    digits = minor_unit_digits(literal_column(currency))
    return str(digits.compile(dialect=dialect(), compile_kwargs={"literal_binds": True}))  # type: ignore[no-untyped-call]


def timezone_column(comment: str, *, nullable: bool = False) -> Column[str]:
    """The IANA name of a time zone."""
    return Column("timezone", Text, ForeignKey(time_zones.c.name), nullable=nullable, comment=comment)


def currency_column(comment: str = "Currency, ISO 4217 code.", *, nullable: bool = False) -> Column[str]:
    """The ISO 4217 code of the currency of a row's amounts."""
    return Column("currency", Text, ForeignKey(currencies.c.code), nullable=nullable, comment=comment)


def country_column() -> Column[str]:
    """The ISO 3166-1 alpha-2 code of a country; may be null."""
    return Column("country", Text, ForeignKey(countries.c.code), comment="Country, ISO 3166-1 alpha-2 code.")
