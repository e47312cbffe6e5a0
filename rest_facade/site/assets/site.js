// The documentation: search over an index, tabs of samples, code that can be copied or saved, and lists of links that are
// closed on a narrow screen.
import MiniSearch from "./minisearch.js";

const LANGUAGES = { bash: "curl", python: "Python", typescript: "TypeScript" };
const MOST_FOUND = 12;
const EXCERPT = 160;
// Words of readers, and those of the pages.
const SYNONYMS = {
  __proto__: null,
  absence: ["leave"], absent: ["leave"], attendance: ["clockinout"], bi: ["warehouse"], breaking: ["upgrading"], changed: ["updated_since"],
  chatgpt: ["agent"], claude: ["agent"],
  contractor: ["member"], csv: ["warehouse"], deleted: ["include_deleted", "polling"], delta: ["polling"], employee: ["member"],
  employees: ["members"], excel: ["warehouse"], holiday: ["leave"], hours: ["listtimeactivityreport"], incremental: ["polling"], llm: ["agent"],
  mcp: ["agents"], outstanding: ["overdue"], overtime: ["payroll", "paying"], pagination: ["pages"], paging: ["pages"],
  payroll: ["paying"], pto: ["leave"], rate: ["quota", "limits"], salary: ["payment"], sdk: ["client"], spreadsheet: ["warehouse"], staff: ["members"],
  sync: ["synchronization"], throttle: ["quota"], token: ["key"], unpaid: ["overdue"], updated_since: ["polling"], user: ["member"],
  users: ["members"], vacation: ["leave"], version: ["upgrading"], wages: ["payroll"], webhook: ["polling"],
  webhooks: ["polling"], website: ["url"], websites: ["url"], working: ["running"],
};
const OPTIONS = { prefix: true, fuzzy: (word) => (word.length > 4 ? 0.3 : false), boost: { title: 6, of: 3 } };

const field = document.querySelector("#search");
const found = document.querySelector("#found");
let opening;

async function opened() {
  // "listMembers" and "updated_since" are found by their parts, too.
  const parts = (text) => [text, ...text.replace(/([a-z])([A-Z])/g, "$1 $2").split(/[^\p{L}\p{N}]+/u)];
  const tokenize = (text) => text.split(/[^\p{L}\p{N}_]+/u).flatMap(parts);
  const made = new MiniSearch({ fields: ["title", "of", "text"], storeFields: ["title", "of", "text", "page", "anchor"], tokenize });
  const sections = await (await fetch("search.json")).json();
  made.addAll(sections.map((section, id) => ({ ...section, id })));
  return made;
}

/** Sections that have one of the words or a synonym of it, the best first; those that have all count half as much again. */
function best(index, words) {
  const queries = words.map((word) => ({ combineWith: "OR", queries: [word, ...(SYNONYMS[word] ?? [])] }));
  const ids = new Set(index.search({ combineWith: "AND", queries }, OPTIONS).map(({ id }) => id));
  const scored = index.search({ combineWith: "OR", queries }, OPTIONS);
  const score = (section) => section.score * (ids.has(section.id) ? 1.5 : 1);
  return scored.sort((a, b) => score(b) - score(a)).slice(0, MOST_FOUND);
}

function excerpt(text, words) {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - EXCERPT / 4);
  return (at > 0 ? "... " : "") + text.slice(at, at + EXCERPT);
}

function result(section, words) {
  const link = document.createElement("a");
  link.href = section.page + (section.anchor ? `#${section.anchor}` : "");
  const title = document.createElement("strong");
  title.textContent = section.title;
  const page = document.createElement("small");
  page.textContent = section.anchor ? ` ${section.of}` : "";
  const text = document.createElement("p");
  text.textContent = excerpt(section.text, words);
  link.append(title, page, text);
  return link;
}

async function search() {
  const index = await (opening ??= opened().catch(() => (opening = null)));
  if (!index) return;
  const words = field.value.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
  found.hidden = words.length === 0;
  if (found.hidden) return;
  const sections = best(index, words);
  const nothing = document.createElement("p");
  nothing.textContent = "Nothing found.";
  found.replaceChildren(...(sections.length ? sections.map((section) => result(section, words)) : [nothing]));
}

function close() {
  field.value = "";
  found.hidden = true;
}

field.addEventListener("input", search);
// A reader may type before this module runs, and a browser fills a field again when a page is gone back to.
if (field.value) search();
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Enter" && document.activeElement === field) found.querySelector("a")?.click();
});
found.addEventListener("click", (event) => {
  if (event.target.closest("a")) close();
});

/** The language that the reader chose, in all samples of the page and of the next one. */
function choose(language) {
  sessionStorage.setItem("language", language);
  for (const group of document.querySelectorAll(".samples")) {
    const tabs = [...group.querySelectorAll("[role=tab]")];
    const chosen = tabs.find((tab) => tab.dataset.language === language) ?? tabs[0];
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  }
}

function move(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const tabs = [...event.target.parentElement.children];
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  choose(next.dataset.language);
  next.focus();
}

/** Code blocks that follow each other are one sample in several languages. */
function makeTabs() {
  let number = 0;
  for (const first of document.querySelectorAll("pre:has(> code[class^=language-])")) {
    if (first.closest(".samples")) continue;
    const blocks = [first];
    while (blocks.at(-1).nextElementSibling?.matches("pre:has(> code[class^=language-])")) {
      blocks.push(blocks.at(-1).nextElementSibling);
    }
    if (blocks.length < 2) continue;
    const group = document.createElement("div");
    const tabs = document.createElement("div");
    group.className = "samples";
    tabs.setAttribute("role", "tablist");
    tabs.addEventListener("keydown", move);
    first.before(group);
    group.append(tabs, ...blocks);
    for (const block of blocks) {
      const language = block.firstElementChild.className.replace("language-", "");
      const tab = document.createElement("button");
      block.id = `sample-${(number += 1)}`;
      block.setAttribute("role", "tabpanel");
      tab.type = "button";
      tab.dataset.language = language;
      tab.textContent = LANGUAGES[language] ?? language;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", block.id);
      tab.addEventListener("click", () => choose(language));
      tabs.append(tab);
    }
  }
  choose(sessionStorage.getItem("language") ?? "bash");
}

/** Buttons at a block of code: to copy it, and to save it where the text above it ends with a name of a file. */
function addTools(block) {
  const text = block.textContent;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = "Copied";
  });
  const tools = document.createElement("div");
  tools.className = "tools";
  // Pages over plain HTTP have no clipboard.
  if (navigator.clipboard) tools.append(copy);
  const name = /\*?([\w.-]+\.\w+)\*?:$/.exec(block.previousElementSibling?.textContent ?? "")?.[1];
  if (name && block.previousElementSibling.querySelector("strong")?.textContent === name) {
    const save = document.createElement("a");
    save.download = name;
    save.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    save.textContent = `Save ${name}`;
    tools.append(save);
    block.classList.add("whole");
  }
  block.append(tools);
}

/** A list of links is closed where the screen has no column for it. */
function foldWhere(list, width) {
  const details = document.querySelector(list);
  const narrow = matchMedia(width);
  const fold = () => details && (details.open = !narrow.matches);
  narrow.addEventListener("change", fold);
  fold();
}

document.querySelectorAll("main pre").forEach(addTools);
makeTabs();
foldWhere(".navigation", "(max-width: 48rem)");
foldWhere(".contents", "(max-width: 75rem)");
