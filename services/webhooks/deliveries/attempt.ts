import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Clock } from "#platform/clock.ts";
import { isTransient } from "#platform/db/errors.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import type { Metrics } from "#platform/metrics.ts";
import type { OutboundPoster, OutboundResult } from "#platform/net/outbound-post.ts";
import type { KeyRing } from "#platform/secrets.ts";
import { noopTracer, type Tracer } from "#platform/telemetry.ts";
import { sampledTraceIn } from "#platform/trace-context.ts";
import type { Bodies } from "../bodies/bodies.ts";
import type { Room } from "../bodies/connect-documents.ts";
import { type ConnectReceiver, receiverOf } from "../connect/receiver.ts";
import { putOffMs } from "../domain/delivery.ts";
import { isSuccess } from "../domain/outcome.ts";
import { connectSecretText, openSecret } from "../domain/seal-secret.ts";
import type { SealedSecrets } from "../store/endpoint-store.ts";
import type { Claimed } from "../store/queue-store.ts";
import type { SentTo } from "../store/sender-store.ts";
import type { ByteBudget, Share } from "./byte-budget.ts";
import type { Load, Loaded } from "./record.ts";
import {
  giveUp,
  type Held,
  putOffFailed,
  type RecordDelivered,
  type RecordDeps,
  recordAttempt,
  release,
  remove,
} from "./record.ts";

export interface AttemptDeps extends PrepareDeps, RecordDeps {
  readonly load: Load;
  readonly recordDelivered: RecordDelivered;
  readonly poster: OutboundPoster;
  /** For the bodies that have documents in them, from before they are made until they are sent. */
  readonly byteBudget: ByteBudget;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "webhookAttempts" | "webhookFirstAttempt">;
  readonly tracer?: Tracer | undefined;
}

// A claim is renewed while these last, so that nobody else takes what is still being done.
const loadMs = 5_000;
const bodyMs = 25_000;
const recordMs = 15_000;

/**
 * Sends what this process has claimed, and writes down what came of it. When the signal fires, lets others have it. What
 * the database does not take in time becomes free with the lease, and is then sent once more.
 */
export async function makeAttempt(deps: AttemptDeps, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const room = deps.byteBudget.open();
  try {
    await attemptIn(room, deps, claimed, signal);
  } finally {
    room.close();
  }
}

async function attemptIn(room: Share, deps: AttemptDeps, claimed: Claimed, signal: AbortSignal): Promise<void> {
  const loaded = await persist(() => deps.load(claimed), loadMs, signal);
  if (loaded === undefined) return;
  const held: Held = { claimed, delivery: loaded.delivery };
  const settle = (work: () => Promise<unknown>) => persist(work, recordMs, signal);
  let prepared: Prepared;
  try {
    prepared = await inTime(prepare(deps, claimed.orgId, loaded, room), signal);
  } catch (error) {
    await settle(() => afterNoBody(deps, held, error, signal));
    return;
  }
  if (prepared.kind === "unwanted") await settle(() => remove(deps, held));
  else if (prepared.kind === "disabled") await settle(() => giveUp(deps, held));
  else await send(deps, { held, loaded, request: prepared }, signal);
}

interface Sending {
  readonly held: Held;
  readonly loaded: Loaded;
  readonly request: Prepared & { readonly kind: "request" };
}

async function send(deps: AttemptDeps, { held, loaded, request }: Sending, signal: AbortSignal): Promise<void> {
  const { url, headers, body, timeoutMs, requiresAcknowledgement } = request;
  const at = deps.clock.now();
  const result = await traceAttempt(deps, loaded, () => deps.poster.post({ url, headers, body, timeoutMs, signal }));
  if (isCutOff(result, signal)) {
    await persist(() => release(deps, held), recordMs, signal);
    return;
  }
  deps.metrics.webhookAttempts.inc({ outcome: isSuccess(result) ? "delivered" : "failed" });
  if (loaded.delivery.attempts === 0) {
    deps.metrics.webhookFirstAttempt.observe(Math.max(0, at.getTime() - loaded.event.occurredAt.getTime()) / 1_000);
  }
  const made = { at, url, timeoutMs, requiresAcknowledgement, result };
  const record = async () =>
    (await deps.recordDelivered(held, loaded, made)) ? undefined : recordAttempt(deps, held, made);
  const outcome = await persist(record, recordMs, signal);
  if (outcome?.disable === undefined) return;
  const about = { organizationId: held.claimed.orgId, endpointId: loaded.delivery.endpointId };
  deps.logger.warn({ ...about, reason: outcome.disable }, "an endpoint was disabled because of how it answered");
}

