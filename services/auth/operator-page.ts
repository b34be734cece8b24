import { createHash } from "node:crypto";
import type { RequestHandler } from "express";

/**
 * The page of those who run the installation, at the root of the admin port: all organizations, how much they use, who is
 * busy now, and whether they may change anything. It calls the RPCs of that port with the admin token, which it keeps in memory alone.
 */
export const operatorPage: RequestHandler = ({ method, path }, response, next) => {
  if (path !== "/" || (method !== "GET" && method !== "HEAD")) return next();
  response.set({
    "Cache-Control": "no-store",
    "Content-Security-Policy": policy,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  });
  response.type("html").send(page);
};

const style = `[hidden]{display:none!important}
:root{color-scheme:light dark;--line:color-mix(in srgb,CanvasText 25%,transparent)}
body{margin:0 auto;padding:clamp(1rem,2vw,2rem);max-width:100rem;font:1rem/1.5 system-ui,sans-serif;color:CanvasText;background:Canvas}
h1{margin:0 0 1rem;font-size:1.6rem}
h2{margin:0 0 .5rem;font-size:1.2rem}
form,.tools{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin-bottom:1rem}
label{display:grid;gap:.25rem;font-weight:600}
input,select,button{font:inherit;min-height:2.75rem;padding:.25rem .75rem;border:1px solid var(--line);border-radius:.4rem;background:Canvas;color:CanvasText}
input{min-width:min(18rem,80vw)}
button{font-weight:600;cursor:pointer}
button.main{background:#14532d;color:#fff;border-color:#14532d}
table{border-collapse:collapse;width:100%}
table{font-size:.875rem}
th,td{text-align:left;padding:.4rem .35rem;border-bottom:1px solid var(--line);vertical-align:top}
th{vertical-align:bottom}
th button{min-height:2rem;padding:0;border:0;font-size:inherit;text-align:inherit}
th[aria-sort=ascending] button::after{content:" \\2191"}
th[aria-sort=descending] button::after{content:" \\2193"}
.number{text-align:right;font-variant-numeric:tabular-nums}
td:first-child{min-width:11rem}
td small{display:block;overflow-wrap:anywhere;opacity:.75}
#now{margin-bottom:2rem}
#now table{max-width:48rem}
dialog h2{margin-top:0}
dialog label,dialog input,.error{width:100%;box-sizing:border-box}
dialog{max-width:32rem;border:1px solid var(--line);border-radius:.6rem;padding:1.5rem}
.error{color:light-dark(#b00020,#ff8a80);font-weight:600}
@media (max-width:76rem){table{font-size:1rem}thead{display:none}tr,td{display:block}tr{padding:.5rem 0;border-bottom:2px solid var(--line)}td,td.number{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.2rem 0;text-align:right}td::before{content:attr(data-label);font-weight:600;text-align:left}td:first-child{display:block;text-align:left}td:first-child::before{display:none}}`;

