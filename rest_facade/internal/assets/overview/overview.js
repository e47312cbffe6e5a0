// The overview. The token is kept for the tab, never longer; it goes into a header, never into an address.
import { keep, kept } from "../caller.js";
import { element } from "./dom.js";
import { showHealth } from "./health.js";
import { AREAS, organizationRows } from "./organizations.js";
import { plural, utc } from "./text.js";

const REFRESH_MS = 60_000;
const FIRST = "overview.json";

const byId = (id) => document.getElementById(id);
const [token, search] = [byId("token"), byId("search")];
let address = FIRST;
let next = null;
let requests = 0;

/** Fetch and show the page of organizations at `address`. */
async function showOrganizations() {
  const key = token.value.trim();
  const request = ++requests;
  byId("token-hint").hidden = Boolean(key);
  if (!key) {
    tell("", "");
    byId("figures").hidden = true;
    return;
  }
  byId("status").textContent = "Loading";
  const [overview, problem] = await fetchOverview(key);
  // A later request may have been answered before.
  if (request !== requests) return;
  if (overview === null) {
    byId("figures").hidden = true;
    tell("", problem);
    return;
  }
  show({ ...overview, token: key });
}

/** The document, or null and a sentence. */
async function fetchOverview(key) {
  try {
    const response = await fetch(address, { headers: { "X-SERVICE-API-KEY": encodeURIComponent(key) }, cache: "no-store" });
    const body = await response.json();
    return response.ok ? [body, null] : [null, refusal(body.error, response.headers.get("Retry-After"))];
  } catch {
    return [null, "The service does not answer."];
  }
}

function refusal({ code, message }, seconds) {
  const advice = {
    INVALID_API_KEY: "Enter an internal token that is neither expired nor revoked.",
    AUTH_FAILURE_THROTTLE: "Wrong tokens came from this address.",
  }[code];
  const wait = seconds ? `Try again in ${plural(Number(seconds), "second")}.` : null;
  return [message, advice, wait].filter(Boolean).join(" ");
}

function tell(status, problem) {
  byId("status").textContent = status;
  byId("problem").textContent = problem;
  byId("problem").hidden = !problem;
}

function show(overview) {
  const open = new Set([...document.querySelectorAll("#organizations tbody:has(details[open])")].map((body) => body.id));
  const bodies = overview.results.map((organization) => {
    const body = organizationRows(organization, overview);
    body.id = `organization-${organization.id}`;
    if (open.has(body.id)) body.querySelector("details").open = true;
    return body;
  });
  for (const body of document.querySelectorAll("#organizations tbody")) body.remove();
  byId("organizations").append(...bodies);
  const shown = overview.results.length;
  byId("caption").textContent = `${plural(shown, "organization")} of ${overview.count}, by name`;
  byId("covers").textContent = coverage(overview);
  next = overview.next;
  byId("next").disabled = next === null;
  byId("first").disabled = !address.includes("after=");
  byId("pages").hidden = byId("next").disabled && byId("first").disabled;
  byId("figures").hidden = shown === 0;
  tell(`As of ${utc(overview.generated_at)}`, shown ? "" : "No organization that the token may read has this name or id.");
}

function coverage({ instance, quota }) {
  const { workers, missing_workers: missing, counted_since: since } = instance;
  return [
    `Requests are those to /v1 and /graphql that this instance counted (${plural(workers, "worker")}) since ${utc(since)}.`,
    missing ? `${plural(missing, "worker")} did not answer.` : null,
    `Refused ones were over the quota: ${quota.limit} in ${quota.window_seconds} seconds for each resource group, unless the organization has its own. GraphQL calls over the quota of their token are not in the figures.`,
    "Rows include deleted ones. “About” is an estimate of PostgreSQL, for tables with more than 1,000 rows of the organization.",
    "Figures other than requests are up to a minute old.",
  ].filter(Boolean).join(" ");
}

function go(to) {
  address = to;
  showOrganizations();
}

function searched() {
  const text = search.value.trim();
  return text ? `${FIRST}?${new URLSearchParams({ search: text })}` : FIRST;
}

function turned(to) {
  go(to);
  byId("organizations-title").scrollIntoView();
}

byId("legend").append(
  ...Object.entries(AREAS).map(([area, title]) => element("li", {}, element("span", { class: `swatch area-${area}` }), title)),
);
token.value = kept("token");
byId("filter").addEventListener("submit", (event) => {
  event.preventDefault();
  keep("token", token.value);
  go(searched());
});
byId("next").addEventListener("click", () => turned(next));
byId("first").addEventListener("click", () => turned(searched()));
setInterval(() => {
  if (document.hidden) return;
  showHealth();
  // While details are read or a problem is shown, nothing is asked by itself.
  if (byId("problem").hidden) showOrganizations();
}, REFRESH_MS);
showHealth();
showOrganizations();
