// Hours of the last four weeks and the people at work now, of one organization: one document of GraphQL.
import { element } from "./dom.js";
import { plural, utc, whole } from "./text.js";

const DAY_MS = 86_400_000;
const DAYS = 28;
const QUERY = `query Work($first: Date!, $last: Date!, $today: Date!, $tomorrow: Date!) {
  time_totals(start_date: $first, end_date: $last, group_by: [week]) { results { week_start tracked_seconds } }
  clockinouts(start_date: $today, end_date: $tomorrow, status: [open], include_open: true, limit: 20) {
    count results { clock_in_at user { full_name } }
  }
}`;

const day = (days) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** The sentences, or one that says what is wrong. */
export async function workOf(organization, token) {
  const variables = { first: day(1 - DAYS), last: day(0), today: day(0), tomorrow: day(1) };
  const headers = { "Content-Type": "application/json", "X-SERVICE-API-KEY": token, "X-Organization-Id": organization.id };
  try {
    const response = await fetch("graphql", { method: "POST", headers, body: JSON.stringify({ query: QUERY, variables }) });
    const { data, errors } = await response.json();
    if (errors) return element("p", { class: "problem" }, errors[0].message);
    return element("div", {}, hours(data.time_totals.results), people(data.clockinouts));
  } catch {
    return element("p", { class: "problem" }, "The service does not answer.");
  }
}

function hours(weeks) {
  const texts = weeks.map((week) => `${week.week_start}: ${whole(Math.round(week.tracked_seconds / 3600))}`);
  return element("p", { class: "hours" }, `Hours of the last ${DAYS} days by the start of the week: ${texts.join(", ") || "none"}.`);
}

function people({ count, results }) {
  const names = results.map(({ user, clock_in_at: since }) => `${user.full_name} (since ${utc(since)})`);
  const others = count - results.length;
  const more = others > 0 ? ` and ${whole(others)} more` : "";
  return element("p", { class: "people" }, `At work now: ${plural(count, "clock record")} open${names.length ? ": " : ""}${names.join(", ")}${more}.`);
}
