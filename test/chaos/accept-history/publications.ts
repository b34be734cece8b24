import { setTimeout as delay } from "node:timers/promises";
import { perform } from "./client.ts";
import { changingKey, type OpenedSession, type Operation, type Publication } from "./history.ts";
import type { Random } from "./random.ts";
import type { Tenant } from "./tenants.ts";
import type { PlannedKey } from "./workload.ts";

/** What those who change texts and those who accept them have in common. */
export interface SwapContext {
  readonly tenants: readonly Tenant[];
  readonly gateways: readonly string[];
  readonly random: Random;
  /** How many acceptances there are, spread over so many seconds. */
  readonly accepts: number;
  readonly seconds: number;
  now(): number;
  operation(operation: Operation): void;
  publication(publication: Publication): void;
  session(session: OpenedSession): void;
  /** Learns of every key that is used. */
  planned(key: PlannedKey): void;
}

const readers = 16;
const swapMs = 1_000;
/** Gives up what has not come to pass by then. */
const patienceMs = 120_000;
/** Whoever learns of a publication by reading may be faster than what was answered before it has run out. */
const settlingMs = 100;

/** One text of each tenant changes every second, at once and at a time by turns, until it was accepted so often. */
export async function swapWhileAccepting(context: SwapContext): Promise<void> {
  const over = new AbortController();
  const authors = context.tenants.map((tenant, n) => runAuthor(context, tenant, context.random.fork(n), over.signal));
  const numbers = Array.from({ length: context.accepts }, (_, n) => n).values();
  const reading = Array.from({ length: readers }, (_, n) =>
    runReader(context, numbers, context.random.fork(context.tenants.length + n), over.signal),
  );
  try {
    await Promise.race([Promise.all(reading), Promise.all(authors)]);
  } finally {
    over.abort();
    await Promise.allSettled(reading);
  }
  await Promise.all(authors);
}

async function runAuthor(context: SwapContext, tenant: Tenant, random: Random, over: AbortSignal): Promise<void> {
  const { organizationId, changing } = tenant;
  const { versionId } = changing;
  const first = { revision: 1, liveFrom: 0, isScheduled: false, toldAt: 0 };
  context.publication({ organizationId, versionId, ...first });
  for (let revision = 2; !over.aborted; revision += 1) {
    const pause = delay(swapMs);
    context.publication({ organizationId, versionId, ...(await swap(context, tenant, random, revision)) });
    await pause;
  }
}

/** Has the next text go live, whatever happens to requests and answers, and says what is certain about when. */
async function swap(
  context: SwapContext,
  { api, changing: { path } }: Tenant,
  random: Random,
  revision: number,
): Promise<Omit<Publication, "organizationId" | "versionId">> {
  const ask = (method: string, of: string, body?: object) =>
    send(random.pick(context.gateways) + path + of, { method, token: api.token, ...(body && { body }) });
  const isScheduled = revision % 2 === 0;
  const times: number[] = [];
  let toldAt: number | undefined;
  for (const end = context.now() + patienceMs; context.now() < end; await delay(random.between(5, 50))) {
    const { body: version } = (await ask("GET", "")) ?? {};
    if (version?.revision === revision) {
      const publishedAt = Date.parse(version.publishedAt);
      if (isScheduled && !times.includes(publishedAt)) throw new Error(`nobody has asked for ${version.publishedAt}`);
      const liveFrom = isScheduled ? publishedAt : (times[0] ?? 0);
      return { revision, isScheduled, liveFrom, toldAt: toldAt ?? context.now() + settlingMs };
    }
    if (version?.revision !== revision - 1) continue;
    if (version.schedule !== null) {
      await delay(Math.max(0, Date.parse(version.schedule.publishAt) - Date.now()));
      continue;
    }
    const next = { content: `<p>Text ${revision}.</p>`, ifUpdatedAt: (version.draft ?? version).updatedAt };
    const draft = await ask("PUT", "/draft", next);
    if (draft?.status !== 200) continue;
    const time = Date.now() + (isScheduled ? Math.round(random.between(300, 900)) : 0);
    times.push(time);
    const answer = await ask("POST", "/publish", {
      // A request that comes late, after its author tried again, must not publish the text after this one.
      ifUpdatedAt: draft.body.updatedAt,
      ...(isScheduled ? { publishAt: new Date(time).toISOString() } : {}),
    });
    // Which of several was the one that counted is not known before it is done.
    toldAt = answer?.status === 200 && times.length === 1 ? context.now() : undefined;
  }
  throw new Error(`revision ${revision} of ${path} is not live after ${patienceMs} ms`);
}

/** Some accept at once, others after a while what a session has pinned. */
async function runReader(
  context: SwapContext,
  numbers: Iterator<number>,
  random: Random,
  over: AbortSignal,
): Promise<void> {
  const { gateways, seconds, accepts } = context;
  for (let next = numbers.next(); next.done !== true && !over.aborted; next = numbers.next()) {
    const n = next.value;
    await delay(Math.max(0, (n / accepts) * seconds * 1_000 - context.now()));
    const tenant = random.pick(context.tenants);
    const sessionId = random.chance(0.25) ? await openSession(context, tenant, random, n) : undefined;
    if (sessionId !== undefined) await delay(random.between(0, 1_500));
    const text = { templateSlug: tenant.changing.slug, userRef: `reader-${n}` };
    const body = sessionId === undefined ? text : { sessionId };
    const request = { variant: "meant", path: "/v1/click/accept", body };
    const key = { tenant, key: `${changingKey}${n}`, requests: [request] };
    context.planned(key);
    const client = { name: "reader", now: context.now, record: context.operation };
    for (const end = context.now() + patienceMs; context.now() < end; await delay(random.between(50, 500))) {
      const timeoutMs = random.pick([1_500, 7_000]);
      const { kind } = await perform(client, { gateway: random.pick(gateways), key, request, timeoutMs });
      // Now and then somebody asks again who knows already.
      if (kind !== "unknown" && kind !== "unsent" && !random.chance(0.05)) break;
    }
  }
}

/** One whose opening was not answered stays unused. Undefined when none can be opened for now. */
async function openSession(
  context: SwapContext,
  { api, changing }: Tenant,
  random: Random,
  n: number,
): Promise<string | undefined> {
  const [startedAt, askedAt] = [context.now(), Date.now()];
  const url = `${random.pick(context.gateways)}/v1/click/sessions`;
  const body = { templateSlug: changing.slug, userRef: `reader-${n}` };
  const answer = await send(url, { method: "POST", token: api.token, body });
  if (answer?.status !== 201) return undefined;
  const { id: sessionId, versionId, revision, createdAt } = answer.body;
  const key = `${changingKey}${n}`;
  context.session({ sessionId, key, versionId, revision, startedAt, askedAt, createdAt: Date.parse(createdAt) });
  return sessionId;
}

interface Sent {
  readonly method: string;
  readonly token: string;
  readonly body?: object;
}

/** Undefined when there was no answer. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function send(url: string, { method, token, body }: Sent): Promise<{ status: number; body: any } | undefined> {
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(7_000),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}
