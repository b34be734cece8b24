import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { LRUCache } from "lru-cache";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import type { Fetch } from "#platform/net/egress-fetch.ts";

/** A mail that came back for good. */
export interface FailedMail {
  /** The value of X-Assent-Report in the mail. */
  readonly token: string;
  /** A status code of RFC 3463; empty when the report has none. */
  readonly status: string;
}

const maxParts = 100;
const maxDepth = 8;
const maxHeadBytes = 65_536;
const maxGroups = 100;

/**
 * What a delivery status notification (RFC 3464, RFC 6533) says of the mail that it returns, with its headers at least.
 * Undefined for a message that is no report, and for a report on a mail that is late, has arrived, or is not one of ours.
 * Throws VALIDATION_FAILED for a message of too many parts.
 */
export function readDeliveryReport(message: Buffer): FailedMail | undefined {
  const count = { parts: 0 };
  const report = findReport(partOf(message.toString("latin1"), count), count, maxDepth);
  const statusPart = report?.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type));
  const returned = report?.find(({ type }) => returnedTypes.has(type));
  if (statusPart === undefined || returned === undefined) return undefined;
  const status = failureOf(contentOf(statusPart));
  const token = headersOf(contentOf(returned)).get("x-assent-report");
  return status === undefined || token === undefined ? undefined : { token, status };
}

/** The mail itself, or its headers. */
const returnedTypes: ReadonlySet<string> = new Set([
  ...["message/rfc822", "text/rfc822-headers", "message/rfc822-headers"],
  ...["message/global", "message/global-headers"],
]);

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  /** In lower case, without parameters. */
  readonly type: string;
  readonly body: string;
}

interface Count {
  parts: number;
}

/** The parts of the first multipart/report; never that of a message within the message. */
function findReport(part: Part, count: Count, levelsLeft: number): readonly Part[] | undefined {
  if (!part.type.startsWith("multipart/")) return undefined;
  if (levelsLeft === 0) throw tooComplex();
  const parts = partsOf(part, count);
  if (part.type === "multipart/report") return parts;
  for (const inner of parts) {
    const report = findReport(inner, count, levelsLeft - 1);
    if (report !== undefined) return report;
  }
  return undefined;
}

function partOf(text: string, count: Count): Part {
  count.parts += 1;
  if (count.parts > maxParts) throw tooComplex();
  const [head, body] = splitHead(text);
  const headers = headersIn(head);
  const type = (headers.get("content-type") ?? "text/plain").split(";")[0] ?? "";
  return { headers, type: type.trim().toLowerCase(), body };
}

function partsOf({ headers, body }: Part, count: Count): Part[] {
  const found = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s";]{1,200}))/i.exec(headers.get("content-type") ?? "");
  const boundary = found?.[1] ?? found?.[2];
  return boundary === undefined ? [] : bodiesBetween(body, `--${boundary}`).map((text) => partOf(text, count));
}

/** What stands between the lines of a delimiter (RFC 2046 §5.1.1). */
function bodiesBetween(body: string, delimiter: string): string[] {
  const bodies: string[] = [];
  let begin = -1;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, at + delimiter.length)) {
    if (at > 0 && body[at - 1] !== "\n") continue;
    const lineEnd = body.indexOf("\n", at);
    const rest = body.slice(at + delimiter.length, lineEnd === -1 ? undefined : lineEnd).trimEnd();
    // Another delimiter may begin like this one.
    if (rest !== "" && rest !== "--") continue;
    if (begin !== -1) bodies.push(body.slice(begin, Math.max(begin, at - 1)));
    if (bodies.length > maxParts) throw tooComplex();
    begin = rest === "" && lineEnd !== -1 ? lineEnd + 1 : -1;
    if (rest === "--") break;
  }
  return bodies;
}

/** The content of a part as it was before it was encoded for transport. */
function contentOf({ headers, body }: Part): string {
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding === "base64") return Buffer.from(body, "base64").toString("latin1");
  if (encoding !== "quoted-printable") return body;
  return body
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * The status of the first recipient when none of them has got the mail, and no server tries any more (RFC 3464 §2.3.3):
 * our mails have one, but an address may stand for several people.
 */
function failureOf(text: string): string | undefined {
  const groups = text.split(/\r?\n[ \t]*\r?\n/, maxGroups).map(headersIn);
  const recipients = groups.filter((group) => group.has("action"));
  const hasFailed = recipients.every((group) => group.get("action")?.toLowerCase() === "failed");
  if (recipients.length === 0 || !hasFailed) return undefined;
  return /^[45]\.\d{1,3}\.\d{1,3}(?![.\d])/.exec(recipients[0]?.get("status") ?? "")?.[0] ?? "";
}

const headersOf = (message: string): ReadonlyMap<string, string> => headersIn(splitHead(message)[0]);

function splitHead(text: string): [head: string, body: string] {
  // A part may begin with the empty line: it has no headers.
  const start = /^\r?\n/.exec(text);
  if (start !== null) return ["", text.slice(start[0].length)];
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text : text.slice(0, end.index);
  if (head.length > maxHeadBytes) throw tooComplex();
  return [head, end === null ? "" : text.slice(end.index + end[0].length)];
}

