/**
 * What the pages of the reference do where scripts run: search, remember the language of the code, and send requests with the
 * key of a sandbox. Everything else works without it. It writes texts only, never HTML.
 */
export const script = String.raw`"use strict";
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const stored = (storage, name, value) => {
  try {
    if (value === undefined) return storage.getItem(name) ?? "";
    storage.setItem(name, value);
  } catch {
    // Browsers may keep nothing for us.
  }
  return "";
};

let index;
const loadIndex = () => {
  index ??= fetch("/docs/search.txt").then((answer) => answer.json());
  return index;
};

// Operations and schemas had places on the first page before each area had a page.
const followMoved = async () => {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id === "" || document.getElementById(id) !== null) return;
  const entry = (await loadIndex()).find(({ href }) => href.endsWith("#" + id));
  if (entry !== undefined) location.replace(entry.href);
};
addEventListener("hashchange", () => void followMoved());
void followMoved();

const search = document.querySelector(".search");
const field = search.querySelector("input");
const results = search.querySelector("ul");
const status = search.querySelector("[role=status]");
search.hidden = false;
const find = async () => {
  const asked = field.value;
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const hasAll = (text) => words.every((word) => text.toLowerCase().includes(word));
  let entries;
  try {
    entries = words.length === 0 ? [] : await loadIndex();
  } catch {
    index = undefined;
    status.textContent = "Search is not available. Check the connection and try again.";
    return;
  }
  // An answer to what was typed before must not replace a later one.
  if (asked !== field.value) return;
  // What has the words in its title comes first.
  const all = entries.filter(({ text }) => hasAll(text));
  const found = [...all.filter(({ title }) => hasAll(title)), ...all.filter(({ title }) => !hasAll(title))];
  results.scrollTop = 0;
  results.replaceChildren(
    ...found.slice(0, 25).map(({ href, title, place }) =>
      element("li", {}, element("a", { href }, title, element("br"), element("small", {}, place))),
    ),
  );
  status.textContent = words.length === 0 ? "" : found.length === 1 ? "1 result" : found.length + " results";
};
field.addEventListener("focus", () => void loadIndex().catch(() => (index = undefined)));
field.addEventListener("input", () => void find());
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea")) return;
  event.preventDefault();
  field.focus();
});

const menu = document.querySelector(".menu");
const isWide = matchMedia("(min-width: 60.01rem)");
const fold = () => (menu.open = isWide.matches);
isWide.addEventListener("change", fold);
fold();

// Browsers lend their clipboard to secure pages only; elsewhere the selection is copied.
const copy = async (code) => {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return document.execCommand("copy");
  }
};
const copied = element("p", { className: "skip", role: "status" });
document.body.append(copied);
const offerCopy = (block) => {
  const button = element("button", { type: "button", className: "copy", ariaLabel: "Copy " + (block.getAttribute("aria-label") ?? "code") }, "Copy");
  button.addEventListener("click", async () => {
    const isCopied = await copy(block.firstElementChild);
    button.textContent = isCopied ? "Copied" : "Press Ctrl+C";
    copied.textContent = isCopied ? "Copied" : "The code is selected. Press Ctrl+C to copy it.";
    setTimeout(() => {
      button.textContent = "Copy";
      copied.textContent = "";
    }, 3_000);
  });
  const frame = element("div", { className: "code" });
  block.replaceWith(frame);
  frame.append(block, button);
};
for (const block of document.querySelectorAll("pre")) offerCopy(block);

for (const choice of document.querySelectorAll(".languages input")) {
  if (choice.value === stored(localStorage, "assent-docs-language")) choice.checked = true;
  choice.addEventListener("change", () => stored(localStorage, "assent-docs-language", choice.value));
}

const keyName = "assent-docs-key";
const sandboxOnly = "Use an API key of a sandbox organization, which starts with ak_test_. npm start prints one.";
const tryOut = ({ method, address, headers, body }) => {
  const key = element("input", { type: "password", autocomplete: "off", value: stored(sessionStorage, keyName) });
  const path = element("input", { value: address, spellcheck: false });
  const inputs = Object.entries(headers).map(([name, value]) => [name, element("input", { value })]);
  const text = body === undefined ? undefined : element("textarea", { rows: 10, value: JSON.stringify(body, null, 2), spellcheck: false });
  const problem = element("p", { className: "problem", role: "alert" });
  const state = element("p", { role: "status" });
  const shown = element("code");
  const answer = element("pre", { tabIndex: 0, hidden: true, ariaLabel: "Response" }, shown);
  const form = element(
    "form",
    {},
    element("label", {}, "Sandbox API key", key),
    element("label", {}, method, path),
    ...inputs.map(([name, input]) => element("label", {}, name, input)),
    ...(text === undefined ? [] : [element("label", {}, "Body", text)]),
    element("button", { type: "submit" }, "Send request"),
    problem,
    state,
    answer,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    state.textContent = "";
    answer.hidden = true;
    const wanted = key.value.trim();
    if (!wanted.startsWith("ak_test_")) {
      problem.textContent = sandboxOnly;
      key.focus();
      return;
    }
    if (!path.value.startsWith("/") || path.value.startsWith("//")) {
      problem.textContent = "Enter a path that starts with a single slash.";
      path.focus();
      return;
    }
    stored(sessionStorage, keyName, wanted);
    try {
      const response = await fetch(path.value, {
        method,
        credentials: "omit",
        cache: "no-store",
        headers: {
          Authorization: "Bearer " + wanted,
          ...Object.fromEntries(inputs.map(([name, input]) => [name, input.value])),
          ...(text === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(text === undefined ? {} : { body: text.value }),
      });
      state.textContent = "Status " + response.status;
      const type = response.headers.get("content-type") ?? "";
      const received = /json|text|xml/.test(type) ? await response.text() : (await response.arrayBuffer()).byteLength + " bytes of " + type;
      shown.textContent = type.includes("application/json") ? JSON.stringify(JSON.parse(received), null, 2) : received;
      answer.hidden = received === "";
    } catch {
      problem.textContent = "No response. Check your connection and try again.";
    }
  });
  return form;
};
for (const request of document.querySelectorAll("script.request")) {
  const button = element("button", { type: "button", ariaExpanded: "false" }, "Try it");
  const box = element("div", { className: "tryout" }, button);
  let form;
  button.addEventListener("click", () => {
    if (form === undefined) {
      form = tryOut(JSON.parse(request.textContent));
      box.append(form);
    } else form.hidden = !form.hidden;
    button.ariaExpanded = String(!form.hidden);
    if (!form.hidden) form.querySelector("input").focus();
  });
  request.replaceWith(box);
}
`;
