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
  type Client { id: ID! name: String! }
  type Project {
    id: ID! name: String! code: String description: String status: String! is_billable: Boolean! currency: String!
    start_date: String created_at: String! updated_at: String! client: Client
  }
  type Page { count: Int! results: [Project!]! }
  type Query { projects(organization_id: ID!, limit: Int!, offset: Int!): Page! }
`;

// One statement yields the total and the page, and a row also where the page has none.
const projects = async (_, { organization_id, limit, offset }) => {
  const rows = await sql`
    SELECT t.count, p.* FROM (
      SELECT count(*)::int FROM projects WHERE organization_id = ${organization_id} AND deleted_at IS NULL) t
    LEFT JOIN (
      SELECT organization_id, id, client_id, name, code, description, status, is_billable, currency, start_date,
             created_at, updated_at
      FROM projects WHERE organization_id = ${organization_id} AND deleted_at IS NULL
      ORDER BY created_at, id LIMIT ${limit} OFFSET ${offset}) p ON true
    ORDER BY p.created_at, p.id`;
  return { count: rows[0].count, results: rows[0].id === null ? [] : rows };
};

const clients = async (queries) => {
  const ids = [...new Set(queries.map(({ obj }) => obj.client_id))].filter((id) => id !== null);
  const rows = await sql`
    SELECT id, name FROM clients WHERE organization_id = ${queries[0].obj.organization_id} AND id = ANY(${ids}::uuid[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return queries.map(({ obj }) => byId.get(obj.client_id) ?? null);
};

const app = Fastify();
app.register(mercurius, {
  schema,
  resolvers: { Query: { projects } },
  // Without the cache, which would serialize each project as its key; the loader itself asks once for each client.
  loaders: { Project: { client: { loader: clients, opts: { cache: false } } } },
  jit: 1,
});
await app.listen({ host: "127.0.0.1", port: Number(port) });
