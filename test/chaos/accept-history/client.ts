import { setTimeout as delay } from "node:timers/promises";
import type { AnsweredReceipt, Operation, Outcome } from "./history.ts";
import type { Random } from "./random.ts";
import type { PlannedKey, PlannedRequest } from "./workload.ts";

export interface ClientContext {
  readonly name: string;
  readonly random: Random;
  readonly gateways: readonly string[];
  /** The keys that are in use at this time. */
  keysNow(): readonly PlannedKey[];
  /** Milliseconds since the beginning of the run. */
  now(): number;
  record(operation: Operation): void;
  readonly stop: AbortSignal;
  /** On average between two requests. */
  readonly pauseMs: number;
}

const timeoutsMs = [400, 1_500, 7_000];
const retries = 3;

/** A backend that accepts with keys that others use as well, and sends a request again when it is not answered. */
export async function runClient(context: ClientContext): Promise<void> {
  const { random, stop, pauseMs } = context;
  while (!stop.aborted) {
    const key = random.pick(context.keysNow());
    const request = random.chance(0.75) ? (key.requests[0] as PlannedRequest) : random.pick(key.requests);
    await sendUntilAnswered(context, key, request);
    await delay(random.between(0, 2 * pauseMs));
  }
}

async function sendUntilAnswered(context: ClientContext, key: PlannedKey, request: PlannedRequest): Promise<void> {
  const { random, gateways, stop } = context;
  for (let attempt = 0; attempt <= retries; attempt += 1) {
    const gateway = random.pick(gateways);
    const { kind } = await perform(context, { gateway, key, request, timeoutMs: random.pick(timeoutsMs) });
    if (stop.aborted || (kind !== "unknown" && kind !== "unsent") || random.chance(0.2)) return;
    await delay(random.between(20, 200));
  }
}

interface Call {
  readonly gateway: string;
  readonly key: PlannedKey;
  readonly request: PlannedRequest;
  readonly timeoutMs: number;
}

/** Sends one request and records what became of it. */
export async function perform(
  { name, now, record }: Pick<ClientContext, "name" | "now" | "record">,
  call: Call,
): Promise<Outcome> {
  const startedAt = now();
  const outcome = await send(call);
  const { tenant, key } = call.key;
  const { organizationId } = tenant;
  record({ client: name, organizationId, key, variant: call.request.variant, startedAt, endedAt: now(), outcome });
  return outcome;
}

async function send({ gateway, key, request, timeoutMs }: Call): Promise<Outcome> {
  try {
    const response = await fetch(gateway + request.path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key.tenant.api.token}`,
        "content-type": "application/json",
        "x-idempotency-key": key.key,
      },
      body: JSON.stringify(request.body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return outcomeOf(response, await response.json());
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return code === "ECONNREFUSED" ? { kind: "unsent" } : { kind: "unknown", reason: code ?? (error as Error).name };
  }
}

type Answer = { receipts?: AnsweredReceipt[]; errorCode?: string } & AnsweredReceipt;

function outcomeOf({ status, headers }: Response, answer: unknown): Outcome {
  const body = answer as Answer;
  if (status === 200 || status === 201) {
    const fresh = headers.get("idempotent-replayed") !== "true";
    return { kind: "ok", fresh, receipts: body.receipts ?? [body] };
  }
  const errorCode = body.errorCode ?? "";
  if (errorCode === "CLICK_IDEMPOTENCY_KEY_REUSED") return { kind: "reused" };
  // A 503 may come after the commit: the gateway did not hear what became of the request.
  return status >= 500 ? { kind: "unknown", reason: errorCode } : { kind: "refused", status, errorCode };
}
