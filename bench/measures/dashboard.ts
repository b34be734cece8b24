import { fillDashboard } from "../fill/fill-dashboard.ts";
import { recordKnownUsers } from "../fill/known-users.ts";
import { eightDigits } from "../load/plan.ts";
import type { BenchOptions } from "../options.ts";
import { type Figure, median } from "../report.ts";
import { type BenchSystem, startBenchSystem } from "../system.ts";
import { nativePlan } from "./agreement-plan.ts";
import { type DashboardIds, type PageRequest, pageRequests } from "./dashboard-requests.ts";

const smallRows = 1_000;
const largeRows = 100_000;
const knownUsers = 20;
/** What comes before a page far behind: an index leads there, however far it is. */
const deepShare = 0.1;
/** Of each request, by turns with the other database. */
const rounds = 9;

interface Filled {
  readonly baseUrl: string;
  readonly cookie: string;
  readonly requests: readonly PageRequest[];
  readonly rows: number;
}

/** P14: what the requests of the dashboard's pages take in a large organization and in a small one. */
export async function dashboardMeasures(_options: BenchOptions): Promise<Figure[]> {
  const systems: BenchSystem[] = [];
  try {
    const filled: Filled[] = [];
    for (const rows of [smallRows, largeRows]) {
      const system = await startBenchSystem();
      systems.push(system);
      filled.push(await fill(system, rows));
    }
    const [small, large] = filled as [Filled, Filled];
    const figures: Figure[] = [];
    for (const [index, { what }] of large.requests.entries()) {
      const paths = await Promise.all([pathOf(small, index), pathOf(large, index)]);
      figures.push(figureOf(what, await takeTurns([small, large], paths)));
    }
    return figures;
  } finally {
    for (const system of systems) await system.stop();
  }
}

function figureOf(what: string, [baseline = Number.NaN, value = Number.NaN]: readonly number[]): Figure {
  return {
    ...{ id: "P14", what, mode: "distributed", value, unit: "ms", baseline, ratio: value / baseline },
    goal: "≤ 100 ms",
  };
}

async function takeTurns(databases: readonly Filled[], paths: readonly string[]): Promise<number[]> {
  const times: number[][] = databases.map(() => []);
  // What is done for the first time, such as a plan, is not counted.
  for (let round = -2; round < rounds; round += 1) {
    for (const [n, database] of databases.entries()) {
      const began = performance.now();
      await get(database, paths[n] ?? "");
      if (round >= 0) times[n]?.push(performance.now() - began);
    }
  }
  return times.map(median);
}

/** The path of a request, with the cursor of the page that it is to ask for. */
async function pathOf(filled: Filled, index: number): Promise<string> {
  const { path, isDeep } = filled.requests[index] as PageRequest;
  if (isDeep !== true) return path;
  const far = path.replace("limit=25", `limit=${Math.min(1_000, Math.ceil(filled.rows / 10), maxOf(path))}`);
  let cursor = "";
  for (let passed = 0; passed < filled.rows * deepShare; ) {
    const { next, count } = await get(filled, `${far}${cursorOf(cursor)}`);
    if (next === null) break;
    passed += count;
    cursor = next;
  }
  return `${path}${cursorOf(cursor)}`;
}

/** What the API allows. */
const maxOf = (path: string): number => (path.startsWith("/v1/gen/") ? 200 : 1_000);

const cursorOf = (cursor: string): string => (cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`);

async function get({ baseUrl, cookie }: Pick<Filled, "baseUrl" | "cookie">, path: string) {
  const response = await fetch(baseUrl + path, { headers: { cookie } });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${path} answers ${response.status}: ${text}`);
  const answer: unknown = JSON.parse(text);
  return { next: response.headers.get("x-next-cursor"), count: Array.isArray(answer) ? answer.length : 0 };
}

async function fill(system: BenchSystem, rows: number): Promise<Filled> {
  const { demo, superuserUrl, clickMasterKey } = system;
  const { organizationId, baseUrl } = demo;
  const known = await recordKnownUsers(system, knownUsers);
  const made = await makeOneOfEach(system);
  const templateId = await templateOf(system, known.receiptId);
  await fillDashboard({ superuserUrl, clickMasterKey, organizationId, known, templateId, ...made, rows });
  const ids: DashboardIds = {
    ...{ templateId, agreementId: made.agreementId, documentTemplateId: made.genTemplateId },
    ...{ endpointId: made.endpointId, userRef: "known-0" },
  };
  return { baseUrl, cookie: await logIn(system), requests: pageRequests(ids), rows };
}

/** What a page of the dashboard is asked with: the session of the owner. */
async function logIn({ demo }: BenchSystem): Promise<string> {
  const response = await fetch(`${demo.baseUrl}/v1/dashboard/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: demo.baseUrl },
    body: JSON.stringify({ email: demo.ownerEmail, password: demo.ownerPassword }),
  });
  const [cookie = ""] = response.headers.getSetCookie();
  if (!response.ok || cookie === "") throw new Error(`nobody could log in: ${await response.text()}`);
  return cookie.split(";")[0] ?? "";
}

async function makeOneOfEach(system: BenchSystem) {
  const { demo } = system;
  const plan = await nativePlan(demo);
  const body = String(plan.body).replaceAll(eightDigits, "00000000").replaceAll("{n}", "0");
  const agreement = await post(system, "/v1/sign/agreements", JSON.parse(body) as object);
  const template = await post(system, "/v1/gen/templates", {
    name: "Letter",
    format: "html",
    content: "<p>Dear {{ name }}</p>",
  });
  await post(system, `/v1/gen/templates/${template.id}/publish`, {});
  const data = { name: "Ann" };
  const document = await post(system, "/v1/gen/documents", { templateId: template.id, data });
  const batch = await post(system, "/v1/gen/batches", { templateId: template.id, items: [{ data }] });
  await untilEnded(system, `/v1/gen/documents/${document.id}`);
  await untilEnded(system, `/v1/gen/batches/${batch.id}`);
  const endpoint = await post(system, "/v1/webhooks/endpoints", {
    url: "https://hooks.example.com/assent",
    eventTypes: ["agreement.voided"],
  });
  return {
    agreementId: agreement.id,
    genTemplateId: template.id,
    documentId: document.id,
    batchId: batch.id,
    endpointId: endpoint.id,
  };
}

async function untilEnded({ demo }: BenchSystem, path: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const response = await fetch(demo.baseUrl + path, { headers: { authorization: `Bearer ${demo.apiKey}` } });
    const { status } = (await response.json()) as { status: string };
    if (status === "completed") return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${path} was never completed`);
}

async function templateOf({ demo }: BenchSystem, receiptId: string): Promise<string> {
  const response = await fetch(`${demo.baseUrl}/v1/click/receipts/${receiptId}`, {
    headers: { authorization: `Bearer ${demo.apiKey}` },
  });
  return ((await response.json()) as { templateId: string }).templateId;
}

async function post({ demo }: BenchSystem, path: string, body: object): Promise<{ readonly id: string }> {
  const response = await fetch(demo.baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path} answers ${response.status}: ${await response.text()}`);
  return (await response.json()) as { id: string };
}
