// Over the types that openapi-typescript generates: walk pages, wait for the quota, poll for changes.
import createClient from "openapi-fetch";
import type { paths } from "./types.js";

const OVERLAP = 60_000; // Transactions become visible up to a minute after the time of their change.

/** Sends a request, and again after as many seconds as the service asks for (429 and 503). Throws other errors. */
async function send(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request.clone());
    if (response.ok) return response;
    if (![429, 503].includes(response.status)) throw new Error(`${response.status}: ${await response.text()}`);
    const seconds = Number(response.headers.get("Retry-After") ?? 5) + Math.random();
    await new Promise((wake) => setTimeout(wake, seconds * 1000));
  }
}

export const connect = (baseUrl: string, key: string) =>
  createClient<paths>({ baseUrl, headers: { "X-SERVICE-API-KEY": key }, fetch: send });

type Body<Row> = { results: Row[]; next?: string | null; pagination?: { has_more: boolean; next_cursor: string | null } };
type Page<Row> = { data?: Body<Row>; response: Response };
type Position = { page?: number; after?: string; cursor?: string };

/** All rows of a list, and the earliest X-Data-As-Of. `read` requests one page. */
export async function walk<Row>(read: (position: Position) => Promise<Page<Row>>) {
  const rows: Row[] = [];
  const moments: (string | null)[] = [];
  for (let position: Position | null = {}; position !== null; ) {
    const { data, response }: Page<Row> = await read(position);
    rows.push(...data!.results);
    moments.push(response.headers.get("X-Data-As-Of"));
    const next: URLSearchParams | null = data!.next ? new URL(data!.next).searchParams : null;
    if (next !== null) position = { page: Number(next.get("page")), after: next.get("after")! };
    else position = data!.pagination?.has_more ? { cursor: data!.pagination.next_cursor! } : null;
  }
  return { rows, asOf: moments.includes(null) ? null : (moments.sort()[0] ?? null) };
}

/** The `updated_since` of the next poll; a walk of unknown age repeats the present one. */
export function nextSince(asOf: string | null, since?: string): string | undefined {
  return asOf === null ? since : new Date(Date.parse(asOf) - OVERLAP).toISOString();
}
