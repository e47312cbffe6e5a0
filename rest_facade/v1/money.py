"""Invoices, payment settings, payment logs and payables."""

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import ARRAY, SINGLE, STANDARD

INVOICE = """
fragment invoice on Invoice {
  id number client_id client_name project_ids status is_overdue currency issue_date due_date period_start period_end
  subtotal discount_type discount_value discount_amount tax_amount taxes { name percent amount }
  total amount_paid amount_due purchase_order reference notes terms sent_at viewed_at paid_at voided_at
  created_by_user_id public_url line_items_count external_id created_at updated_at deleted_at
}
fragment line_item on InvoiceLine {
  id position kind description project_id task_id user_id quantity unit duration_seconds unit_price amount is_taxed
  tax_percent
}
"""

ENDPOINTS = [
    Endpoint(
        "listInvoices",
        "/v1/invoices/",
        STANDARD,
        "invoices",
        "...invoice line_items @include(if: $with_line_items) { ...line_item }",
        INVOICE,
    ),
    Endpoint(
        "retrieveInvoice",
        "/v1/invoices/{invoice_id}/",
        SINGLE,
        "invoice(id: $invoice_id)",
        "...invoice line_items { ...line_item }",
        INVOICE,
    ),
    Endpoint(
        "listMemberPaymentSettings",
        "/v1/members/{user_id}/payment_settings/",
        ARRAY,
        "member(id: $user_id, current: true) { payment_settings }",
        """
        id user_id pay_type pay_rate bill_rate currency currency_digits pay_period period_anchor_date overtime_enabled
        overtime_daily_threshold_seconds overtime_weekly_threshold_seconds overtime_multiplier requires_approval
        payment_method effective_from effective_to is_current created_at updated_at
        """,
        group="payroll",
        scope="payroll:read",
    ),
    Endpoint(
        "listMemberHourlyPaymentLog",
        "/v1/members/{user_id}/hourly_payment_logs/",
        STANDARD,
        "member(id: $user_id, current: true) { hourly_payment_logs }",
        """
        id user_id period_start period_end tracked_seconds paid_seconds overtime_seconds hourly_rate overtime_rate
        amount currency status payment_method paid_at paid_by_user_id reference note
        lines { date project_id task_id paid_seconds rate amount } lines_truncated payable_id
        created_at updated_at deleted_at
        """,
        group="payroll",
        scope="payroll:read",
        without=["user_id", "team_id"],
    ),
    Endpoint(
        "listMemberOneTimePaymentLog",
        "/v1/members/{user_id}/one_time_payment_logs/",
        STANDARD,
        "member(id: $user_id, current: true) { one_time_payment_logs }",
        """
        id user_id type amount currency description payment_date period_start period_end project_id status
        payment_method paid_at paid_by_user_id reference is_taxable created_at updated_at deleted_at
        """,
        group="payroll",
        scope="payroll:read",
        without=["user_id", "team_id"],
    ),
    Endpoint(
        "listMemberPayables",
        "/v1/members/{user_id}/payables/",
        STANDARD,
        "member(id: $user_id) { payables }",
        """
        id user_id kind period_start period_end tracked_seconds payable_seconds rate amount amount_paid amount_due
        currency status is_final due_date approved_at approved_by_user_id source_id note
        created_at updated_at deleted_at
        """,
        group="payroll",
        scope="payroll:read",
        without=["user_id", "team_id"],
    ),
]
