// The panels: the operation that each asks, and what it shows of the answer as a chart, a table and sums.
import { dayAfter, daysBetween } from "./dates.js";

const hours = (field) => (row) => ({ hours: row[field] === null ? null : row[field] / 3600 });
const listed = ({ results, count }) => ({ rows: results, count });
const sums = [
  ["Hours", hours("tracked_seconds")],
  ["Billable", hours("billable_seconds")],
];
const AGES = [
  [0, "not due"],
  [30, "1 to 30 days late"],
  [60, "31 to 60 days late"],
  [90, "61 to 90 days late"],
  [Infinity, "more than 90 days late"],
];

/** Panels in the order of the page. `chart` has the label of a row; `facet` is what a click on it shows. */
export const PANELS = [
  {
    operation: "HoursByWeek",
    read: everyWeek,
    columns: [
      ["Week from", (row) => row.week_start],
      ...sums,
      ["Locked", hours("locked_seconds")],
      ["Activity", (row) => ({ percent: row.activity_percent })],
    ],
    chart: (row) => row.week_start,
    isUpright: true,
    facet: (row, { start, end }) => ({
      start: row.week_start > start ? row.week_start : start,
      end: dayAfter(row.week_start, 6) < end ? dayAfter(row.week_start, 6) : end,
    }),
  },
  {
    operation: "HoursByProject",
    read: listed,
    columns: [["Project", (row) => row.project?.name ?? "No project"], ["Client", (row) => row.project?.client_name ?? ""], ...sums],
    chart: (row) => row.project?.name ?? "No project",
    facet: (row) => row.project_id && { project: row.project_id },
  },
  {
    operation: "HoursByPerson",
    read: listed,
    columns: [
      ["Person", (row) => row.user?.full_name ?? "Erased"],
      ...sums,
      ["Activity", (row) => ({ percent: row.activity_percent })],
    ],
    chart: (row) => row.user?.full_name ?? "Erased",
    facet: (row) => row.user_id && { user: row.user_id },
  },
  {
    operation: "HoursByTeam",
    note: "Time of a person in two teams counts in each.",
    read: listed,
    columns: [["Team", (row) => row.team?.name ?? "No team"], ...sums],
    chart: (row) => row.team?.name ?? "No team",
    facet: (row) => row.team_id && { team: row.team_id },
  },
  {
    operation: "AtWorkNow",
    note: "People whose timer runs.",
    read: ({ results, count }) => ({
      rows: results.flatMap(({ full_name, running_timesheets: timers }) => timers.map((each) => ({ full_name, ...each }))),
      people: results.length,
      count,
    }),
    columns: [
      ["Person", (row) => row.full_name],
      ["Project", (row) => row.project?.name ?? ""],
      ["Task", (row) => row.task?.name ?? ""],
      ["Since", (row, view) => new Date(row.started_at).toLocaleString("sv-SE", { timeZone: view.timezone }).slice(0, 16)],
    ],
  },
  {
    operation: "Budgets",
    note: "Projects with a budget of hours that does not recur, and all time on them, if a nightly job has stored it.",
    read: ({ results, count }) => ({
      rows: results
        .filter(({ budget }) => budget.type === "time" && budget.recurrence === "none" && budget.seconds !== null)
        .map(({ budget, ...row }) => ({ ...row, budget_seconds: budget.seconds }))
        .sort((a, b) => b.budget_used_percent - a.budget_used_percent),
      people: results.length,
      count,
    }),
    columns: [
      ["Project", (row) => row.name],
      ["Budget", hours("budget_seconds")],
      ["Tracked", hours("tracked_seconds_total")],
      ["Used", (row) => ({ percent: row.budget_used_percent })],
    ],
  },
  {
    operation: "UnpaidInvoices",
    read: ({ results, count }, { today }) => {
      const rows = results.map((row) => ({ ...row, late: row.due_date && row.amount_due > 0 ? daysBetween(row.due_date, today) : 0 }));
      return { rows, count, sums: rows.length < count ? [] : sumsByAge(rows) };
    },
    columns: [
      ["Invoice", (row) => row.number],
      ["Client", (row) => row.client_name],
      ["Due", (row) => row.due_date ?? ""],
      ["Days late", (row) => ({ number: Math.max(0, row.late) })],
      ["Amount due", (row) => ({ amount: row.amount_due })],
      ["Currency", (row) => row.currency],
    ],
  },
  {
    operation: "LeaveAhead",
    read: listed,
    columns: [
      ["Person", (row) => row.user.full_name],
      ["Leave", (row) => row.leave_type_name],
      ["From", (row) => row.start_date],
      ["To", (row) => row.end_date],
      ["Amount", (row) => ({ amount: row.amount })],
      ["Unit", (row) => row.unit],
    ],
  },
];

/** Weeks without time, too: a chart without them hides holidays. */
function everyWeek({ results }) {
  const found = new Map(results.map((row) => [row.week_start, row]));
  const rows = [];
  for (let week = results[0]?.week_start; week <= results.at(-1)?.week_start; week = dayAfter(week, 7)) {
    rows.push(found.get(week) ?? { week_start: week, tracked_seconds: 0, billable_seconds: 0, locked_seconds: 0, activity_percent: null });
  }
  return { rows, count: rows.length };
}

/** Amounts by currency and age: "EUR 4089.08: more than 90 days late". Amounts of a currency have the same decimals. */
function sumsByAge(rows) {
  const sums = new Map();
  for (const { amount_due: amount, currency, late } of rows) {
    const age = AGES.find(([most]) => late <= most)[1];
    const [whole, decimals = ""] = amount.split(".");
    const key = `${currency} ${age}`;
    const known = sums.get(key) ?? { currency, age, digits: decimals.length, units: 0n };
    sums.set(key, { ...known, units: known.units + BigInt(whole + decimals) });
  }
  return [...sums.values()].map(({ currency, age, digits, units }) => {
    const text = String(units).replace("-", "").padStart(digits + 1, "0");
    return `${currency} ${units < 0n ? "-" : ""}${digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text}: ${age}`;
  });
}