// Texts come into the page as texts alone, whatever an organization calls itself.
const script = `const service = "/assent.auth.v1.AdminService/";
const el = (id) => document.getElementById(id);
const perPage = 100;
let token = "", organizations = [], mayChange = false, page = 0, sorted = { key: "createdAt", up: true };

async function call(name, request) {
  const headers = { "content-type": "application/json", authorization: "Bearer " + token };
  const answer = await fetch(service + name, { method: "POST", headers, body: JSON.stringify(request) });
  const body = await answer.json().catch(() => ({}));
  if (answer.status === 401) throw new Error("The admin token is not correct.");
  if (!answer.ok) throw new Error(body.message || "The service answered " + answer.status + ".");
  return body;
}

async function load() {
  const found = [];
  let cursor = "";
  do {
    const answer = await call("ListOrganizations", { pageSize: 500, cursor });
    found.push(...(answer.organizations || []));
    mayChange = Boolean(answer.mayChange);
    cursor = answer.nextCursor || "";
    el("count").textContent = numberOf(found.length) + " loaded";
  } while (cursor !== "");
  organizations = found;
  showBusy(await call("ListBusyOrganizations", { limit: 10 }));
  el("login").hidden = true;
  el("all").hidden = false;
  el("looking").hidden = mayChange;
  el("uncounted").hidden = found.every((one) => use(one).acceptances !== undefined);
  show();
}

const stateOf = ({ organization, closed }) => closed ? "closing" : organization.suspendedAt ? "suspended" : "active";
const planOf = ({ plan = "", sandbox }) => plan.replace("PLAN_", "").toLowerCase() + (sandbox ? ", sandbox" : "");
const timeOf = (time) => time ? time.slice(0, 16).replace("T", " ") : "";
const numberOf = (value) => Number(value).toLocaleString("en");
const many = (count, what) => numberOf(count) + " " + what + (count === 1 ? "" : "s");
const use = (one) => (el("days").value === "today" ? one.usedToday : one.usedIn30Days) || {};
const counted = (key) => (one) => use(one)[key] === undefined ? undefined : Number(use(one)[key]);

const columns = [
  { key: "name", label: "Name", value: ({ organization }) => organization.name },
  { key: "plan", label: "Plan", small: true, value: ({ organization }) => planOf(organization) },
  { key: "state", label: "State", value: stateOf },
  { key: "requests", label: "Requests", number: true, value: (one) => Number(use(one).requests || 0) },
  { key: "refused", label: "Refused", number: true, value: (one) => Number(use(one).refused || 0) },
  { key: "acceptances", label: "Acceptances", number: true, value: counted("acceptances") },
  { key: "agreements", label: "Agreements", number: true, value: counted("agreements") },
  { key: "documents", label: "Documents", number: true, value: counted("documents") },
  { key: "deliveries", label: "Deliveries", number: true, value: counted("deliveries") },
  { key: "keys", label: "Keys", number: true, small: true, value: (one) => one.keys || 0 },
  { key: "clients", label: "Clients", number: true, small: true, value: (one) => one.clients || 0 },
  { key: "users", label: "Users", number: true, small: true, value: (one) => one.users || 0 },
  { key: "lastUsedAt", label: "Last call (UTC)", value: (one) => timeOf(one.lastUsedAt) },
  { key: "lastLoginAt", label: "Last sign-in (UTC)", small: true, value: (one) => timeOf(one.lastLoginAt) },
  { key: "createdAt", label: "Created (UTC)", small: true, value: ({ organization }) => timeOf(organization.createdAt) },
];

function found() {
  const words = el("find").value.trim().toLowerCase();
  const state = el("state").value;
  const { value } = columns.find(({ key }) => key === sorted.key);
  const order = (a, b) => typeof a === "string" ? a.localeCompare(b) : (a ?? -1) - (b ?? -1);
  return organizations
    .filter((one) => (state === "" || stateOf(one) === state) &&
      (one.organization.name + " " + one.organization.id).toLowerCase().includes(words))
    .map((one) => ({ one, value: value(one) }))
    .sort((a, b) => order(a.value, b.value) * (sorted.up ? 1 : -1))
    .map(({ one }) => one);
}

function show() {
  const rows = found();
  page = Math.min(page, Math.max(0, Math.ceil(rows.length / perPage) - 1));
  const from = page * perPage;
  el("rows").replaceChildren(...rows.slice(from, from + perPage).map(rowOf));
  el("count").textContent = numberOf(rows.length) + (rows.length === 1 ? " organization" : " organizations");
  el("pages").hidden = rows.length <= perPage;
  el("place").textContent = numberOf(from + 1) + " to " + numberOf(Math.min(from + perPage, rows.length));
  el("before").disabled = page === 0;
  el("after").disabled = from + perPage >= rows.length;
  el("sort").value = sorted.key;
  el("order").value = sorted.up ? "up" : "down";
  for (const th of el("heads").children) {
    if (th.dataset.key === sorted.key) th.setAttribute("aria-sort", sorted.up ? "ascending" : "descending");
    else th.removeAttribute("aria-sort");
  }
}

const firstPage = () => { page = 0; show(); };
const isText = (key) => !columns.find((column) => column.key === key).number;
const sortBy = (key, up) => { sorted = { key, up }; firstPage(); };

function cellIn(row, label, text, isNumber) {
  const td = row.insertCell();
  td.dataset.label = label;
  td.textContent = text;
  if (isNumber) td.className = "number";
  return td;
}

function small(cell, text) {
  const element = document.createElement("small");
  element.textContent = text;
  cell.append(element);
}

function rowOf(one) {
  const { organization } = one;
  const row = document.createElement("tr");
  for (const { key, label, number, value } of columns.filter((column) => !column.small)) {
    const content = value(one);
    const text = content === undefined ? "unknown" : number ? numberOf(content) : content || "never";
    const cell = cellIn(row, label, key.endsWith("At") ? text.replaceAll("-", "\u2011") : text, number);
    if (key === "name") {
      small(cell, organization.id);
      small(cell, planOf(organization) + " since " + organization.createdAt.slice(0, 10));
      const { keys = 0, clients = 0, users = 0 } = one;
      small(cell, [many(keys, "key"), many(clients, "client"), many(users, "user")].join(", "));
    }
    if (key === "lastUsedAt") small(cell, "login " + (timeOf(one.lastLoginAt) || "never"));
    if (key === "state" && organization.suspendedAt)
      small(cell, "since " + organization.suspendedAt.slice(0, 10) + ": " + organization.suspensionReason);
  }
  if (!mayChange) return row;
  const act = document.createElement("button");
  act.textContent = organization.suspendedAt ? "Resume" : "Suspend";
  act.setAttribute("aria-label", act.textContent + " " + organization.name);
  act.disabled = Boolean(one.closed);
  act.addEventListener("click", () => ask(organization));
  cellIn(row, "", "").append(act);
  return row;
}

function showBusy({ organizations: busy = [], gateways = 0 }) {
  el("busy").replaceChildren(...busy.map(({ organizationId, name, busyAtLeast = 0, busyAtMost = 0 }) => {
    const row = document.createElement("tr");
    small(cellIn(row, "Name", name), organizationId);
    cellIn(row, "Requests in progress, at least", busyAtLeast.toFixed(2), true);
    cellIn(row, "at most", busyAtMost.toFixed(2), true);
    return row;
  }));
  el("busyTable").hidden = busy.length === 0;
  el("gateways").textContent = gateways === 0 ? "No gateway has reported any request." :
    "On average, as " + gateways + (gateways === 1 ? " gateway has" : " gateways have") + " reported.";
}

// Programs for tables take some beginnings of a text for a formula.
const csvCell = (value) => {
  const text = String(value ?? "");
  return '"' + (/^[=+@\\t\\r-]/.test(text) ? "'" + text : text).replaceAll('"', '""') + '"';
};

function download() {
  const heads = ["Id", ...columns.map(({ label }) => label), "Use"].map(csvCell).join(",");
  const lines = found().map((one) =>
    [one.organization.id, ...columns.map(({ value }) => value(one)), el("days").value].map(csvCell).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([[heads, ...lines, ""].join("\\r\\n")], { type: "text/csv" }));
  link.download = "organizations.csv";
  link.click();
  URL.revokeObjectURL(link.href);
}

function ask({ id, name, suspendedAt }) {
  const isSuspension = !suspendedAt;
  el("question").textContent = isSuspension ? "Suspend " + name + "?" : "Resume " + name + "?";
  el("meaning").textContent = isSuspension
    ? "It can read, but change nothing any more, within a second. What was begun goes on."
    : "It can change things again, within a second.";
  el("why").hidden = !isSuspension;
  el("reason").required = isSuspension;
  el("reason").value = "";
  el("do").textContent = isSuspension ? "Suspend" : "Resume";
  el("refused").textContent = "";
  el("change").onsubmit = async (event) => {
    event.preventDefault();
    el("do").disabled = true;
    try {
      const who = { organizationId: id, requestedBy: el("who").value };
      await (isSuspension ? call("SuspendOrganization", { ...who, reason: el("reason").value }) : call("ResumeOrganization", who));
      el("dialog").close();
      await load();
    } catch (error) {
      el("refused").textContent = error.message;
    } finally {
      el("do").disabled = false;
    }
  };
  el("dialog").showModal();
}

for (const { key, label, number, small } of columns) {
  el("sort").append(new Option(label, key));
  if (small) continue;
  const th = document.createElement("th");
  const button = document.createElement("button");
  th.dataset.key = key;
  th.scope = "col";
  if (number) th.className = "number";
  button.textContent = label;
  button.addEventListener("click", () => sortBy(key, sorted.key === key ? !sorted.up : !number));
  th.append(button);
  el("heads").append(th);
}
el("heads").append(document.createElement("td"));
el("sort").addEventListener("change", () => sortBy(el("sort").value, isText(el("sort").value)));
el("order").addEventListener("change", () => sortBy(sorted.key, el("order").value === "up"));
el("cancel").addEventListener("click", () => el("dialog").close());
for (const id of ["find", "state", "days"]) el(id).addEventListener("input", firstPage);
el("before").addEventListener("click", () => { page -= 1; show(); });
el("after").addEventListener("click", () => { page += 1; show(); });
el("csv").addEventListener("click", download);
el("again").addEventListener("click", () => load().catch((error) => { el("failed").textContent = error.message; }));
el("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  token = el("token").value.trim();
  el("wrong").textContent = "";
  await load().catch((error) => { el("wrong").textContent = error.message; });
});`;

