"""Invoices; payment settings, payments and payables of members."""

from functools import partial

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import ARRAY, SINGLE, STANDARD

PayrollEndpoint = partial(Endpoint, group="payroll", scope="payroll:read")
BY_PERSON = ("user_id", "team_id")
"""Arguments of lists that the path of a person takes the place of."""

ENDPOINTS = [
    Endpoint(
        "listInvoices",
        "/v1/invoices/",
        STANDARD,
        "invoices",
        "...fields taxes line_items @include(if: $with_line_items)",
    ),
    Endpoint(
        "retrieveInvoice",
        "/v1/invoices/{invoice_id}/",
        SINGLE,
        "invoice(id: $invoice_id)",
        "...fields taxes line_items",
    ),
    PayrollEndpoint(
        "listMemberPaymentSettings",
        "/v1/members/{user_id}/payment_settings/",
        ARRAY,
        "member(id: $user_id, current: true) { payment_settings }",
    ),
    PayrollEndpoint(
        "listMemberHourlyPaymentLog",
        "/v1/members/{user_id}/hourly_payment_logs/",
        STANDARD,
        "member(id: $user_id, current: true) { hourly_payment_logs }",
        "...fields lines",
        without=BY_PERSON,
    ),
    PayrollEndpoint(
        "listMemberOneTimePaymentLog",
        "/v1/members/{user_id}/one_time_payment_logs/",
        STANDARD,
        "member(id: $user_id, current: true) { one_time_payment_logs }",
        without=BY_PERSON,
    ),
    PayrollEndpoint(
        "listMemberPayables",
        "/v1/members/{user_id}/payables/",
        STANDARD,
        "member(id: $user_id) { payables }",
        without=BY_PERSON,
    ),
]
