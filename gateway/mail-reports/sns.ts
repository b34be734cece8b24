import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Logger } from "#platform/logger.ts";
import type { Fetch } from "#platform/net/egress-fetch.ts";
import type { FailedMail } from "./delivery-report.ts";

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
