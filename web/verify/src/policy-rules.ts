import { isObject, type Json } from "./json.ts";
import { at, items } from "./read.ts";

/** What a flag asked for and what was found. */
export interface PolicyCheck {
  readonly flag: string;
  readonly required: Json;
  readonly observed: Json;
  /** SERVER: the service saw it itself. CLIENT: the sender of the acceptance or the page says so. */
  readonly source: "SERVER" | "CLIENT";
  readonly ok: boolean;
}

/** What the page of a session told while it was open. */
export interface PageFacts {
  readonly scrolledToEnd: boolean;
  readonly linksOpened: number;
  /** How the box was left; null when it was not touched. */
  readonly ticked: boolean | null;
  /** The disclosure on electronic records was on the screen. */
  readonly disclosed?: boolean;
}

/** What a page told. */
export interface PageEvent {
  readonly type: string;
  readonly target: Json;
}

export interface PolicyFacts {
  /** The flags in force. */
  readonly flags: Json;
  readonly isConsent: boolean;
  readonly isDecline: boolean;
  /** Without a session. */
  readonly isDirect: boolean;
  readonly action: string;
  /** As the sender of the acceptance told it. */
  readonly presentation: Json;
  /** How many purposes were decided. */
  readonly purposes: number;
  readonly typedName: string | null;
  /** The names of the methods by which the user was verified. */
  readonly methods: readonly string[];
  /** Null when the page told nothing. */
  readonly page: PageFacts | null;
  /** What the page told counted as seen by the service in version 0.1.0; since then it counts as told. */
  readonly pageSource?: PolicyCheck["source"];
  /** Since when the text may have been on display, in milliseconds since 1970; null when nothing tells. */
  readonly displayedSince: number | null;
  readonly acceptedAt: number;
  /** The words that were handed out have the disclosure. Without it the flag was not enforced: in releases up to 0.1.0. */
  readonly hasDisclosure: boolean;
}

/** The checks that these flags ask for and what they find, in the order in which the service makes them. */
export function expectedChecks(facts: PolicyFacts): PolicyCheck[] {
  const direct = facts.isDirect ? [server("allowDirectAccept", true, isOn(facts, "allowDirectAccept"))] : [];
  if (facts.isDecline) {
    const flags = ["allowDecline", "recordDecline"];
    return [...direct, ...flags.map((flag) => server(flag, true, isOn(facts, flag)))];
  }
  return [
    ...direct,
    ...when(isOn(facts, "requireRenderToken"), () => server("requireRenderToken", true, true)),
    ...when(facts.hasDisclosure && isOn(facts, "esignDisclosure"), () => disclosure(facts)),
    ...when(isOn(facts, "requireCheckbox"), () => checkbox(facts)),
    ...when(facts.isConsent || isOn(facts, "requireCheckbox"), () => initialState(facts)),
    ...when(isOn(facts, "requireScroll"), () => scroll(facts)),
    ...when(isOn(facts, "requireView"), () => view(facts)),
    ...displayTime(facts),
    ...when(isOn(facts, "requireTypedName"), () => typedName(facts)),
    ...when(isOn(facts, "requireAuthenticatedUser"), () => authenticated(facts)),
    ...age(facts),
    ...verification(facts),
  ];
}

const when = <T>(applies: boolean, make: () => T): T[] => (applies ? [make()] : []);

const isOn = ({ flags }: PolicyFacts, flag: string): boolean => at(flags, flag) === true;

const server = (flag: string, required: Json, observed: Json, ok = observed === required): PolicyCheck => ({
  flag,
  required,
  observed,
  source: "SERVER",
  ok,
});

const client = (flag: string, required: Json, observed: Json, ok = observed === required): PolicyCheck => ({
  ...server(flag, required, observed, ok),
  source: "CLIENT",
});

const told = (facts: PolicyFacts, flag: string, observed: Json, ok = observed === true): PolicyCheck => ({
  ...client(flag, true, observed, ok),
  source: facts.pageSource ?? "CLIENT",
});

function disclosure({ page, presentation }: PolicyFacts): PolicyCheck {
  const events = items(at(presentation, "events"));
  const isTold = events.some((event) => isDisclosing({ type: String(at(event, "type")), target: at(event, "target") }));
  return client("esignDisclosure", true, page?.disclosed === true || isTold);
}

const isDisclosing = ({ type, target }: PageEvent): boolean => type === "DISPLAYED" && target === "esignDisclosure";

