import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** What a configuration of the compatible interface asks for, of an account or of one agreement. */
export interface ConnectReceiver {
  readonly url: string;
  /** Names such as envelope-sent; empty for all. */
  readonly events: readonly string[];
  /** Names such as recipients. */
  readonly includeData: readonly string[];
  /** Whether it asks for signed requests. */
  readonly signs: boolean;
  /** A request that fails is made again, and later ones wait for it. */
  readonly requiresAcknowledgement: boolean;
  readonly isEnabled: boolean;
  /** Of an account. */
  readonly connectId?: number;
}

/** Reads the settings of an account, or an eventNotification. */
export function receiverOf(settings: JsonObject): ConnectReceiver {
  const properties = propertiesOf(settings);
  const connectId = Number(properties.get("connectid") ?? 0);
  return {
    url: textOf(properties.get("urltopublishto") ?? properties.get("url")),
    events: eventsOf(properties),
    includeData: includedBy(properties),
    signs: isSet(properties, "includehmac"),
    requiresAcknowledgement: acknowledgements.some((name) => isSet(properties, name)),
    isEnabled: textOf(properties.get("allowenvelopepublish")).toLowerCase() !== "false",
    ...(Number.isSafeInteger(connectId) && connectId > 0 ? { connectId } : {}),
  };
}

/** The receivers that an agreement names, in the order in which its events count them. */
export function receiversOfAgreement(subscriptionJson: string): readonly ConnectReceiver[] {
  const subscription: unknown = subscriptionJson === "" ? {} : JSON.parse(subscriptionJson);
  if (!isObject(subscription)) return [];
  const { eventNotification, eventNotifications } = subscription;
  const several = Array.isArray(eventNotifications) ? eventNotifications : [];
  return [eventNotification, ...several].filter(isObject).map(receiverOf);
}

/** Properties may be spelled in any case, as in requests. */
type Properties = ReadonlyMap<string, JsonValue>;

const propertiesOf = (object: JsonObject): Properties =>
  new Map(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]));

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Both spellings are in use. */
const acknowledgements = ["requiresacknowledgement", "requireacknowledgment", "requireacknowledgement"] as const;

/** Flags come as texts too. */
const isSet = (properties: Properties, name: string): boolean => textOf(properties.get(name)).toLowerCase() === "true";

const textOf = (value: JsonValue | undefined): string =>
  typeof value === "string" || typeof value === "boolean" || typeof value === "number" ? String(value).trim() : "";

/** The two older lists have names of their own: Completed is envelope-completed in one and recipient-completed in the other. */
const eventsOf = (properties: Properties): readonly string[] =>
  [
    ...new Set([
      ...listOf(properties.get("events")).map(textOf).map(eventName),
      ...listOf(properties.get("envelopeevents")).map((item) => legacyName(item, "envelope")),
      ...listOf(properties.get("recipientevents")).map((item) => legacyName(item, "recipient")),
    ]),
  ].filter((name) => name !== "");

const eventName = (name: string): string =>
  name.includes("-") || name === "" ? name.toLowerCase() : prefixed("envelope", name);

function legacyName(item: JsonValue, about: "envelope" | "recipient"): string {
  const status = textOf(isObject(item) ? propertiesOf(item).get(`${about}eventstatuscode`) : item);
  return status === "" ? "" : prefixed(about, status);
}

const prefixed = (about: "envelope" | "recipient", status: string): string => {
  const name = status.toLowerCase();
  if (name.startsWith(`${about}-`)) return name;
  return name === "finishlater" ? `${about}-finish-later` : `${about}-${name}`;
};

/** Older configurations ask for the documents by a flag. */
function includedBy(properties: Properties): readonly string[] {
  const eventData = properties.get("eventdata");
  const listed = isObject(eventData) ? listOf(propertiesOf(eventData).get("includedata")).map(textOf) : [];
  const names = isSet(properties, "includedocuments") ? [...listed, "documents"] : listed;
  return [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => name !== "");
}

/** Commas are how some clients write a list. */
const listOf = (value: JsonValue | undefined): readonly JsonValue[] => {
  if (typeof value === "string") return value.split(",");
  return Array.isArray(value) ? value : [];
};
