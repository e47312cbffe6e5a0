// With the client of hey-api: prints the ids of the tasks that changed since a day.
import { client } from "./generated/client.gen.js";
import { listTasks } from "./generated/sdk.gen.js";

declare const process: { argv: string[] };
const [baseUrl, key, updated_since] = process.argv.slice(2);
client.setConfig({ baseUrl, headers: { "X-SERVICE-API-KEY": key! } });
const { data } = await listTasks({ query: { updated_since, limit: 100 }, throwOnError: true });
console.log(data.results.map((task) => task.id).join(" "));
