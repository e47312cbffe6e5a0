// Hours of one organization: charts and tables, each of one operation of `hours.graphql`. The address keeps the view,
// without the token. A report of `orgdata report` has the answers within the page.
import { keep, kept } from "../caller.js";
import { element } from "../overview/dom.js";
import { dayAfter, dayIn, daysBetween } from "./dates.js";
import { PANELS } from "./panels.js";
import { drawCharts, shownPanel } from "./shown.js";

const DAYS = 28;
// One document may have four fields of lists; two are answered beside each other.
const DOCUMENTS = 2;
const FACETS = ["project", "user", "team"];
const KEPT = ["organization", "start", "end", "timezone", ...FACETS];

const byId = (id) => document.getElementById(id);
const report = JSON.parse(byId("report")?.textContent ?? "null");
let view = {};
let shown = 0;
// What the next view does to the history of the tab.
let entry = "replaceState";

/** The operations of the file by name: title, text, names and declarations of variables, and the text of the field. */
function parsed(text) {
  const entries = text.split(/\n(?=# )/).map((part) => {
    const [, title, query] = /^# (.*)\n([^]*)$/.exec(part);
    const [, name, declared = "", field] = /^query (\w+)(?:\((.*)\))? \{\n([^]*)\n\}/.exec(query);
    return [name, { title, query, names: [...declared.matchAll(/\$(\w+):/g)].map(([, each]) => each), declared, field }];
  });
  return Object.fromEntries(entries);
}

/** Some panels as one document, which counts once for the quota: the field of each has the name of its operation. */
function documentOf(panels, operations) {
  const asked = panels.map(({ operation }) => [operation, operations[operation]]);
  const declared = new Set(asked.flatMap(([, each]) => each.declared.split(", ").filter(Boolean)));
  const fields = asked.map(([name, { field }]) => `${name}: ${field.trim()}`);
  return `query Hours(${[...declared].join(", ")}) {\n${fields.join("\n")}\n}`;
}

