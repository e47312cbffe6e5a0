"""Money in the schema: decimal strings beside their currency, and no floats.

Covers `schema/payroll.py`.
"""

from graphql import GraphQLObjectType, get_named_type

from schema.schema import GRAPHQL_SCHEMA, SCHEMA

EXACT = {"Amount", "Quantity", "Factor"}


def test_schema_has_no_float() -> None:
    assert "Float" not in SCHEMA.as_str()
    assert "Float" not in GRAPHQL_SCHEMA.type_map


def test_amounts_are_exact_with_currency() -> None:
    words = ("amount", "rate", "total", "subtotal", "price", "quantity", "percent", "multiplier")
    money = "Invoice InvoiceLine InvoiceTax PaymentSetting HourlyPaymentLog HourlyPaymentLine OneTimePaymentLog Payable"
    for name in money.split():
        type_ = GRAPHQL_SCHEMA.type_map[name]
        assert isinstance(type_, GraphQLObjectType)
        numbers = [field for field in type_.fields if field.split("_")[-1] in words or field.startswith("amount")]
        assert numbers, name
        for field in numbers:
            assert get_named_type(type_.fields[field].type).name in EXACT, f"{name}.{field}"
