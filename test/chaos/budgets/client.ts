import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../accept-history/random.ts";
import { gatewayAt } from "./cluster.ts";
import type { Call, Outcome, RateHeaders } from "./history.ts";
import type { Client } from "./tenants.ts";
import { budgetsOf, type Request, requestOf, strangerOf } from "./workload.ts";

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
  readonly stop: AbortSignal;
}

export interface Again {
  readonly request: Request;
  readonly notBefore: number;
}

/** Longer than anything that goes wrong. */
const timeoutMs = 20_000;
const burst = 24;
const pauseMs = 60;

/** Sends bursts of requests for one budget after another, each request to any gateway. */
export async function runClient(context: ClientContext): Promise<void> {
  const { random, clients, stop, run } = context;
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
