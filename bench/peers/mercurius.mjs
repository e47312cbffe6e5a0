// Mercurius with its JIT and loaders, over postgres.js: the design of the service, written by hand for Node.
// `node mercurius.mjs URL PORT`. The documents of the bench use the names of REST.
import Fastify from "fastify";
import mercurius from "mercurius";
import postgres from "postgres";

const [url, port] = process.argv.slice(2);

// Dates and moments stay text, as PostgreSQL writes them: a Date of JavaScript has no microseconds.
const asText = (oid, parse) => ({ to: 25, from: [oid], serialize: String, parse });
// URL requires a host beside a user; the socket is a parameter.
const address = new URL(url.replace("@/", "@localhost/"));
const sql = postgres({
  host: address.searchParams.get("host") ?? address.hostname,
  port: Number(address.searchParams.get("port") ?? (address.port || 5432)),
  database: address.pathname.slice(1),
  username: decodeURIComponent(address.username),
  password: decodeURIComponent(address.password),
  max: 8,
  connection: { TimeZone: "UTC" },
  types: {
    date: asText(1082, (text) => text),
    moment: asText(1184, (text) => `${text.slice(0, 10)}T${text.slice(11, -3)}Z`),
  },
});

const schema = `
  type Client { id: ID! name: String! projects(limit: Int!): ProjectList! }
  type Project {
    id: ID! name: String! code: String description: String status: String! is_billable: Boolean! currency: String!
    start_date: String created_at: String! updated_at: String! client: Client
    tasks(limit: Int!): TaskList! members(limit: Int!): ProjectMemberList!
  }
  type Task { id: ID! name: String! status: String! priority: String! }
  type ProjectMember { id: ID! role: String! user: Member! }
  type Member { user_id: ID! full_name: String! }
  type Day { date: String! tracked_seconds: Int! }
  type TimeActivity { user: Member! days: [Day!]! }
  type TimeTotals { client: Client! project: Project! tracked_seconds: Int! }
  type ClientList { results: [Client!]! }
  type ProjectList { results: [Project!]! }
  type TaskList { results: [Task!]! }
  type ProjectMemberList { results: [ProjectMember!]! }
  type TimeActivityList { results: [TimeActivity!]! }
  type TimeTotalsList { results: [TimeTotals!]! }
  enum TimeGroup { client project }
  type Page { count: Int! results: [Project!]! }
  type Query {
    clients(limit: Int!): ClientList!
    projects(organization_id: ID, limit: Int!, offset: Int = 0): Page!
    time_totals(
      start_date: String!, end_date: String!, timezone: String, group_by: [TimeGroup!], limit: Int!): TimeTotalsList!
    time_activity_reports(start_date: String!, end_date: String!, timezone: String, limit: Int!): TimeActivityList!
  }
`;

const columns = sql`
  organization_id, id, client_id, name, code, description, status, is_billable, currency, start_date, created_at,
  updated_at`;

// One statement yields the total, if it is selected, and the page, and a row also where the page has none.
const projects = async (_, { organization_id, limit, offset }, { organization }, info) => {
  const id = organization_id ?? organization;
  const page = sql`
    SELECT ${columns} FROM projects WHERE organization_id = ${id} AND deleted_at IS NULL
    ORDER BY created_at, id LIMIT ${limit} OFFSET ${offset}`;
  if (!info.fieldNodes[0].selectionSet.selections.some((field) => field.name.value === "count")) {
    return { results: await page };
  }
  const rows = await sql`
    SELECT t.count, p.* FROM (
      SELECT count(*)::int FROM projects WHERE organization_id = ${id} AND deleted_at IS NULL) t
    LEFT JOIN (${page}) p ON true
    ORDER BY p.created_at, p.id`;
  return { count: rows[0].count, results: rows[0].id === null ? [] : rows };
};

const firstClients = async (_, { limit }, { organization }) => ({
  results: await sql`
    SELECT organization_id, id, name FROM clients WHERE organization_id = ${organization} AND deleted_at IS NULL
    ORDER BY created_at, id LIMIT ${limit}`,
});

const timeTotals = async (_, { start_date, end_date, limit }, { organization }) => {
  const rows = await sql`
    SELECT c.id AS client_id, c.name AS client_name, p.id, p.name,
           extract(epoch FROM sum(t.ended_at - t.started_at))::int AS tracked_seconds
    FROM timesheets t JOIN projects p ON p.organization_id = t.organization_id AND p.id = t.project_id
         JOIN clients c ON c.organization_id = p.organization_id AND c.id = p.client_id
    WHERE t.organization_id = ${organization} AND t.started_at >= ${start_date}::date
          AND t.started_at < ${end_date}::date + 1 AND t.deleted_at IS NULL
    GROUP BY c.id, c.name, p.id, p.name ORDER BY c.id, p.id LIMIT ${limit}`;
  return {
    results: rows.map((row) => ({
      client: { id: row.client_id, name: row.client_name },
      project: { id: row.id, name: row.name },
      tracked_seconds: row.tracked_seconds,
    })),
  };
};