/** In the trace of the request that caused the event. The address of a receiver may hold a secret and is not told. */
async function traceAttempt(
  { tracer = noopTracer }: AttemptDeps,
  { event, delivery }: Loaded,
  post: () => Promise<OutboundResult>,
): Promise<OutboundResult> {
  if (tracer.isOn !== true) return post();
  const attributes = { "assent.delivery_id": delivery.id, "assent.attempt": delivery.attempts + 1 };
  const span = tracer.startSpan("webhook attempt", "client", sampledTraceIn(event.data), { attributes });
  const result = await post();
  span.note?.(result.kind === "answered" ? { "http.response.status_code": result.status } : {});
  span.end(isSuccess(result) ? undefined : { code: result.kind === "answered" ? "REFUSED" : "UNREACHABLE" });
  return result;
}

/** The receiver is not to blame when this process ended the request. */
const isCutOff = (result: OutboundResult, signal: AbortSignal): boolean =>
  signal.aborted && result.kind === "failed" && result.reason === "connection";

async function afterNoBody(deps: AttemptDeps, held: Held, error: unknown, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return release(deps, held);
  deps.metrics.webhookAttempts.inc({ outcome: "put_off" });
  const { orgId, id } = held.claimed;
  // Contents that are too large stay so, whatever they are called on the way.
  if ((error instanceof DomainError && error.code === "SERVICE_UNAVAILABLE") || isTransient(error)) {
    deps.logger.debug({ err: error, orgId, deliveryId: id }, "the body cannot be made now");
    return release(deps, held, new Date(deps.clock.now().getTime() + putOffMs));
  }
  deps.logger.error({ err: error, orgId, deliveryId: id }, "the body of a delivery could not be made");
  return putOffFailed(deps, held);
}

/** Rejects when it takes too long, or as soon as the signal fires. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(new DomainError("SERVICE_UNAVAILABLE"));
  const timer = setTimeout(end, bodyMs);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    // Whichever comes second has nobody who hears it.
    work.catch(() => {});
  }
}

const pauseMs = 250;

/** Tries for some time while the database is away. When the signal has fired, only once. */
async function persist<T>(work: () => Promise<T>, forMs: number, signal: AbortSignal): Promise<T> {
  const deadline = performance.now() + forMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal.aborted || performance.now() + pauseMs > deadline) throw error;
      await delay(pauseMs);
    }
  }
}

export interface PrepareDeps {
  readonly bodies: Bodies;
  readonly secretKeys: KeyRing;
  readonly clock: Clock;
}

/** What is to be done with a delivery that is due. */
export type Prepared =
  /** Nobody wants it any more: it goes without a trace. */
  | { readonly kind: "unwanted" }
  /** Its endpoint is disabled or gone. */
  | { readonly kind: "disabled" }
  | {
      readonly kind: "request";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly timeoutMs: number;
      readonly requiresAcknowledgement: boolean;
    };

const standardTimeoutMs = 15_000;
/** The compatible interface promises receivers so long. */
const connectTimeoutMs = 100_000;

/** Rejects with SERVICE_UNAVAILABLE while click or sign is unavailable, or while there is no room for the contents. */
function prepare(deps: PrepareDeps, orgId: OrgId, loaded: Loaded, room: Room): Promise<Prepared> {
  if (loaded.delivery.endpointId === undefined) return prepareOfAgreement(deps, orgId, loaded, room);
  const { endpoint } = loaded;
  if (endpoint?.isEnabled !== true) return Promise.resolve({ kind: "disabled" });
  return endpoint.kind === "standard"
    ? prepareStandard(deps, orgId, loaded, endpoint)
    : prepareConnect(deps, orgId, loaded, {
        room,
        receiver: { ...receiverOf(settingsOf(endpoint)), url: endpoint.url },
      });
}

