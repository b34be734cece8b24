import type { Connect } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { type OutboundRules, outboundUrlProblem } from "#platform/net/outbound-url.ts";
import { flagText, type Written } from "../../../views/compat/scalars.ts";
import type { Reader } from "../read/reader.ts";
import { refuseMeaningful } from "../read/refuse.ts";

/** What a Connect configuration says, with texts for flags as it is answered. */
export type ConnectSettings = Readonly<Record<string, Written>>;

const texts = [
  "name",
  "urlToPublishTo",
  "configurationType",
  "deliveryMode",
  "soapNamespace",
  "allUsersExcept",
] as const;
const flags = [
  "allowEnvelopePublish",
  "allUsers",
  "enableLog",
  "requiresAcknowledgement",
  "includeHMAC",
  "includeDocuments",
  "includeDocumentFields",
  "includeCertificateOfCompletion",
  "includeEnvelopeVoidReason",
  "includeTimeZoneInformation",
  "includeSenderAccountasCustomField",
  "signMessageWithX509Certificate",
  "integratorManaged",
] as const;
const lists = ["events", "envelopeEvents", "recipientEvents", "userIds", "groupIds"] as const;

/** What a configuration consists of, for the description of the interface. */
export const connectProperties = { texts: [...texts, ...flags], lists } as const;

/** What would have to be kept secret, or would make something else of the deliveries than they are. */
const refused = [
  "includeOAuth",
  "enableOAuthPerConfiguration",
  "requireMutualTls",
  "useSoapInterface",
  "password",
  "salesforceAuthcode",
] as const;

/** The settings of a request; those that it does not name are as they were before. */
export function readConnectSettings(body: Reader, rules: OutboundRules, before: ConnectSettings = {}): ConnectSettings {
  refuseMeaningful(body, refused);
  const given: Record<string, Written> = { ...before };
  for (const name of texts) {
    const text = body.text(name)?.trim();
    if (text !== undefined && text.length > maxTextLength) body.problem(name, "MAX_LENGTH", tooLong);
    else if (text !== undefined) given[name] = text;
  }
  for (const name of flags) {
    const flag = body.flag(name);
    if (flag !== undefined) given[name] = flagText(flag);
  }
  for (const name of lists) if (body.has(name)) given[name] = listOf(body, name);
  const eventData = body.object("eventData");
  if (eventData !== undefined) given.eventData = readEventData(eventData);
  requireUrl(body, "urlToPublishTo", given.urlToPublishTo, rules);
  return given;
}

/** Whether events may be sent there. Which addresses its name has is looked at when they are. */
export function requireUrl(reader: Reader, name: string, given: Written | undefined, rules: OutboundRules): void {
  const problem = outboundUrlProblem(typeof given === "string" ? given : "", rules);
  if (problem !== undefined) reader.problem(name, "FORMAT", problem);
}

/** The settings that were stored, as they were read. */
export const settingsOf = ({ settingsJson }: Pick<Connect, "settingsJson">): ConnectSettings =>
  JSON.parse(settingsJson === "" ? "{}" : settingsJson);

const maxTextLength = 2_048;
const tooLong = `must be at most ${maxTextLength} characters`;

/** Other formats than JSON are not sent. */
export function readEventData(eventData: Reader): Written {
  const format = eventData.text("format")?.trim().toLowerCase();
  if (format !== undefined && format !== "json") eventData.problem("format", "UNSUPPORTED", "must be json");
  const version = eventData.text("version")?.trim();
  return {
    ...(version === undefined ? {} : { version: version.slice(0, maxItemLength) }),
    ...(format === undefined ? {} : { format }),
    includeData: listOf(eventData, "includeData"),
  };
}

const maxItems = 100;
const maxItemLength = 100;

/** Commas are how some clients write a list. */
function listOf(body: Reader, name: string): readonly string[] {
  const raw = body.raw(name);
  // Old interfaces have objects here: [{ "envelopeEventStatusCode": "completed" }].
  const items =
    Array.isArray(raw) && raw.some((item) => typeof item === "object") ? statusCodes(body, name) : split(body, name);
  if (items.length > maxItems) body.problem(name, "MAX_ITEMS", `must have at most ${maxItems} items`);
  if (items.some((item) => item.length > maxItemLength)) {
    body.problem(name, "MAX_LENGTH", `must have items of at most ${maxItemLength} characters`);
  }
  return items;
}

const statusCodes = (body: Reader, name: string): string[] =>
  body
    .objects(name)
    .flatMap((item) => item.text("envelopeEventStatusCode") ?? item.text("recipientEventStatusCode") ?? []);

function split(body: Reader, name: string): string[] {
  const raw = body.raw(name);
  const items = typeof raw === "string" ? raw.split(",") : body.texts(name);
  return items.map((item) => item.trim()).filter((item) => item !== "");
}
