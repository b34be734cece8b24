import type { Connect } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { type OutboundRules, outboundUrlProblem } from "#platform/net/outbound-url.ts";
import { flagText, type Written } from "../../../views/compat/scalars.ts";
import type { Reader } from "../read/reader.ts";
import { refuseMeaningful } from "../read/refuse.ts";

/** A Connect configuration. Flags are texts, as in answers. */
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

/** The members of a configuration, for OpenAPI. */
export const connectProperties = { texts: [...texts, ...flags], lists } as const;

/** Members that are refused: they are secrets, or would change what is delivered. */
const refused = [
  "includeOAuth",
  "enableOAuthPerConfiguration",
  "requireMutualTls",
  "useSoapInterface",
  "password",
  "salesforceAuthcode",
] as const;

/** The settings after a request; members that it does not name keep their value. */
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

/** Whether events may be sent to this URL. The IP addresses of its host are checked at each delivery. */
export function requireUrl(reader: Reader, name: string, given: Written | undefined, rules: OutboundRules): void {
  const problem = outboundUrlProblem(typeof given === "string" ? given : "", rules);
  if (problem !== undefined) reader.problem(name, "FORMAT", problem);
}

/** The stored settings, in the form that requests are read to. */
export const settingsOf = ({ settingsJson }: Pick<Connect, "settingsJson">): ConnectSettings =>
  JSON.parse(settingsJson === "" ? "{}" : settingsJson);

const maxTextLength = 2_048;
const tooLong = `must be at most ${maxTextLength} characters`;

/** Only JSON is sent. */
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

/** Some clients send a list as one text with commas. */
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
