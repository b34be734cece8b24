import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Plan } from "#gen/assent/auth/v1/auth_pb.ts";
import { cpuMilliseconds, cpuPerRequest, cpuText } from "../cpu.ts";
import { runLoad } from "../load/run-load.ts";
import { type Receivers, startReceivers } from "../load/start-receivers.ts";
import type { BenchOptions } from "../options.ts";
import type { Figure } from "../report.ts";
import { type BenchSystem, liftLimits } from "../system.ts";
import { acceptPlan } from "./accept-plan.ts";

/** Of every endpoint an organization, so that nothing is gained by doing what belongs to one of them together. */
const endpoints = 50;
const hangingShare = 0.1;
const ratePerSecond = 200;
const warmupSeconds = 5;
const patienceMs = 20_000;

/** P13: how long after an acceptance its event comes to a receiver, while a tenth of the receivers never answer. */
export async function deliveryMeasures(system: BenchSystem, options: BenchOptions): Promise<Figure[]> {
  const receivers = await startReceivers();
  try {
    // Long enough that those that hang have run into their time limit.
    const seconds = Math.max(30, options.seconds * options.rounds);
    const bare = await postBare(receivers, options.seconds);
    const urls = Array.from({ length: endpoints }, (_, n) => urlOf(receivers, n));
    const plan = { ...acceptPlan(system, "deliveries", { warmupSeconds: 0, seconds, ratePerSecond }), headers: {} };
    const authorizations = await makeOrganizations(system, endpoints);
    const load = { ...plan, authorizations, connections: 16 };
    const alone = await acceptAlone(system, load);
    for (const [n, authorization] of authorizations.entries()) await addEndpoint(system, authorization, urls[n] ?? "");
    const warmup = await runLoad({ ...load, firstNumber: alone.requests, seconds: warmupSeconds }, [201]);
    await received(receivers, warmup.requests);
    const read = () => withReceivers(system.cpu.read(), receivers.pid);
    const before = read();
    const { requests, cpuMs } = await runLoad({ ...load, firstNumber: alone.requests + warmup.requests }, [201]);
    const { latenciesMs, hanging } = await received(receivers, requests);
    const used = cpuPerRequest(before, read(), latenciesMs.length);
    const cpu = used && { ...used, load: cpuMs / latenciesMs.length };
    const base = { id: "P13", mode: "distributed", unit: "ms" };
    const figure = (name: string, quantile: number) => {
      const value = quantileOf(latenciesMs, quantile);
      const baseline = quantileOf(bare.latenciesMs, quantile);
      return {
        ...base,
        what: `${name} from an acceptance to its first request`,
        value,
        baseline,
        ratio: value / baseline,
      };
    };
    const what = `${latenciesMs.length} of ${requests} events at ${ratePerSecond}/s, the others to ${endpoints * hangingShare} of ${endpoints} receivers that never answered ${hanging} requests`;
    return [
      {
        ...figure("p99", 0.99),
        goal: "≤ 1000 ms",
        note: `${what}; baseline: bare POST at this rate, ${bare.cpuMs.toFixed(2)} ms CPU${cpu === undefined ? "" : `; CPU ms of an event with its acceptance: ${cpuText(cpu)}${alone.cpu === undefined ? "" : `; of an acceptance that nobody is told of: ${cpuText(alone.cpu)}`}`}`,
        ...(cpu === undefined ? {} : { cpuMs: cpu }),
      },
      { ...figure("p50", 0.5), goal: "" },
      { ...figure("longest", 1), goal: "" },
    ];
  } finally {
    receivers.stop();
  }
}

/** What an acceptance costs while nobody is told of it, by what spends it. */
async function acceptAlone(system: BenchSystem, load: Parameters<typeof runLoad>[0]) {
  const warmup = await runLoad({ ...load, seconds: warmupSeconds }, [201]);
  const before = system.cpu.read();
  const { requests, cpuMs } = await runLoad(
    { ...load, firstNumber: warmup.requests, seconds: 2 * warmupSeconds },
    [201],
  );
  // What happens to them in the background as well.
  await delay(settleMs);
  const cpu = cpuPerRequest(before, system.cpu.read(), requests);
  return { requests: warmup.requests + requests, cpu: cpu && { ...cpu, load: cpuMs / requests } };
}

const settleMs = 1_000;

const isHanging = (n: number): boolean => n % (1 / hangingShare) === 0;

const urlOf = ({ url }: Receivers, n: number): string => `${url}/${isHanging(n) ? "hang" : "well"}/${n}`;

/** What has come once all but those that hang have got what so many requests made; requests take them in turn. */
async function received(receivers: Receivers, requests: number) {
  const latenciesMs: number[] = [];
  let hanging = 0;
  const expected = Math.floor(requests * (1 - hangingShare)) - 1;
  const start = performance.now();
  while (latenciesMs.length < expected) {
    if (performance.now() - start > patienceMs) break;
    await delay(100);
    const some = await receivers.read();
    latenciesMs.push(...some.latenciesMs);
    hanging += some.hanging;
  }
  return { latenciesMs, hanging };
}

const run = promisify(execFile);

async function postBare(receivers: Receivers, seconds: number) {
  const entry = join(import.meta.dirname, "../baselines/post-loop.ts");
  const { stdout } = await run(process.execPath, [
    ...[entry, `${receivers.url}/well/bare`, String(ratePerSecond), String(seconds)],
  ]);
  return { latenciesMs: (await receivers.read()).latenciesMs, cpuMs: Number(stdout) };
}

const withReceivers = (times: Readonly<Record<string, number>> | undefined, pid: number) =>
  times && { ...times, receivers: cpuMilliseconds(pid) };

function quantileOf(values: readonly number[], quantile: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.NaN;
}

/** So many organizations with a text to accept and without limits. Answers what their requests have as Authorization. */
async function makeOrganizations(system: BenchSystem, count: number): Promise<readonly string[]> {
  const authorizations: string[] = [];
  while (authorizations.length < count) authorizations.push(await makeOne(system));
  return authorizations;
}

/** From now on the organization is told of its acceptances at this URL. */
async function addEndpoint({ demo }: BenchSystem, authorization: string, url: string): Promise<void> {
  const body = { url, eventTypes: ["click.acceptance.recorded"] };
  await postJson(`${demo.baseUrl}/v1/webhooks/endpoints`, authorization, body);
}

async function makeOne({ admin, demo }: BenchSystem): Promise<string> {
  const { organization } = await admin.createOrganization({ name: "Bench", plan: Plan.GEN_PRO, sandbox: true });
  const organizationId = organization?.id ?? "";
  const { apiKey } = await admin.createApiKey({ organizationId, name: "Bench" });
  await liftLimits(admin, organizationId);
  const authorization = `Bearer ${apiKey}`;
  const post = (path: string, body: object) => postJson(demo.baseUrl + path, authorization, body);
  const template = await post("/v1/click/templates", {
    ...{ name: "Terms of Service", slug: "terms-of-service", type: "STATIC" },
    counterparty: { legalName: "Example Ltd." },
  });
  const versions = `/v1/click/templates/${template.id}/versions`;
  const version = await post(versions, {
    ...{ locale: "en", title: "Terms of Service", buttonText: "I agree" },
    content: "<h1>Terms of Service</h1><p>You may use the service. We keep it running.</p>",
  });
  await post(`${versions}/${version.id}/publish`, {});
  return authorization;
}

async function postJson(url: string, authorization: string, body: object): Promise<{ readonly id: string }> {
  const headers = { authorization, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url} answers ${response.status}: ${await response.text()}`);
  return (await response.json()) as { id: string };
}
