// What an author of a client writes against the generated types, with openapi-fetch; run with the address and a key.
// Prints the same lines as use.py.
import createClient from "openapi-fetch";
import type { components, operations, paths } from "./types.js";

type Member = components["schemas"]["Member"];
type Query = NonNullable<operations["listMembers"]["parameters"]["query"]>;
type Refusal = operations["listMembers"]["responses"][400]["content"]["application/json"];

export const email = (member: Member): string | null => member.email;
export const code = (refusal: Refusal): "VALIDATION_ERROR" => refusal.error.code;
// @ts-expect-error a status that there is not
export const wrong: Query = { status: ["sleeping"] };

declare const process: { argv: string[] };
const [address, key] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address, headers: { "X-SERVICE-API-KEY": key! } });

function must<T>(value: T | undefined, error: unknown): T {
  if (value === undefined) throw new Error(JSON.stringify(error));
  return value;
}

const show = (what: string, ...values: unknown[]): void => console.log([what, ...values].join(" "));

// Two values of a list parameter, and all pages of a list.
const ids: string[] = [];
for (let page = 1, more = true; more; page++) {
  const query: Query = { status: ["active", "invited"], limit: 3, page };
  const { data, error } = await client.GET("/v1/members/", { params: { query } });
  const body = must(data, error);
  ids.push(...body.results.map((member) => member.user_id));
  more = body.next !== null;
}
show("members", ...ids);
const chosen = await client.GET("/v1/members/", { params: { query: { id: ids.slice(0, 2) } } });
show("chosen", ...must(chosen.data, chosen.error).results.map((member) => member.user_id));

// A walk by cursor.
const walked: string[] = [];
for (let cursor: string | undefined, more = true; more; ) {
  const query = cursor === undefined ? { limit: 3 } : { limit: 3, cursor };
  const { data, error } = await client.GET("/v1/timesheet_idle_times/", { params: { query } });
  const body = must(data, error);
  walked.push(...body.results.map((result) => result.user.user_id));
  more = body.pagination.has_more;
  cursor = body.pagination.next_cursor ?? undefined;
}
show("walked", ...walked);

// Arrays, and the error of a person whose membership is not active.
const settings: string[] = [];
for (const user_id of ids) {
  const { data, error } = await client.GET("/v1/members/{user_id}/payment_settings/", { params: { path: { user_id } } });
  if (error?.error.code !== "RESOURCE_NOT_FOUND") settings.push(...must(data, error).map((setting) => setting.id));
}
show("settings", ...settings);

// An error.
const refused = await client.GET("/v1/members/", { params: { query: { limit: 101 } } });
show("refused", refused.response.status, refused.error?.error.message);

// More requests than the quota. The Python client uses up the quota of another group.
let limited = await client.GET("/v1/leave_types/");
while (limited.response.status === 200) limited = await client.GET("/v1/leave_types/");
show("limited", limited.response.status, limited.error?.error.code);
