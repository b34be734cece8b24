import { createHmac } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Clock } from "#platform/clock.ts";
import type { OrgId } from "#platform/ids.ts";
import type { KeyRing } from "#platform/secrets.ts";
import type { Bodies } from "../bodies/bodies.ts";
import type { Room } from "../bodies/connect-documents.ts";
import { type ConnectReceiver, receiverOf } from "../connect/receiver.ts";
import { connectSecretText, openSecret } from "../domain/seal-secret.ts";
import type { SealedSecrets } from "../store/endpoint-store.ts";
import type { SentTo } from "../store/sender-store.ts";
import type { Loaded } from "./load.ts";

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
export function prepare(deps: PrepareDeps, orgId: OrgId, loaded: Loaded, room: Room): Promise<Prepared> {
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
