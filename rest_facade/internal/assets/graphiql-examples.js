// The list of example queries beside the editor of GraphiQL.
import { React, useGraphiQL, useGraphiQLActions } from "./graphiql/graphiql.js";

const element = React.createElement;

/** A plugin of GraphiQL that shows the examples of `areas`; `first` is the tab that a new visitor sees. */
export function examplesPlugin(areas) {
  const queries = new Set(areas.flatMap(({ examples }) => examples.map(({ query }) => query)));
  return {
    title: "Examples",
    icon: Icon,
    content: () => element(Examples, { areas, queries }),
    first: tabOf(areas[0].examples[0]),
  };
}

function tabOf({ query, variables }) {
  return { query, variables: Object.keys(variables).length ? JSON.stringify(variables, null, 2) : "" };
}

function Examples({ areas, queries }) {
  const { addTab, updateActiveTabValues } = useGraphiQLActions();
  const { queryEditor, responseEditor, variableEditor } = useGraphiQL((state) => state);
  const shown = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.query);

  function open(example) {
    const current = queryEditor.getValue();
    // An example replaces another one; what was written by hand stays in its tab.
    if (current.trim() && !queries.has(current)) addTab();
    const tab = tabOf(example);
    queryEditor.setValue(tab.query);
    variableEditor.setValue(tab.variables);
    responseEditor.setValue("");
    updateActiveTabValues({ ...tab, response: null });
  }

  return element(
    "section",
    { "aria-label": "Examples", className: "examples" },
    element("h2", null, "Examples"),
    areas.map(({ area, examples }) =>
      element(
        React.Fragment,
        { key: area },
        element("h3", null, area),
        element(
          "ul",
          null,
          examples.map((example) =>
            element(
              "li",
              { key: example.title },
              element(
                "button",
                {
                  type: "button",
                  "aria-current": example.query === shown,
                  onClick: () => open(example),
                },
                example.title,
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function Icon() {
  return element(
    "svg",
    { viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", strokeWidth: 1.5, strokeLinecap: "round" },
    element("path", { d: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" }),
  );
}
