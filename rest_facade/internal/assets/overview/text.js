// Numbers and times as text.

const number = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
const PREFIX = { exact: "", about: "about ", at_least: "at least " };

/** A number with separators of thousands. */
export function whole(value) {
  return number.format(value);
}

/** A number of rows, and how it is known: "51", "about 1.85M", "at least 1,001". */
export function rowsText({ count, precision }) {
  return PREFIX[precision] + (precision === "about" ? short.format(count) : number.format(count));
}

/** "1 request", "2 requests". */
export function plural(value, noun) {
  return `${number.format(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** How long ago a time was: "3 minutes ago". */
export function ago(time, now) {
  const seconds = Math.round((Date.parse(time) - Date.parse(now)) / 1000);
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS.at(-1);
  return relative.format(Math.trunc(seconds / length), unit);
}

/** A time in UTC: "2026-11-22 15:33:04 UTC". */
export function utc(time) {
  return `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** The time of day of a minute in UTC: "15:33". */
export function clock(time) {
  return new Date(time).toISOString().slice(11, 16);
}