/** What the page told when it happened counts more than what was said afterwards. Of consents the purposes are the boxes. */
function checkbox(facts: PolicyFacts): PolicyCheck {
  const { isConsent, purposes, action, page, presentation } = facts;
  if (isConsent) return client("requireCheckbox", true, purposes > 0);
  if (page !== null && page.ticked !== null) return told(facts, "requireCheckbox", page.ticked);
  const touches = items(at(presentation, "events"))
    .map((event) => at(event, "type"))
    .filter((type) => type === "CHECKED" || type === "UNCHECKED");
  const isTicked = ["CHECKBOX", "CHECKBOX_AND_BUTTON"].includes(action) || touches.at(-1) === "CHECKED";
  return client("requireCheckbox", true, isTicked);
}

function initialState({ presentation }: PolicyFacts): PolicyCheck {
  const observed = at(presentation, "checkboxInitiallyChecked");
  return client("checkboxInitiallyChecked", false, observed, observed !== true);
}

function scroll(facts: PolicyFacts): PolicyCheck {
  const { page, presentation } = facts;
  if (page?.scrolledToEnd === true) return told(facts, "requireScroll", true);
  return client("requireScroll", true, at(presentation, "scrolledToEnd"));
}

function view(facts: PolicyFacts): PolicyCheck {
  const { page, presentation } = facts;
  if (page !== null && page.linksOpened > 0) return told(facts, "requireView", page.linksOpened, true);
  const opened = items(at(presentation, "documentsOpened")).length;
  return client("requireView", true, opened, opened > 0);
}

/** By the clock of the service: what the client measured does not count. */
function displayTime({ flags, displayedSince, acceptedAt }: PolicyFacts): PolicyCheck[] {
  const required = at(flags, "minDisplaySeconds");
  if (typeof required !== "number" || required === 0) return [];
  const observed = displayedSince === null ? null : Math.floor((acceptedAt - displayedSince) / 1000);
  return [server("minDisplaySeconds", required, observed, observed !== null && observed >= required)];
}

function typedName({ flags, typedName: name }: PolicyFacts): PolicyCheck {
  const typed = comparable(name ?? "");
  const expected = at(flags, "expectedName");
  const isExpected = typeof expected !== "string" || typed === comparable(expected);
  return client("requireTypedName", true, typed !== "", typed !== "" && isExpected);
}

const comparable = (name: string): string => name.normalize("NFKC").trim().replaceAll(/\s+/g, " ").toLowerCase();

const authenticating = ["CUSTOMER_SESSION", "EMAIL_OTP", "SMS_OTP", "OIDC", "PASSKEY"];

const authenticated = ({ methods }: PolicyFacts): PolicyCheck =>
  client(
    "requireAuthenticatedUser",
    true,
    methods.some((method) => authenticating.includes(method)),
  );

function age({ flags, methods }: PolicyFacts): PolicyCheck[] {
  const required = at(flags, "minAge");
  if (typeof required !== "number" || required <= 0) return [];
  const isStated = methods.includes("AGE_STATEMENT");
  return [client("minAge", required, isStated, isStated)];
}

/** Methods of verification for which the customer's statement is accepted as proof. */
const claimable = ["CUSTOMER_ATTESTED", "CUSTOMER_SESSION", "TYPED_NAME", "AGE_STATEMENT"];

function verification({ flags, methods, typedName: name }: PolicyFacts): PolicyCheck[] {
  const required = items(at(flags, "verificationMethods")).filter((method) => method !== "NONE");
  if (required.length === 0) return [];
  const isPassed = (method: Json): boolean =>
    typeof method === "string" &&
    claimable.includes(method) &&
    (methods.includes(method) || (method === "TYPED_NAME" && (name ?? "").trim() !== ""));
  const passed = required.filter(isPassed);
  const ok = at(flags, "verificationMode") === "ANY" ? passed.length > 0 : passed.length === required.length;
  return [client("verificationMethods", required, passed, ok)];
}

/** Summarises the events of a page. */
export function pageFacts(events: readonly PageEvent[]): PageFacts | null {
  if (events.length === 0) return null;
  const types = events.map(({ type }) => type);
  const touches = types.filter((type) => type === "CHECKED" || type === "UNCHECKED");
  return {
    scrolledToEnd: types.includes("SCROLLED_TO_END"),
    linksOpened: types.filter((type) => type === "LINK_OPENED").length,
    ticked: touches.length === 0 ? null : touches.at(-1) === "CHECKED",
    ...(events.some(isDisclosing) ? { disclosed: true } : {}),
  };
}

/** The required purposes of a consent that were not granted. */
export function missingPurposes(typeConfig: Json, granted: readonly string[]): string[] {
  return items(at(typeConfig, "purposes"))
    .filter((purpose) => isObject(purpose) && at(purpose, "required") === true)
    .map((purpose) => String(at(purpose, "key")))
    .filter((key) => !granted.includes(key));
}
