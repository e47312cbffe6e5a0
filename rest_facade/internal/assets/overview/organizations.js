// The table of organizations: one group of rows each, the second row with the details.
import { areasChart, requestsChart } from "./charts.js";
import { element } from "./dom.js";
import { ago, plural, rowsText, utc, whole } from "./text.js";

export const AREAS = {
  people: "People",
  work: "Work",
  timesheets: "Timesheets",
  activity: "Activity",
  money: "Invoices",
  payroll: "Payroll",
  leaves: "Leave",
};

/** The rows of one organization, as a `tbody`. */
export function organizationRows(organization, overview) {
  const { id, name, status, problem } = organization;
  const head = element(
    "th",
    { scope: "rowgroup" },
    element("a", { class: "name", href: `hours?organization=${id}`, title: "Hours, people at work, budgets, invoices, leave" }, name),
    status === "active" ? null : element("span", { class: "badge" }, status),
    element("code", {}, id),
  );
  const requests = cell("Requests in 15 minutes", ...requestsCell(organization.quota, overview.quota));
  if (problem) {
    const message = element("td", { colspan: 3, class: "problem" }, problem);
    return element("tbody", {}, element("tr", {}, head, message, requests));
  }
  const now = overview.generated_at;
  const areas = areasOf(organization.rows.tables, overview.tables);
  const row = element(
    "tr",
    {},
    head,
    cell("Rows", element("strong", {}, rowsText(organization.rows.total)), areasChart(areas)),
    cell("Last change", time(organization.last_change, now, "no change is known")),
    cell(
      "Last heartbeat",
      time(organization.last_heartbeat, now, "none"),
      element("small", {}, timers(organization.running_timers)),
    ),
    requests,
  );
  return element("tbody", {}, row, element("tr", { class: "details" }, detailsCell(organization, overview, areas)));
}

function cell(label, ...children) {
  return element("td", { "data-label": label }, ...children);
}

function time(value, now, none) {
  if (value === null) return element("span", { class: "none" }, none);
  return element("time", { datetime: value, title: utc(value) }, ago(value, now));
}

function timers(running) {
  if (running >= 1000) return "1,000 or more timers run";
  return running ? `${plural(running, "timer")} ${running === 1 ? "runs" : "run"}` : "no timer runs";
}

function requestsCell(quota, { minutes }) {
  const [all, refused] = [quota.requests, quota.refused].map((counts) => counts.reduce((sum, each) => sum + each, 0));
  return [
    element("strong", {}, whole(all)),
    element("small", { class: refused ? "refused" : "" }, `${whole(refused)} refused`),
    requestsChart(minutes, quota.requests, quota.refused),
  ];
}

/** The rows of each area: the sum of its tables. */
function areasOf(tables, declared) {
  const precisions = ["exact", "about", "at_least"];
  return Object.entries(AREAS).map(([area, title]) => {
    const rows = declared.filter((table) => table.area === area).map((table) => tables[table.name]);
    const least = Math.max(...rows.map((each) => precisions.indexOf(each.precision)));
    return { area, title, rows: { count: rows.reduce((sum, each) => sum + each.count, 0), precision: precisions[least] } };
  });
}

function detailsCell(organization, overview, areas) {
  const summary = element("summary", {}, "Quota, tables", element("span", { class: "of" }, ` of ${organization.name}`));
  const details = element("details", {}, summary);
  // Most details stay closed: their tables are made when they are opened first.
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) {
      details.append(quotaTable(organization.quota, overview.quota), tablesByArea(organization, overview, areas));
    }
  });
  return element("td", { colspan: 5 }, details);
}

/** A name that may be broken after its underscores, and nowhere else. */
function breakable(name) {
  return name.split("_").flatMap((word, index) => (index ? ["_", element("wbr"), word] : [word]));
}

function quotaTable(quota, { limit, window_seconds: seconds }) {
  if (!quota.groups.length) {
    return element("p", {}, `No request in the last 15 minutes. The quota is ${whole(limit)} requests in ${seconds} seconds for each resource group, unless the organization has its own.`);
  }
  const rows = quota.groups.map((each) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, each.group),
      element("td", {}, whole(each.requests)),
      element("td", { class: each.refused ? "refused" : "" }, whole(each.refused)),
      element("td", {}, whole(each.busiest_minute)),
      element("td", {}, each.limit !== null ? whole(each.limit) : each.group === "graphql" ? "by token" : "unknown"),
    ),
  );
  const titles = ["Resource group", "Requests", "Refused", "In the busiest minute", `Quota in ${seconds} s`];
  return element(
    "div",
    { class: "scrolled", tabindex: 0, role: "region", "aria-label": "Requests by resource group" },
    element(
      "table",
      { class: "plain" },
      element("caption", {}, "Requests by resource group, 15 minutes"),
      element("thead", {}, element("tr", {}, titles.map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, rows),
    ),
  );
}

function tablesByArea({ rows, last_changes: changes }, { tables, generated_at: now }, areas) {
  return element(
    "div",
    { class: "areas" },
    areas.map(({ area, title, rows: sum }) =>
      element(
        "table",
        { class: "plain" },
        element("caption", {}, element("span", { class: `swatch area-${area}` }), `${title}: ${rowsText(sum)} rows`),
        element(
          "tbody",
          {},
          tables
            .filter((table) => table.area === area)
            .map((table) =>
              element(
                "tr",
                {},
                element("th", { scope: "row" }, breakable(table.name)),
                element("td", {}, rowsText(rows.tables[table.name])),
                element("td", {}, table.shows_last_change ? time(changes[table.name], now, "") : element("span", { class: "none" }, "not indexed")),
              ),
            ),
        ),
      ),
    ),
  );
}
