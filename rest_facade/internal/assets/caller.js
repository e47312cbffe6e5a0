// Token and organization, kept for the tab, never longer. An address may bring them behind #, which no server receives:
// `make demo` prints one.
const FIELDS = ["token", "organization"];

const given = new URLSearchParams(location.hash.slice(1));
for (const name of FIELDS.filter((name) => given.has(name))) sessionStorage.setItem(name, given.get(name));
if (FIELDS.some((name) => given.has(name))) history.replaceState(null, "", location.pathname + location.search);
// Such an address may be opened where its page is shown already.
addEventListener("hashchange", () => location.reload());

/** The kept value of a field, or an empty text. */
export function kept(name) {
  return sessionStorage.getItem(name) ?? "";
}

/** Keep the value of a field. */
export function keep(name, value) {
  sessionStorage.setItem(name, value.trim());
}
