// The GraphQL explorer. Token and organization are kept for the tab, never longer.
import { GraphiQL, React, createRoot } from "./graphiql/graphiql.js";

globalThis.MonacoEnvironment = {
  getWorker(id, label) {
    const name = ["json", "graphql"].includes(label) ? label : "editor";
    return new Worker(new URL(`graphiql/${name}.worker.js`, import.meta.url));
  },
};

const day = (ago) => new Date(Date.now() - ago * 86400000).toISOString().slice(0, 10);
const week = JSON.stringify({ start_date: day(7), end_date: day(0) }, null, 2);

const EXAMPLES = [
  {
    query: `# People, and what they work on.
query MembersAndProjects {
  members(limit: 5) {
    count
    results {
      full_name
      role
      projects(limit: 3) {
        results { name client_name }
      }
    }
  }
}
`,
  },
  {
    query: `# Clients, their projects, and who is on each.
query ClientsProjectsPeople {
  clients(limit: 3, is_active: true) {
    results {
      name
      projects(limit: 3) {
        results {
          name
          status
          members(limit: 5) {
            results { role user { full_name } }
          }
        }
      }
    }
  }
}
`,
  },
  {
    query: `# Where the time of last week went. The days are variables, below.
query WhereTimeWent($start_date: Date!, $end_date: Date!) {
  time_activity_reports(start_date: $start_date, end_date: $end_date, limit: 5) {
    results {
      user { full_name }
      tracked_seconds
      activity_percent
      days {
        date
        entries { project_name task_name tracked_seconds }
      }
    }
  }
}
`,
    variables: week,
  },
];

const fields = ["token", "organization"].map((name) => document.getElementById(name));
const root = createRoot(document.getElementById("graphiql"));

async function ask({ query, variables, operationName }) {
  // For a moment after another tab was chosen, GraphiQL still says the name of the operation before.
  const named = new RegExp(`\\b${operationName}\\b`).test(query) ? { operationName } : {};
  const [token, organization] = fields.map((field) => field.value.trim());
  const response = await fetch("graphql", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-SERVICE-API-KEY": token,
      "X-Organization-Id": organization,
    },
    body: JSON.stringify({ query, variables, ...named }),
  });
  return response.json();
}

function show() {
  const isKnown = fields.every((field) => field.value.trim());
  root.render(
    React.createElement(GraphiQL, {
      // Another caller may see another schema, so everything starts anew.
      key: fields.map((field) => field.value).join(" "),
      fetcher: ask,
      defaultTabs: EXAMPLES,
      // Without a caller there is nobody to ask for the schema.
      ...(isKnown ? {} : { schema: null }),
    }),
  );
}

for (const field of fields) {
  field.value = sessionStorage.getItem(field.id) ?? "";
  field.addEventListener("change", () => {
    sessionStorage.setItem(field.id, field.value.trim());
    show();
  });
}
document.getElementById("caller").addEventListener("submit", (event) => event.preventDefault());
show();
