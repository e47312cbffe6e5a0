// The hours of each person in the last seven days, and the members that changed since the first walk.
import { connect, nextSince, walk } from "./orgdata.js";

const client = connect(process.env["ORGDATA_URL"]!, process.env["ORGDATA_KEY"]!);
const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

const hours = await walk((position) =>
  client.GET("/v1/time_activity_reports/", {
    params: { query: { start_date: day(6), end_date: day(0), ...position } },
  }),
);
for (const row of hours.rows) console.log(row.user.full_name, (row.tracked_seconds / 3600).toFixed(2));

const members = await walk((position) =>
  client.GET("/v1/members/", { params: { query: { include_deleted: true, limit: 5, ...position } } }),
);
const since = nextSince(members.asOf)!;
const changed = await walk((position) =>
  client.GET("/v1/members/", { params: { query: { include_deleted: true, updated_since: since, ...position } } }),
);
console.log(members.rows.length, "members,", changed.rows.length, "changed");
