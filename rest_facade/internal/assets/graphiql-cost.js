// The cost of the response below its text, as shares of the limits.
import { GraphiQL, React, useGraphiQL } from "./graphiql/graphiql.js";

const element = React.createElement;
const number = new Intl.NumberFormat("en");

/** The footer of GraphiQL, which must be its direct child. */
export function costFooter() {
  return element(GraphiQL.Footer, null, element(Cost));
}

function Cost() {
  const response = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.response);
  const cost = React.useMemo(() => costOf(response), [response]);
  if (!cost) return element("p", { className: "cost" }, "The cost of a query appears here after it ran.");
  const { estimate, maximum, points, actual } = cost;
  const notes = [
    estimate.largest && `Most rows: ${estimate.largest.field} (${number.format(estimate.largest.rows)})`,
    actual && `${count(actual.statements, "statement")} in ${count(actual.round_trips, "round trip")}`,
    actual && `${number.format(actual.database_ms)} ms waiting for the database`,
    points && `${count(points.charged, "point")}, ${number.format(points.remaining)} left in this window`,
    actual ? null : "Not executed",
  ];
  return element(
    "section",
    { "aria-label": "Cost", className: "cost" },
    element(
      "div",
      { className: "cost-meters" },
      element(Meter, { name: "Estimated rows", value: estimate.rows, limit: maximum.rows }),
      element(Meter, { name: "Levels", value: estimate.depth, limit: maximum.depth }),
      actual && element(Meter, { name: "Objects", value: actual.objects, limit: maximum.objects }),
      actual && element(Meter, { name: "KB", value: actual.bytes / 1024, limit: maximum.bytes / 1024 }),
    ),
    element("p", null, notes.filter(Boolean).join(" · ")),
  );
}

function Meter({ name, value, limit }) {
  const rounded = value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
  const text = `${number.format(rounded)} of ${number.format(limit)}`;
  const share = Math.min(1, value / limit);
  const state = value > limit ? "over" : share > 0.8 ? "near" : "within";
  return element(
    "div",
    { className: `cost-meter ${state}` },
    element("span", null, name),
    element("strong", null, text),
    element(
      "div",
      {
        role: "meter",
        "aria-label": name,
        "aria-valuemin": 0,
        "aria-valuemax": limit,
        "aria-valuenow": Math.min(value, limit),
        "aria-valuetext": text,
      },
      element("div", { style: { width: `${100 * share}%` } }),
    ),
  );
}

function count(value, noun) {
  return `${number.format(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** `extensions.cost` of a response; undefined if it has none. */
function costOf(response) {
  try {
    return JSON.parse(response)?.extensions?.cost;
  } catch {
    // What is no JSON is a message of GraphiQL.
    return undefined;
  }
}
