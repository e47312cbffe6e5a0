// A panel as elements: chart, sums, table, and the query behind it as GraphQL, curl and CSV.
import { element } from "../overview/dom.js";
import { whole } from "../overview/text.js";

const MOST_BARS = 12;
const PAPER_WIDTH = 640;
const decimals = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const charts = new Map();
const draws = new Map();

/** The section of a panel with its answer. `go` shows another view; without it, nothing can be clicked. */
export function shownPanel(panel, { title, query, variables }, data, view, go) {
  const { rows, count, people = rows.length, sums = [] } = panel.read(data, view);
  const parts = rows.length
    ? [panel.chart ? chartOf(panel, title, rows, view, go) : null, ...sums.map((text) => element("p", {}, text)), tableOf(panel, title, rows, view, go)]
    : [element("p", { class: "none" }, "None.")];
  const more = count > people ? element("p", {}, `The first ${whole(people)} of ${whole(count)}.`) : null;
  const note = panel.note ? element("p", { class: "none" }, panel.note) : null;
  return [element("h2", {}, title), note, ...parts, more, sourcesOf(panel, title, rows, view, query, variables)];
}

function chartOf(panel, title, rows, view, go) {
  const canvas = element("canvas", { role: "img", "aria-label": `${title}: the table below has the numbers.` });
  const shown = panel.isUpright ? rows : rows.slice(0, MOST_BARS);
  const box = element("div", { class: panel.isUpright ? "upright" : "bars", "data-bars": shown.length }, canvas);
  // Chart.js measures its canvas within the page.
  draws.set(panel.operation, () => draw(canvas, panel, shown, view, go));
  requestAnimationFrame(draws.get(panel.operation));
  return box;
}

function draw(canvas, panel, rows, view, go) {
  if (!canvas.isConnected) return;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const hours = (seconds) => Math.round((seconds / 3600) * 100) / 100;
  const series = (label, name, value) => ({ label, backgroundColor: colour(name), data: rows.map((row) => hours(value(row))) });
  const axis = { stacked: true, ticks: { color: colour("--muted"), autoSkip: panel.isUpright }, grid: { color: colour("--line") } };
  const isPaper = matchMedia("print").matches;
  charts.get(panel.operation)?.destroy();
  if (!panel.isUpright) canvas.parentElement.style.height = `${rows.length * 26 + 70}px`;
  charts.set(
    panel.operation,
    new Chart(canvas, {
      type: "bar",
      data: {
        labels: rows.map(panel.chart),
        datasets: [
          series("Billable", "--timesheets", (row) => row.billable_seconds),
          series("Other", "--requests", (row) => row.tracked_seconds - row.billable_seconds),
        ],
      },
      options: {
        indexAxis: panel.isUpright ? "x" : "y",
        animation: false,
        locale: "en",
        maintainAspectRatio: false,
        // A responsive chart gets the width of the screen again in the next frame.
        responsive: !isPaper,
        scales: { x: axis, y: axis },
        plugins: { legend: { labels: { color: colour("--text") } } },
        onClick: (_, [bar]) => {
          const facet = bar && go && panel.facet(rows[bar.index], view);
          if (facet) go(facet);
        },
      },
    }),
  );
  if (isPaper) charts.get(panel.operation).resize(PAPER_WIDTH, canvas.parentElement.clientHeight);
}

/** Draw the charts again: in other colours, on paper in its width. */
export function drawCharts() {
  for (const each of draws.values()) each();
}

function tableOf({ columns, facet }, title, rows, view, go) {
  const isText = ([, value]) => typeof value(rows[0], view) === "string";
  const head = columns.map((column) => element("th", { scope: "col", class: isText(column) ? "text" : null }, column[0]));
  const body = rows.map((row) => {
    const chosen = go && facet && facet(row, view);
    return element(
      "tr",
      {},
      columns.map(([, value], index) => {
        const cell = value(row, view);
        if (typeof cell !== "string") return element("td", {}, numberText(cell));
        const day = /^\d{4}-\d\d-/.test(cell) ? " day" : "";
        if (index) return element("td", { class: `text${day}` }, cell);
        const button = chosen ? element("button", { type: "button", class: "facet" }, cell) : cell;
        if (chosen) button.addEventListener("click", () => go(chosen));
        return element("th", { scope: "row", class: day || null }, button);
      }),
    );
  });
  const table = element("table", { class: "plain" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, body));
  return element("div", { class: "scrolled", tabindex: 0, role: "region", "aria-label": title }, table);
}

function numberText({ hours, percent, number, amount }) {
  if (hours !== undefined) return hours === null ? "" : decimals.format(hours);
  if (percent !== undefined) return percent === null ? "" : `${percent} %`;
  return amount ?? whole(number);
}

function sourcesOf(panel, title, rows, view, query, variables) {
  const request = JSON.stringify({ query, variables });
  const curl = [
    `curl '${location.protocol === "file:" ? "http://127.0.0.1:8001/graphql" : new URL("graphql", location)}' -H 'Content-Type: application/json' \\`,
    `  -H "X-SERVICE-API-KEY: $TOKEN" -H 'X-Organization-Id: ${view.organization}' --data-binary @- <<'JSON'`,
    request,
    "JSON",
  ];
  const download = element("a", { download: `${title}.csv`, href: "#" }, "CSV");
  download.addEventListener("click", () => {
    // Excel reads UTF-8 where the file begins with this mark.
    download.href = URL.createObjectURL(new Blob(["\ufeff", csvOf(panel, rows, view)], { type: "text/csv" }));
    setTimeout(() => URL.revokeObjectURL(download.href), 10_000);
  });
  const folded = (name, text) => element("details", {}, element("summary", {}, name), element("pre", { tabindex: 0 }, text));
  const asked = `${query.trim()}\n\n${JSON.stringify(variables, null, 2)}`;
  return element("div", { class: "sources" }, rows.length ? download : null, folded("As GraphQL", asked), folded("As curl", curl.join("\n")));
}

function csvOf({ columns }, rows, view) {
  const plain = (cell) => {
    if (typeof cell !== "string") return String(cell.hours?.toFixed(4) ?? cell.amount ?? cell.percent ?? cell.number ?? "");
    // A spreadsheet would calculate such a text.
    const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => columns.map(([, value]) => plain(value(row, view))).join(","));
  return [columns.map(([name]) => name).join(","), ...lines, ""].join("\r\n");
}