/** By their names in lower case; of several with one name the first. */
function headersIn(head: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of head.replaceAll(/\r?\n(?=[ \t])/g, "").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name !== "" && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

const tooComplex = (): DomainError =>
  new DomainError("VALIDATION_FAILED", {
    message: `The message has more than ${maxParts} parts, is nested deeper than ${maxDepth} levels or has a header block of more than ${maxHeadBytes} bytes.`,
  });

/** Reads what Amazon SES tells of its mails through SNS. */
export interface SnsReader {
  /**
   * The mail that came back for good; undefined for all else, and for what SNS has not signed. Confirms a subscription.
   * Rejects while what it needs from SNS cannot be had: SNS then sends the message again.
   */
  read(body: string): Promise<FailedMail | undefined>;
}

const answerMs = 5_000;
const keptMs = 86_400_000;
const maxKeys = 50;

export function createSnsReader({ fetch, logger }: { readonly fetch: Fetch; readonly logger: Logger }): SnsReader {
  const keys = new LRUCache<string, KeyObject>({ max: maxKeys, ttl: keptMs });
  const get = async (url: string): Promise<string> => {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(answerMs) });
    if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
    return response.text();
  };
  const keyAt = async (url: string): Promise<KeyObject> => {
    const known = keys.get(url);
    if (known !== undefined) return known;
    const key = createPublicKey(await get(url));
    keys.set(url, key);
    return key;
  };
  return {
    read: async (body) => {
      const message = parseMessage(body);
      const host = message && hostOfTopic(message.TopicArn ?? "");
      if (message === undefined || host === undefined) return undefined;
      const { SigningCertURL = "" } = message;
      if (!SigningCertURL.startsWith(`https://${host}/`) || !keyFile.test(SigningCertURL)) return undefined;
      if (!isSigned(message, await keyAt(SigningCertURL))) return undefined;
      if (message.Type === "Notification") return failedMailOf(message.Message ?? "");
      if (message.Type === "SubscriptionConfirmation") {
        await get(confirmationOf(host, message));
        logger.info({ topic: message.TopicArn }, "reports of mails that come back are subscribed to");
      }
      return undefined;
    },
  };
}

type Message = Readonly<Partial<Record<(typeof members)[number], string>>>;

const members = [
  ...["Type", "MessageId", "Token", "TopicArn", "Subject", "Message", "SubscribeURL", "Timestamp"],
  ...["SignatureVersion", "Signature", "SigningCertURL"],
] as const;

/** Undefined unless every member that SNS writes is a text. */
function parseMessage(body: string): (Message & Record<string, string | undefined>) | undefined {
  const json = parsed(body);
  if (members.some((name) => json[name] !== undefined && typeof json[name] !== "string")) return undefined;
  return json as Record<string, string | undefined>;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null && !Array.isArray(json) ? { ...json } : {};
  } catch {
    return {};
  }
}

/**
 * The host of SNS in the region of a topic. Nothing else of a message chooses where this process connects to, so nobody
 * can have it ask another host. A region is spelled as such: `sns.s3-us-west-2.amazonaws.com` would be a bucket named
 * sns, where whoever has it keeps a key.
 */
function hostOfTopic(topic: string): string | undefined {
  const [, partition = "", region] =
    /^arn:aws(-cn|-us-gov)?:sns:([a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d{1,2}):\d{12}:[\w.-]{1,260}$/.exec(topic) ?? [];
  return region && `sns.${region}.amazonaws.com${partition === "-cn" ? ".cn" : ""}`;
}

const keyFile = /^https:\/\/[a-z0-9.-]+\/SimpleNotificationService-[0-9a-f]{1,64}\.pem$/;

const confirmationOf = (host: string, { TopicArn = "", Token = "" }: Message): string =>
  `https://${host}/?${new URLSearchParams({ Action: "ConfirmSubscription", TopicArn, Token })}`;

/** What is signed of each kind, in this order; a subject only where there is one. */
const signedMembers = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
} as const;

const digests = { "1": "sha1", "2": "sha256" } as const;

function isSigned(message: Message, key: KeyObject): boolean {
  const { Type = "", SignatureVersion = "", Signature = "" } = message;
  const digest = Object.hasOwn(digests, SignatureVersion) && digests[SignatureVersion as keyof typeof digests];
  if (!digest || !Object.hasOwn(signedMembers, Type)) return false;
  const names: readonly (keyof Message)[] = signedMembers[Type as keyof typeof signedMembers];
  const text = names.map((name) => (message[name] === undefined ? "" : `${name}\n${message[name]}\n`)).join("");
  return verify(digest, Buffer.from(text), key, Buffer.from(Signature, "base64"));
}

/** A bounce after which SES sends nothing more to the address. The token stands in the headers of the mail. */
function failedMailOf(text: string): FailedMail | undefined {
  const { notificationType, eventType, bounce, mail } = parsed(text);
  if ((notificationType ?? eventType) !== "Bounce") return undefined;
  const { bounceType, bouncedRecipients } = objectOf(bounce);
  if (bounceType !== "Permanent") return undefined;
  const header = listOf(objectOf(mail).headers)
    .map(objectOf)
    .find(({ name }) => typeof name === "string" && name.toLowerCase() === "x-assent-report");
  const { status } = objectOf(listOf(bouncedRecipients)[0]);
  if (typeof header?.value !== "string") return undefined;
  return {
    token: header.value,
    status: typeof status === "string" && /^[45]\.\d{1,3}\.\d{1,3}$/.test(status) ? status : "",
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, 1_000) : []);

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {};
