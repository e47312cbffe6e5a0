// With the client of orval: prints the ids of the tasks that changed since a day.
import { listTasks } from "./generated/client.js";

declare const process: { argv: string[] };
const [, key, updated_since] = process.argv.slice(2);
const response = await listTasks({ updated_since, limit: 100 }, { headers: { "X-SERVICE-API-KEY": key! } });
if (response.status !== 200) throw new Error(JSON.stringify(response.data));
console.log(response.data.results.map((task) => task.id).join(" "));
