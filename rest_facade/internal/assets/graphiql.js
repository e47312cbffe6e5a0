// The GraphQL explorer. Token and organization are kept for the tab, never longer.
import { keep, kept } from "./caller.js";
import { costFooter } from "./graphiql-cost.js";
import { examplesPlugin } from "./graphiql-examples.js";
import { GraphiQL, HISTORY_PLUGIN, React, createRoot } from "./graphiql/graphiql.js";

globalThis.MonacoEnvironment = {
  getWorker(id, label) {
    const name = ["json", "graphql"].includes(label) ? label : "editor";
    return new Worker(new URL(`graphiql/${name}.worker.js`, import.meta.url));
  },
};

// The query gets 60 % of the width until the reader moves the bar, whose place GraphiQL keeps under this name.
const WIDTH = "graphiql:editorFlex";
if (localStorage.getItem(WIDTH) === null) localStorage.setItem(WIDTH, "1.5");

const areas = await (await fetch("graphql-examples.json")).json();
const plugin = examplesPlugin(areas);
const fields = ["token", "organization"].map((name) => document.getElementById(name));
const root = createRoot(document.getElementById("graphiql"));

async function ask({ query, variables, operationName }) {
  // For a moment after another tab or example was chosen, GraphiQL still says the name of the operation before.
  const named = new RegExp(`\\b${operationName}\\b`).test(query) ? { operationName } : {};
  const [token, organization] = fields.map((field) => field.value.trim());
  const response = await fetch("graphql", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-SERVICE-API-KEY": token,
      "X-Organization-Id": organization,
    },
    body: JSON.stringify({ query, variables, ...named, extensions: { cost: true } }),
  });
  return response.json();
}

function show() {
  const isKnown = fields.every((field) => field.value.trim());
  document.getElementById("hint").hidden = isKnown;
  root.render(
    React.createElement(
      GraphiQL,
      {
        // Another caller may see another schema, so everything starts anew.
        key: fields.map((field) => field.value).join(" "),
        fetcher: ask,
        defaultTabs: [plugin.first],
        defaultEditorToolsVisibility: "variables",
        isHeadersEditorEnabled: false,
        plugins: [plugin, HISTORY_PLUGIN],
        visiblePlugin: plugin,
        // Without a caller there is nobody to ask for the schema.
        ...(isKnown ? {} : { schema: null }),
      },
      costFooter(),
    ),
  );
}

for (const field of fields) {
  field.value = kept(field.id);
  field.addEventListener("change", () => {
    keep(field.id, field.value);
    show();
  });
}
document.getElementById("caller").addEventListener("submit", (event) => event.preventDefault());
show();