async function ask(query, variables) {
  // A header cannot have all characters: a name in place of an id is refused in words.
  const headers = { "Content-Type": "application/json", "X-SERVICE-API-KEY": encodeURIComponent(kept("token")), "X-Organization-Id": encodeURIComponent(view.organization) };
  const response = await fetch("graphql", { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  const { data, errors = [], error } = await response.json();
  if (!data) throw new Error((error ?? errors[0]).message);
  return { data, messages: Object.fromEntries(errors.map(({ path, message }) => [path[0], message])) };
}

async function askOrganization({ Organization: { query } }) {
  // The zone where a day begins first: that of the organization is not known yet.
  const today = dayIn("Pacific/Kiritimati", Date.now());
  // A year has many timesheets: most organizations have some of the last days.
  for (const days of [7, DAYS, 365]) {
    const { data } = await ask(query, { today, since: dayAfter(today, -days), wants_weeks: !view.end });
    if (view.end || data.time_totals.results.length || days > DAYS) return data;
  }
}

/** The answers of all panels, and the messages of those without, by their operations. */
async function askPanels(operations) {
  const parts = Array.from({ length: DOCUMENTS }, (_, part) => {
    const panels = PANELS.filter((_, index) => index % DOCUMENTS === part);
    const names = [...new Set(panels.flatMap(({ operation }) => operations[operation].names))];
    return ask(documentOf(panels, operations), chosen(names));
  });
  const answers = await Promise.all(parts);
  const merged = (name) => Object.assign({}, ...answers.map((answer) => answer[name]));
  return { data: merged("data"), messages: merged("messages") };
}

async function show() {
  const mine = ++shown;
  byId("problem").hidden = true;
  if (!report && !(kept("token") && view.organization)) {
    byId("status").textContent = "Enter an internal token and the id of an organization; the overview shows both.";
    return;
  }
  try {
    const operations = parsed(report ? report.operations : await (await fetch("assets/hours/hours.graphql")).text());
    const { organization, time_totals: weeks } = report ? report.answers.Organization : await askOrganization(operations);
    if (mine !== shown) return;
    choose(organization, weeks?.results.at(-1)?.week_start);
    const { data, messages } = report ? { data: report.answers, messages: {} } : await askPanels(operations);
    if (mine !== shown) return;
    byId("panels").replaceChildren(...PANELS.map((panel) => sectionOf(panel, operations[panel.operation], data, messages)));
  } catch (error) {
    if (mine !== shown) return;
    byId("panels").replaceChildren();
    byId("problem").textContent = [TypeError, SyntaxError].includes(error.constructor) ? "The service does not answer." : error.message;
    byId("problem").hidden = false;
  }
}

/** Complete the view by the organization's zone and its last weeks with time. */
function choose(organization, lastWeek) {
  view.timezone ||= organization.timezone;
  view.today = dayIn(view.timezone, report?.made_at ?? Date.now());
  const lastDay = lastWeek ? dayAfter(lastWeek, 6) : view.today;
  view.end ||= lastDay < view.today ? lastDay : view.today;
  view.start ||= dayAfter(view.end, 1 - DAYS);
  view.ahead = dayAfter(view.today, 60);
  byId("title").textContent = document.title = `Hours of ${organization.name}`;
  byId("status").textContent = `${view.start} to ${view.end}, days in ${view.timezone}. Today is ${view.today}.`;
  if (report) return;
  keep("organization", view.organization);
  // Figures of the view before are not those of this title.
  for (const section of byId("panels").children) section.classList.add("old");
  for (const name of ["organization", "start", "end", "timezone"]) byId(name).value = view[name];
  const address = KEPT.filter((name) => view[name]).map((name) => [name, view[name]]);
  history[entry](null, "", `?${new URLSearchParams(address)}`);
  entry = "replaceState";
  byId("facets").replaceChildren(...FACETS.filter((name) => view[name]).map(facetButton));
}

function facetButton(name) {
  const button = element("button", { type: "button", id: `facet-${name}`, class: "chip" }, `Only one ${name === "user" ? "person" : name}: show all`);
  button.addEventListener("click", () => go({ [name]: "" }));
  return button;
}

/** The values of the view for variables with these names. */
function chosen(names) {
  return Object.fromEntries(names.filter((name) => view[name]).map((name) => [name, view[name]]));
}

function sectionOf(panel, { title, query, names }, data, messages) {
  const section = element("section", { class: "card", "aria-label": title });
  const answer = data[panel.operation];
  if (!answer) {
    section.append(element("h2", {}, title), element("p", { class: "problem" }, messages[panel.operation]));
    return section;
  }
  nameFacet(answer);
  section.append(...shownPanel(panel, { title, query, variables: chosen(names) }, answer, view, report ? null : go).filter(Boolean));
  return section;
}

/** The name of a chosen project, person or team, once an answer has it. */
function nameFacet({ results }) {
  for (const row of results) {
    for (const name of FACETS) {
      const label = row[name]?.name ?? row[name]?.full_name;
      if (label && view[name] === row[`${name}_id`]) byId(`facet-${name}`)?.replaceChildren(`${label}: show all`);
    }
  }
}

function go(change) {
  view = { ...view, ...change };
  entry = "pushState";
  show();
}

/** The same number of days before or after. */
function shift(direction) {
  const days = direction * (daysBetween(view.start, view.end) + 1);
  go({ start: dayAfter(view.start, days), end: dayAfter(view.end, days) });
}

function viewOfAddress() {
  const given = new URLSearchParams(location.search);
  const fields = Object.fromEntries(KEPT.map((name) => [name, given.get(name) ?? ""]));
  return { ...fields, organization: fields.organization || kept("organization") };
}

if (report) {
  view = { ...report.view };
} else {
  view = viewOfAddress();
  byId("token").value = kept("token");
  byId("organization").value = view.organization;
  byId("zones").append(...Intl.supportedValuesOf("timeZone").map((value) => element("option", { value })));
  byId("filter").addEventListener("submit", (event) => {
    event.preventDefault();
    keep("token", byId("token").value);
    keep("organization", byId("organization").value);
    const isOther = byId("organization").value !== view.organization;
    const { start, end, timezone } = Object.fromEntries(["start", "end", "timezone"].map((name) => [name, byId(name).value]));
    go({ ...(isOther ? { project: "", user: "", team: "" } : {}), organization: kept("organization"), start, end, timezone });
  });
  byId("earlier").addEventListener("click", () => view.start && shift(-1));
  byId("later").addEventListener("click", () => view.start && shift(1));
  addEventListener("popstate", () => {
    view = viewOfAddress();
    show();
  });
}
for (const query of ["print", "(prefers-color-scheme: dark)"]) matchMedia(query).addEventListener("change", drawCharts);
show();