const timeActivity = async (_, { start_date, end_date, limit }, { organization }) => {
  const members = await sql`
    SELECT user_id, full_name FROM members
    WHERE organization_id = ${organization} AND deleted_at IS NULL ORDER BY created_at, user_id LIMIT ${limit}`;
  const rows = await sql`
    SELECT user_id, (started_at AT TIME ZONE 'UTC')::date AS date,
           extract(epoch FROM sum(ended_at - started_at))::int AS tracked_seconds
    FROM timesheets
    WHERE organization_id = ${organization} AND user_id = ANY(${members.map(({ user_id }) => user_id)}::uuid[])
          AND started_at >= ${start_date}::date AND started_at < ${end_date}::date + 1 AND deleted_at IS NULL
    GROUP BY 1, 2 ORDER BY 1, 2`;
  const days = Map.groupBy(rows, (row) => row.user_id);
  return { results: members.map((user) => ({ user, days: days.get(user.user_id) ?? [] })) };
};

// One statement for the first rows of each parent.
const children = (statement, parent) => async (queries) => {
  const { obj, params } = queries[0];
  const rows = await statement(obj.organization_id, [...new Set(queries.map(({ obj }) => obj.id))], params.limit);
  const byParent = Map.groupBy(rows, (row) => row[parent]);
  return queries.map(({ obj }) => ({ results: byParent.get(obj.id) ?? [] }));
};

const projectsOfClients = (organization, ids, limit) => sql`
  SELECT row.* FROM unnest(${ids}::uuid[]) parent (parent_id), LATERAL (
    SELECT ${columns} FROM projects
    WHERE organization_id = ${organization} AND client_id = parent_id AND deleted_at IS NULL
    ORDER BY created_at, id LIMIT ${limit}) row`;

const tasksOfProjects = (organization, ids, limit) => sql`
  SELECT row.* FROM unnest(${ids}::uuid[]) parent (parent_id), LATERAL (
    SELECT id, project_id, name, status, priority FROM tasks
    WHERE organization_id = ${organization} AND project_id = parent_id AND deleted_at IS NULL
    ORDER BY created_at, id LIMIT ${limit}) row`;

const membersOfProjects = (organization, ids, limit) => sql`
  SELECT row.* FROM unnest(${ids}::uuid[]) parent (parent_id), LATERAL (
    SELECT organization_id, id, project_id, user_id, role FROM project_members
    WHERE organization_id = ${organization} AND project_id = parent_id AND deleted_at IS NULL
    ORDER BY created_at, id LIMIT ${limit}) row`;

// One statement for the rows to which a column refers.
const referenced = (column, statement) => async (queries) => {
  const ids = [...new Set(queries.map(({ obj }) => obj[column]))].filter((id) => id !== null);
  const rows = await statement(queries[0].obj.organization_id, ids);
  const byId = new Map(rows.map((row) => [row.key, row]));
  return queries.map(({ obj }) => byId.get(obj[column]) ?? null);
};

const clients = (organization, ids) => sql`
  SELECT id AS key, organization_id, id, name FROM clients
  WHERE organization_id = ${organization} AND id = ANY(${ids}::uuid[])`;

const members = (organization, ids) => sql`
  SELECT user_id AS key, user_id, full_name FROM members
  WHERE organization_id = ${organization} AND user_id = ANY(${ids}::uuid[])`;

// Without the cache, which would serialize each parent as its key; the loader itself asks once for each of them.
const loader = (load) => ({ loader: load, opts: { cache: false } });

const app = Fastify();
app.register(mercurius, {
  schema,
  resolvers: {
    Query: { projects, clients: firstClients, time_totals: timeTotals, time_activity_reports: timeActivity },
  },
  loaders: {
    Client: { projects: loader(children(projectsOfClients, "client_id")) },
    Project: {
      client: loader(referenced("client_id", clients)),
      tasks: loader(children(tasksOfProjects, "project_id")),
      members: loader(children(membersOfProjects, "project_id")),
    },
    ProjectMember: { user: loader(referenced("user_id", members)) },
  },
  context: (request) => ({ organization: request.headers["x-organization-id"] }),
  jit: 1,
});
await app.listen({ host: "127.0.0.1", port: Number(port) });
