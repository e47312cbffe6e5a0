// Calendar days as text: "2026-11-27".

const DAY_MS = 86_400_000;

/** The day that is `days` after another. */
export function dayAfter(day, days) {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The days from one day to another; negative if that is earlier. */
export function daysBetween(from, to) {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

/** The day of a time in a zone. */
export function dayIn(timeZone, time) {
  // Sweden writes days as ISO 8601 does.
  return new Intl.DateTimeFormat("sv-SE", { timeZone }).format(new Date(time));
}
