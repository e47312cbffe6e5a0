// The hours of each person in the last seven days, and the members that changed since the first walk.
import { connect, nextSince, walk } from "./orgdata.js";

const client = connect(process.env["ORGDATA_URL"]!, process.env["ORGDATA_KEY"]!);
// Days are those of the organization's zone; those before today are counted in UTC, where each has 24 hours.
const organization = (await client.GET("/v1/organization/")).data!;
const today = new Intl.DateTimeFormat("sv-SE", { timeZone: organization.timezone }).format(new Date());
const day = (ago: number): string => new Date(Date.parse(today) - ago * 86_400_000).toISOString().slice(0, 10);

const hours = await walk((position) =>
  client.GET("/v1/time_activity_reports/", {
    params: { query: { start_date: day(6), end_date: day(0), ...position } },
  }),
);
for (const row of hours.rows) console.log(row.user.full_name, (row.tracked_seconds / 3600).toFixed(2));

const poll = (since: { updated_since?: string }) =>
  walk((position) => client.GET("/v1/members/", { params: { query: { include_deleted: true, ...since, ...position } } }));
const members = await poll({});
const changed = await poll({ updated_since: nextSince(members.asOf)! });
console.log(members.rows.length, "members,", changed.rows.length, "changed");
