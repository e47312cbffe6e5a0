"""Enumerations of leave."""

from db.tables.leaves import DayPart, LeaveAccrual, LeaveCategory, LeavePeriodStatus, LeaveStatus, LeaveUnit
from schema.enums.declaration import enumeration

enumeration(
    DayPart,
    "Part of a day: full, first half or second half.",
    full="The whole day.",
    first_half="The first half of the day.",
    second_half="The second half of the day.",
)
enumeration(
    LeaveAccrual,
    "Way in which leave is accrued.",
    none="Leave is not accrued.",
    upfront="The whole entitlement at the start of the period.",
    monthly="A part every month.",
    biweekly="A part every two weeks.",
    hours_worked="A part for hours worked.",
    anniversary="The whole entitlement on each anniversary of hiring.",
)
enumeration(
    LeaveCategory,
    "Category of leave.",
    vacation="Vacation.",
    sick="Sick leave.",
    parental="Parental leave.",
    unpaid="Unpaid leave.",
    holiday="Public or company holiday.",
    compensatory="Time off for overtime.",
    other="Any other leave.",
)
enumeration(
    LeavePeriodStatus,
    "Status of a leave period.",
    upcoming="The period has not begun.",
    open="Leave of the period can be taken.",
    closed="The period is closed.",
)
enumeration(
    LeaveStatus,
    "Status of a leave application.",
    pending="Not decided yet.",
    approved="Approved; the leave counts as used.",
    rejected="Rejected.",
    cancelled="Cancelled after it was approved.",
    withdrawn="Withdrawn by the person before a decision.",
)
enumeration(
    LeaveUnit,
    "Unit of leave: days or hours.",
    day="Days.",
    hour="Hours.",
)
