// The caches of the guide, with documents of two paths to the same people: run with the address, a token, an organization.
// What stands below this is of the guide; here it finds its names. Prints what the caches know, as JSON.
import { readFileSync } from "node:fs";
import { InMemoryCache as ApolloCache, gql } from "@apollo/client/core";
import { Client, fetchExchange } from "@urql/core";
import { cacheExchange as graphcache } from "@urql/exchange-graphcache";

const [address, token, organization] = process.argv.slice(2);
const headers = { "Content-Type": "application/json", "X-SERVICE-API-KEY": token, "X-Organization-Id": organization };
const caches = {};
const cacheExchange = (options) => (caches.urql = graphcache(options));
class InMemoryCache extends ApolloCache {
  constructor(options) {
    super(options);
    caches.apollo = this;
  }
}
const schema = JSON.parse(readFileSync("schema.json", "utf8"));
/* GUIDE */
const documents = readFileSync("documents.graphql", "utf8").trim().split("\n\n");
const warnings = [];
console.warn = console.error = (text) => warnings.push(text);

const client = new Client({
  url: `${address}/graphql`,
  fetchOptions: { headers },
  exchanges: [caches.urql, fetchExchange],
  preferGetMethod: false,
});
const cached = [];
for (const document of documents) {
  const { data, error } = await client.query(document, {}).toPromise();
  if (error) throw error;
  caches.apollo.writeQuery({ query: gql(document), data });
  const again = await client.query(document, {}, { requestPolicy: "cache-only" }).toPromise();
  cached.push(again.data !== null && again.data !== undefined);
}
const objects = caches.apollo.extract();
const people = Object.values(objects).filter((each) => each.__typename === "Member");
const complete = people.filter((each) => each.full_name && "job_title" in each).length;
const found = caches.apollo.readQuery({ query: gql(documents[0]) });
const unnamed = Object.keys(objects).filter((key) => !/^(ROOT_QUERY|__META|\w+:[0-9a-f-]{36})$/.test(key));
console.log(JSON.stringify({ warnings, cached, people: people.length, complete, unnamed, rows: found.members.results.length }));
