// With the client of openapi-generator (typescript-axios): prints the ids of the tasks that changed since a day.
import { Configuration, WorkApi } from "./generated/index.js";

declare const process: { argv: string[] };
const [basePath, apiKey, updatedSince] = process.argv.slice(2);
const work = new WorkApi(new Configuration({ basePath, apiKey }));
const { data } = await work.listTasks({ updatedSince, limit: 100 });
console.log(data.results.map((task) => task.id).join(" "));
