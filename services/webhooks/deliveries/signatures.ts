import { createHmac } from "node:crypto";

export interface StandardMessage {
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

export interface ConnectMessage {
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
