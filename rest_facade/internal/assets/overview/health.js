// Health and versions, which need no token.
import { element } from "./dom.js";
import { utc } from "./text.js";

const NAMES = { database: "Database", quota_store: "Quota store", database_hosts: "Database hosts", keys_database_hosts: "Hosts for keys" };

/** Fetch and show both. */
export async function showHealth() {
  const [ready, versions] = await Promise.all(["ready", "versions.json"].map(fetched));
  fill("health", healthRows(ready));
  fill("versions", versionRows(versions));
}

async function fetched(address) {
  const started = performance.now();
  try {
    // /ready is JSON with any status.
    const body = await (await fetch(address, { cache: "no-store" })).json();
    return { ...body, answered: { at: new Date(), ms: Math.round(performance.now() - started) } };
  } catch {
    return null;
  }
}

function fill(id, rows) {
  document.getElementById(id).replaceChildren(
    ...rows.map(([term, value, state]) =>
      element("div", {}, element("dt", {}, term), element("dd", state ? { class: state } : {}, value)),
    ),
  );
}

function healthRows(ready) {
  if (ready === null) return [["Service", "does not answer", "bad"]];
  const { status, answered, ...parts } = ready;
  return [
    ["Service", `${status}, in ${answered.ms} ms at ${utc(answered.at)}`, status === "ready" ? "good" : "bad"],
    ...Object.entries(parts).flatMap(([name, part]) =>
      Array.isArray(part)
        ? part.map((host) => [host.host, hostText(host), host.state === "up" ? (host.last_error ? "fair" : "good") : "bad"])
        : [[NAMES[name] ?? name, part, part === "reachable" ? "good" : "bad"]],
    ),
  ];
}

function hostText({ state, role, last_error: problem, lag_seconds: lag }) {
  const seconds = lag === null || lag === undefined ? null : `${lag} s behind`;
  return [state, role, seconds, problem].filter(Boolean).join(", ");
}

function versionRows(versions) {
  if (versions === null) return [["Service", "unknown", "bad"]];
  const { service, python, postgresql, migration } = versions;
  return [
    ["Service", service],
    ["Python", python],
    ["PostgreSQL", postgresql ?? "not reachable", postgresql ? null : "bad"],
    ["Migration", ...migrationText(migration, postgresql)],
  ];
}

function migrationText({ database, service }, postgresql) {
  if (database === service) return [`${database}, as this version needs`, "good"];
  if (database === null) return [postgresql ? "not readable on this server" : "unknown", "fair"];
  const remedy = database < service ? "run orgdata migrate" : "the service is older than the database";
  return [`${database}; this version needs ${service}: ${remedy}`, "bad"];
}
