import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../accept-history/random.ts";
import { gatewayAt } from "./cluster.ts";
import type { Call, Outcome, RateHeaders } from "./history.ts";
import { type Client, type Group, userinfo } from "./tenants.ts";

/** A request that is about to be sent. */
interface Request {
  /** Undefined for a credential that is none. */
  readonly client: Client | undefined;
  readonly group: Group;
  /** Absent: no credential. */
  readonly token: string | undefined;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
}

interface Budget {
  readonly client: Client;
  readonly group: Group;
}

/** Every budget that requests can be made for. */
const budgetsOf = (clients: readonly Client[]): Budget[] =>
  clients.flatMap((client) => {
    const signs = userinfo !== undefined && client.readOnly !== undefined;
    const own: Group[] = signs ? ["accept", "render", "other", "sign"] : ["accept", "render", "other"];
    return own.map((group) => ({ client, group }));
  });

/** Some request that the budget is asked for: most succeed, some fail for another reason than the budget. */
function requestOf(random: Random, { client, group }: Budget, run: string): Request {
  const token = random.pick(client.tokens);
  const { templateSlug, sessionId } = client.tenant;
  const read = (path: string): Request => ({ client, group, token, method: "GET", path });
  const write = (path: string, body: object): Request => ({ client, group, token, method: "POST", path, body });
  const sessions = "/v1/click/sessions";
  switch (group) {
    case "accept": {
      const key = `${run}-${randomUUID()}`;
      const accept = { ...write("/v1/click/accept", { templateSlug, userRef: key }), key };
      const { key: _none, ...withoutScope } = { ...accept, token: client.readOnly };
      return client.readOnly !== undefined && random.chance(0.05) ? withoutScope : accept;
    }
    case "render":
      return read(`/v1/click/render/sessions/${sessionId}${random.chance(0.05) ? "?format=pdf" : ""}`);
    case "sign":
      return read("/oauth/userinfo");
    case "other":
      return random.pick([
        read("/v1/click/templates"),
        read(`/v1/click/templates/${randomUUID()}`),
        write(sessions, { templateSlug, userRef: "visitor" }),
        write(sessions, { templateSlug: 7 }),
        { ...write(sessions, { templateSlug }), token: client.readOnly ?? token },
      ]);
  }
}

/** Requests that nobody is known to send. */
function strangerOf(random: Random): Request {
  const token = random.pick([undefined, "ak_live_nobody", "eyJhbGciOiJub25lIn0.e30."]);
  const common = { client: undefined, token, group: "other" } as const;
  return random.chance(0.5)
    ? { ...common, method: "GET", path: "/v1/click/templates" }
    : { ...common, method: "POST", path: "/v1/click/sessions", body: {} };
}

export interface ClientContext {
  readonly random: Random;
  readonly clients: readonly Client[];
  readonly gateways: readonly string[];
  /** Acceptances that are sent again: refused ones in a later window, some that were recorded at any time. */
  readonly again: Again[];
  readonly run: string;
  now(): number;
  /** What to add to now() to have unix milliseconds of the database's clock. */
  readonly databaseClock: number;
  record(call: Call): void;
  /** On average between two bursts. */
  readonly pauseMs: number;
  readonly stop: AbortSignal;
}

export interface Again {
  readonly request: Request;
  readonly notBefore: number;
}

/** Longer than anything that goes wrong. */
const timeoutMs = 20_000;
const burst = 24;

/** Sends bursts of requests for one budget after another, each request to any gateway. */
export async function runClient(context: ClientContext): Promise<void> {
  const { random, clients, stop, run, pauseMs } = context;
  const budgets = budgetsOf(clients);
  while (!stop.aborted) {
    const budget = random.pick(budgets);
    const requests = Array.from({ length: 1 + random.integer(burst) }, () => requestOf(random, budget, run));
    if (random.chance(0.1)) requests.push(strangerOf(random));
    for (let due = takeDue(context); due !== undefined && requests.length < 2 * burst; due = takeDue(context)) {
      requests.push(due.request);
    }
    await Promise.all(requests.map((request) => perform(context, request)));
    await delay(random.between(0, 2 * pauseMs));
  }
}

function takeDue({ again, now }: ClientContext): Again | undefined {
  const index = again.findIndex(({ notBefore }) => notBefore < now());
  return index < 0 ? undefined : again.splice(index, 1)[0];
}

async function perform(context: ClientContext, request: Request): Promise<void> {
  const { random, gateways, again, now, record, databaseClock } = context;
  const { client, group, method, path, key } = request;
  const index = random.integer(gateways.length);
  const sentAt = now();
  const outcome = await send(gateways[index] ?? "", request);
  record({
    bucket: client === undefined ? undefined : `${client.id} ${group}`,
    organizationId: client?.tenant.organizationId ?? "",
    group,
    gateway: gatewayAt(index),
    method,
    path,
    ...(key === undefined ? {} : { key }),
    sentAt,
    answeredAt: now(),
    outcome,
  });
  if (key === undefined || outcome.kind !== "answered") return;
  if (outcome.status === 429) again.push({ request, notBefore: (outcome.headers.reset ?? 0) * 1_000 - databaseClock });
  else if (random.chance(0.05)) again.push({ request, notBefore: now() + random.between(0, 5_000) });
}

async function send(gateway: string, { token, method, path, body, key }: Request): Promise<Outcome> {
  try {
    const response = await fetch(gateway + path, {
      method,
      headers: {
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "x-idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const answer = JSON.parse(await response.text()) as { errorCode?: string; receiptId?: string };
    const accepted = key !== undefined && response.ok && answer.receiptId !== undefined;
    return {
      kind: "answered",
      status: response.status,
      errorCode: answer.errorCode ?? "",
      headers: headersOf(response.headers),
      ...(accepted
        ? { receiptId: answer.receiptId, isReplay: response.headers.get("idempotent-replayed") === "true" }
        : {}),
    } as Outcome;
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return { kind: code === "ECONNREFUSED" ? "unsent" : "lost" };
  }
}

function headersOf(headers: Headers): RateHeaders {
  const named = {
    limit: headers.get("x-ratelimit-limit"),
    remaining: headers.get("x-ratelimit-remaining"),
    reset: headers.get("x-ratelimit-reset"),
    retryAfter: headers.get("retry-after"),
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [[name, Number(value)]])),
  );
}