const sha256 = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const policy = [
  ...["default-src 'none'", `style-src ${sha256(style)}`, `script-src ${sha256(script)}`, "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Organizations – Assent</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Organizations</h1>
<form id="login">
<label>Admin token <input id="token" type="password" autocomplete="off" required></label>
<button class="main">Show</button>
<p id="wrong" class="error" role="alert"></p>
</form>
<section id="all" aria-label="All organizations" hidden>
<p id="looking" hidden>This token is for looking alone.</p>
<section id="now" aria-labelledby="nowTitle">
<h2 id="nowTitle">Busiest in the last minute</h2>
<p id="gateways"></p>
<table id="busyTable">
<thead><tr><th scope="col">Name</th><th scope="col" class="number">Requests in progress, at least</th><th scope="col" class="number">at most</th></tr></thead>
<tbody id="busy"></tbody>
</table>
</section>
<h2>All organizations</h2>
<div class="tools">
<label>Find by name or id <input id="find" type="search"></label>
<label>State <select id="state"><option value="">all</option><option>active</option><option>suspended</option><option>closing</option></select></label>
<label>Use <select id="days"><option value="30 days">of 30 days</option><option value="today">today (UTC)</option></select></label>
<label>Sort by <select id="sort"></select></label>
<label>Order <select id="order"><option value="up">ascending</option><option value="down">descending</option></select></label>
<button id="csv" type="button">Download CSV</button>
<button id="again" type="button">Load again</button>
<span id="count" role="status"></span>
</div>
<p id="uncounted" hidden>What is unknown is counted by the webhooks service, which does not answer now.</p>
<p id="failed" class="error" role="alert"></p>
<table>
<thead><tr id="heads"></tr></thead>
<tbody id="rows"></tbody>
</table>
<div id="pages" class="tools" hidden>
<button id="before" type="button">Page before</button>
<span id="place"></span>
<button id="after" type="button">Next page</button>
</div>
</section>
<dialog id="dialog" aria-labelledby="question">
<h2 id="question"></h2>
<p id="meaning"></p>
<form id="change">
<label id="why">Reason, which its owners read <input id="reason" maxlength="500"></label>
<label>Who you are <input id="who" maxlength="200" required autocomplete="name"></label>
<p id="refused" class="error" role="alert"></p>
<button id="cancel" type="button">Cancel</button>
<button id="do" class="main"></button>
</form>
</dialog>
</main>
<script>${script}</script>
</body>
</html>
`;
