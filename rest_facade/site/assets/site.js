// The documentation: search over an index, tabs of samples, and a closed list of pages on a narrow screen.

const LANGUAGES = { bash: "curl", python: "Python", typescript: "TypeScript" };
const MOST_FOUND = 12;
const EXCERPT = 160;

const field = document.querySelector("#search");
const found = document.querySelector("#found");
let index;

/** How well a section matches: words in its title count more; 0 if a word is nowhere. */
function score(section, words) {
  let sum = 0;
  for (const word of words) {
    const inTitle = section.title.toLowerCase().includes(word);
    const inText = section.text.toLowerCase().includes(word);
    const inPage = section.of.toLowerCase().includes(word);
    if (!inTitle && !inText && !inPage) return 0;
    sum += (inTitle ? 10 : 0) + (inPage ? 3 : 0) + (inText ? 1 : 0);
  }
  return sum;
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
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  if (found.hidden) return;
  index ??= await (await fetch("search.json")).json();
  const best = index
    .map((section) => [score(section, words), section])
    .filter(([points]) => points > 0)
    .sort(([a], [b]) => b - a)
    .slice(0, MOST_FOUND);
  const nothing = document.createElement("p");
  nothing.textContent = "Nothing found.";
  found.replaceChildren(...(best.length ? best.map(([, section]) => result(section, words)) : [nothing]));
}

function close() {
  field.value = "";
  found.hidden = true;
}

field.addEventListener("input", search);
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

makeTabs();
if (matchMedia("(max-width: 48rem)").matches) document.querySelector(".navigation").open = false;
