// Small charts as SVG. Each has a title and a description; the numbers stand beside it as text.
import { shape } from "./dom.js";
import { clock, plural, rowsText } from "./text.js";

let charts = 0;

/** An image of SVG with a title and a description. */
function chart(className, width, height, title, description, ...parts) {
  charts += 1;
  const [titleId, descriptionId] = [`chart-title-${charts}`, `chart-description-${charts}`];
  return shape(
    "svg",
    {
      class: `chart ${className}`,
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-labelledby": titleId,
      "aria-describedby": descriptionId,
    },
    shape("title", { id: titleId }, title),
    shape("desc", { id: descriptionId }, description),
    parts,
  );
}

/** Requests by minute as bars; the lower part of a bar, in another colour, was refused. */
export function requestsChart(minutes, requests, refused) {
  const [width, height, gap] = [150, 28, 2];
  const step = width / minutes.length;
  const most = Math.max(1, ...requests);
  const bars = minutes.flatMap((_, index) => {
    const tall = (value) => (value ? Math.max(2, (height * value) / most) : 0);
    const [all, bad] = [tall(requests[index]), tall(refused[index])];
    const bar = (className, y, tallness) =>
      shape("rect", { class: className, x: index * step, y, width: step - gap, height: tallness });
    return [
      bar("track", height - 1, 1),
      all ? bar("requests", height - all, all) : null,
      bad ? bar("refused", height - bad, bad) : null,
    ];
  });
  const described = minutes
    .map((minute, index) => [minute, requests[index], refused[index]])
    .filter(([, count]) => count)
    .map(([minute, count, bad]) => `${clock(minute)}: ${plural(count, "request")}, ${bad} refused`)
    .join("; ");
  return chart("requests-chart", width, height, "Requests by minute", described || "No requests.", bars);
}

/** The rows of each area as parts of one bar. */
export function areasChart(areas) {
  const width = 150;
  const sum = areas.reduce((total, { rows }) => total + rows.count, 0);
  let x = 0;
  const parts = areas.map(({ area, rows }) => {
    const length = sum ? (width * rows.count) / sum : 0;
    const part = shape("rect", { class: `area-${area}`, x, y: 0, width: length, height: 8 });
    x += length;
    return part;
  });
  const described = areas.map(({ title, rows }) => `${title}: ${rowsText(rows)}`).join("; ");
  return chart("areas-chart", width, 8, "Rows by area", described, shape("rect", { class: "track", width, height: 8 }), parts);
}
