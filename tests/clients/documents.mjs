// Apollo Client and urql as teams use them, with automatic persisted queries and trusted documents.
// Run with the address, an unlimited and a limited token, an organization, and the manifest of the trusted documents.
// Prints one line for each step: its name, what was sent, and the name of the organization or the error.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ApolloClient, HttpLink, InMemoryCache, gql } from "@apollo/client/core";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { Client, fetchExchange } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";

const [address, token, limitedToken, organization, manifestFile] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(manifestFile, "utf8"));
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

// What a request names its document by: its text, a hash, an id.
let sent = [];
async function recordingFetch(url, options) {
  const isGet = (options.method ?? "GET") === "GET";
  const content = isGet ? Object.fromEntries(new URL(url).searchParams) : JSON.parse(options.body);
  const extensions = typeof content.extensions === "string" ? JSON.parse(content.extensions) : content.extensions;
  const names = [content.query && "text", extensions?.persistedQuery && "hash", content.documentId && "id"];
  sent.push(`${isGet ? "GET" : "POST"}:${names.filter(Boolean).join("+")}`);
  return fetch(url, options);
}

const headers = (key) => ({ "X-SERVICE-API-KEY": key, "X-Organization-Id": organization });

function apollo(key, options) {
  const http = new HttpLink({ uri: `${address}/graphql`, headers: headers(key), fetch: recordingFetch });
  const link = new PersistedQueryLink(options).concat(http);
  return new ApolloClient({ link, cache: new InMemoryCache(), defaultOptions: { query: { fetchPolicy: "no-cache" } } });
}

function urql(key, options) {
  const fetchOptions = { headers: headers(key) };
  const exchanges = [persistedExchange(options), fetchExchange];
  const client = new Client({ url: `${address}/graphql`, fetch: recordingFetch, fetchOptions, exchanges });
  return {
    query: async (document) => {
      const { data, error } = await client.query(document, {}).toPromise();
      if (error) throw error;
      return { data };
    },
  };
}

async function step(name, execute) {
  sent = [];
  let answer;
  try {
    answer = (await execute()).data.organization.name;
  } catch (error) {
    answer = (error.errors ?? error.graphQLErrors)?.[0]?.extensions?.code ?? `${error}`;
  }
  console.log([name, ...sent, answer].join("\t"));
}

const query = (name) => gql(`query ${name} { organization { name } }`);

const byPost = apollo(token, { sha256 });
await step("apollo-post-first", () => byPost.query({ query: query("ByPost") }));
await step("apollo-post-again", () => byPost.query({ query: query("ByPost") }));

const byGet = apollo(token, { sha256, useGETForHashedQueries: true });
await step("apollo-get-first", () => byGet.query({ query: query("ByGet") }));
await step("apollo-get-again", () => byGet.query({ query: query("ByGet") }));

// The ids of the manifest are hashes with a prefix, which the link does not send.
const generateHash = (document) => {
  const id = manifest[document.definitions[0].name.value] ?? `sha256:${sha256("unknown")}`;
  return id.slice("sha256:".length);
};
const trusted = apollo(limitedToken, { generateHash, useGETForHashedQueries: true });
await step("apollo-trusted", () => trusted.query({ query: query("Trusted") }));
await step("apollo-untrusted", () => trusted.query({ query: query("Other") }));
const limited = apollo(limitedToken, { sha256, retry: () => true });
await step("apollo-limited", () => limited.query({ query: query("Other") }));

const urqlByPost = urql(token, { preferGetForPersistedQueries: false });
await step("urql-post-first", () => urqlByPost.query(query("UrqlByPost")));
await step("urql-post-again", () => urqlByPost.query(query("UrqlByPost")));

// The default: GET for what fits into a URL.
const urqlByGet = urql(token, {});
await step("urql-get-first", () => urqlByGet.query(query("UrqlByGet")));
await step("urql-get-again", () => urqlByGet.query(query("UrqlByGet")));

const urqlTrusted = urql(limitedToken, {
  enforcePersistedQueries: true,
  generateHash: async (_, document) => generateHash(document),
});
await step("urql-trusted", () => urqlTrusted.query(query("Trusted")));
await step("urql-untrusted", () => urqlTrusted.query(query("Other")));