async function prepareStandard(
  { bodies, secretKeys, clock }: PrepareDeps,
  orgId: OrgId,
  { event, secrets }: Loaded,
  { id, url, auditFormat }: SentTo,
): Promise<Prepared> {
  const body = await bodies.standard(orgId, event, auditFormat);
  // After the body: receivers look at how old the request is.
  const at = clock.now();
  const opened = openSecrets(secrets, at, (sealed) => openSecret(secretKeys, orgId, id, sealed));
  const headers = standardHeaders({ eventId: event.id, at, body, secrets: opened });
  return { kind: "request", url, headers, body, timeoutMs: standardTimeoutMs, requiresAcknowledgement: false };
}

/** The present one must open. One from before a master key that was lost only signs nothing for the rest of its day. */
export function openSecrets(
  secrets: SealedSecrets | undefined,
  now: Date,
  open: (sealed: Buffer) => Buffer,
): readonly Buffer[] {
  if (secrets === undefined) return [];
  const { current, previous, previousUntil } = secrets;
  const opened = [open(current)];
  if (previous === undefined || previousUntil === undefined || previousUntil <= now) return opened;
  try {
    return [...opened, open(previous)];
  } catch {
    return opened;
  }
}

async function prepareOfAgreement(deps: PrepareDeps, orgId: OrgId, loaded: Loaded, room: Room): Promise<Prepared> {
  const { agreementId = "", receiverIndex = -1, eventType } = loaded.delivery;
  const receiver = (await deps.bodies.agreementReceivers(orgId, agreementId))[receiverIndex];
  if (receiver === undefined || !receiver.isEnabled) return { kind: "unwanted" };
  if (receiver.events.length > 0 && !receiver.events.includes(eventType)) return { kind: "unwanted" };
  return prepareConnect(deps, orgId, loaded, { receiver, room });
}

async function prepareConnect(
  { bodies, secretKeys }: PrepareDeps,
  orgId: OrgId,
  { delivery, event, keys }: Loaded,
  { receiver, room }: { readonly receiver: ConnectReceiver; readonly room: Room },
): Promise<Prepared> {
  const about = { configurationId: delivery.connectId ?? 0, retryCount: delivery.attempts, room };
  const body = await bodies.connect(orgId, event, receiver, about);
  // Whoever has keys gets signatures, whether the receiver asked for them or not.
  const opened = keys.map(({ id, sealed }) => connectSecretText(openSecret(secretKeys, orgId, id, sealed)));
  const headers = connectHeaders({ accountId: orgId, body, keys: opened });
  const { url, requiresAcknowledgement } = receiver;
  return { kind: "request", url, headers, body, timeoutMs: connectTimeoutMs, requiresAcknowledgement };
}

const settingsOf = ({ settings = {} }: SentTo): JsonObject => settings as JsonObject;

interface StandardMessage {
  readonly eventId: string;
  /** Of the attempt: receivers refuse what is old. */
  readonly at: Date;
  readonly body: string;
  /** Those that hold, the newest first. */
  readonly secrets: readonly Buffer[];
}

/** The headers of a request of our own format, signed as Standard Webhooks 1.0 has it. */
export function standardHeaders({ eventId, at, body, secrets }: StandardMessage): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => `v1,${hmac(secret, `${eventId}.${timestamp}.${body}`)}`);
  return {
    ...commonHeaders,
    "webhook-id": eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

interface ConnectMessage {
  readonly accountId: string;
  readonly body: string;
  /** Texts, of which the characters are the key. The oldest first; empty for a request that is not signed. */
  readonly keys: readonly string[];
}

/** The headers of a request of the compatible interface, with a signature for each key. */
export function connectHeaders({ accountId, body, keys }: ConnectMessage): Record<string, string> {
  const signatures = keys.map((key, index) => [`X-DocuSign-Signature-${index + 1}`, hmac(key, body)]);
  return {
    ...commonHeaders,
    "X-DocuSign-AccountId": accountId,
    ...(keys.length === 0 ? {} : { "X-Authorization-Digest": "HMACSHA256" }),
    ...Object.fromEntries(signatures),
  };
}

const commonHeaders = {
  "content-type": "application/json",
  "user-agent": "Assent-Webhooks/1.0",
} as const;

const hmac = (key: string | Buffer, text: string): string => createHmac("sha256", key).update(text).digest("base64");
