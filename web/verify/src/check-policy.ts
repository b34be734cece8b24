import { utf8Text } from "./bytes.ts";
import { ensure, erased, type Finding, fail, find, notPresent, type Outcome, pass } from "./finding.ts";
import { isObject, isSameJson, type Json, parseJson, parseJws } from "./json.ts";
import { asList, asText, at, items, list, text, time, timeOrNull } from "./read.ts";
import { isAcceptance, type LogRecord } from "./records.ts";
import type { Run } from "./run.ts";
import { type ShownAcceptance, shownAcceptance } from "./shown-acceptance.ts";

/** That the flags in force were satisfied, as far as what the bundle shows can tell. */
export async function checkPolicies(run: Run): Promise<Finding[]> {
  const acceptances = run.records.filter(isAcceptance);
  if (acceptances.length === 0) {
    return [await find("POLICY", undefined, () => notPresent("Nothing was accepted, so nothing had to be satisfied."))];
  }
  return Promise.all(acceptances.map((record) => find("POLICY", record.id, () => checkPolicy(run, record))));
}

function checkPolicy(run: Run, record: LogRecord): Outcome {
  const shown = shownAcceptance(run, record) ?? fail("the bundle has no receipt for this record");
  if (record.hidden === "erased") return erased("What the checks rest on was erased with the person's data.");
  const stated = shown.checks;
  if (record.hidden !== undefined && record.disclosures.length === 0) return checkStated(run, record, shown);
  for (const check of items(stated)) {
    ensure(at(check, "ok") === true, `the check of ${String(at(check, "flag"))} was not passed`);
  }
  requireDisclosure(run, record);
  const candidates = possibleFacts(run, record, shown).map(expectedChecks);
  const isExpected = candidates.some((checks) => isSameJson(asJson(checks), stated));
  if (!isExpected) fail(describeDifference(candidates[0] ?? [], stated));
  requirePurposes(run, record);
  const flags = candidates[0]?.map(({ flag }) => flag) ?? [];
  return pass(flags.length === 0 ? "No flag asked for anything." : `Satisfied, recomputed: ${flags.join(", ")}.`);
}

const asJson = (checks: readonly PolicyCheck[]): Json => checks.map((check) => ({ ...check }));

/** When the facts are hidden, only checks that the bundle names the checks that its flags ask for. */
function checkStated(run: Run, record: LogRecord, shown: ShownAcceptance): Outcome {
  const checks = items(shown.checks);
  if (checks.length > 0) {
    const [facts] = possibleFacts(run, record, { ...shown, renderToken: null });
    const expected = expectedChecks(facts as PolicyFacts).map(({ flag }) => flag);
    const stated = checks.map((check) => (at(check, "ok") === true ? text(check, "flag") : ""));
    ensure(isSameJson(stated, expected), "the checks that the bundle states are not those that the flags ask for");
  }
  return notPresent(`What the checks rest on is ${record.hidden}; the bundle states that they were passed.`);
}

/** All results that are possible within the differences of the service's clocks. */
function possibleFacts(run: Run, record: LogRecord, shown: ShownAcceptance): PolicyFacts[] {
  const { bundle } = run;
  const { leaf, receipt } = record;
  const methods = asList(shown.verification ?? [], "subject.verification");
  const facts = {
    flags: at(bundle, "policy.flags"),
    isConsent: at(bundle, "agreement.template.type") === "CONSENT",
    isDecline: at(leaf, "kind") === "click.decline",
    isDirect: isDirect(run),
    action: text(leaf, "act"),
    presentation: shown.presentation,
    purposes: list(receipt, "purposes").length,
    typedName: shown.typedName === null ? null : asText(shown.typedName, "subject.typedName"),
    methods: methods.map((method) => text(method, "method")),
    acceptedAt: time(leaf, "acceptedAt"),
    // All acceptances of a session were shown the same words, which are compared with the hash in the leaf.
    hasDisclosure: at(bundle, "presentation.rendering.words.disclosure") !== null,
  };
  const since = displayedSince(run, record, shown);
  return pagesBefore(run, facts.acceptedAt).flatMap((page) =>
    since.flatMap((moment) =>
      pageSources.map((pageSource) => ({ ...facts, page, displayedSince: moment, pageSource })),
    ),
  );
}

const pageSources = ["CLIENT", "SERVER"] as const;

/** What the page had told when the service looked, which may have been just before the last events came. */
function pagesBefore({ bundle }: Run, acceptedAt: number): (PageFacts | null)[] {
  const events = pageEvents(bundle).filter(({ serverAt }) => serverAt <= acceptedAt + skewMs);
  const certain = events.filter(({ serverAt }) => serverAt < acceptedAt - skewMs).length;
  return Array.from({ length: events.length - certain + 1 }, (_, late) =>
    pageFacts(events.slice(0, events.length - late)),
  );
}

/** The timeline also repeats what the senders of acceptances told, under the time of their acceptance. */
function pageEvents(bundle: Json): (PageEvent & { readonly serverAt: number })[] {
  const acceptances = list(bundle, "receipts").map((receipt) => text(receipt, "acceptedAt"));
  return list(bundle, "timeline")
    .filter((entry) => at(entry, "actor") === "USER" && !acceptances.includes(text(entry, "serverAt")))
    .map((entry) => ({ type: text(entry, "type"), target: at(entry, "detail"), serverAt: time(entry, "serverAt") }));
}

function describeDifference(expected: readonly PolicyCheck[], stated: Json): string {
  const checks = items(stated);
  const missed = expected.find(({ flag }) => !checks.some((check) => at(check, "flag") === flag));
  if (missed !== undefined) return `the flag ${missed.flag} was in force and the bundle states no check of it`;
  const other = checks.find((check) => !expected.some((one) => isSameJson({ ...one }, check)));
  if (other === undefined) return "the checks that the bundle states are not those that the flags ask for";
  const flag = String(at(other, "flag"));
  const recomputed = expected.find((one) => one.flag === flag);
  if (recomputed === undefined) return `no flag in force asks for the check of ${flag} that the bundle states`;
  const found = JSON.stringify({ observed: recomputed.observed, source: recomputed.source, ok: recomputed.ok });
  return `the check of ${flag} comes to ${found}, not to what the bundle states`;
}

/** The releases that did not enforce the flag yet wrote records with fewer digests. */
function requireDisclosure({ bundle }: Run, { leaf }: LogRecord): void {
  const isOn = at(bundle, "policy.flags.esignDisclosure") === true && at(leaf, "kind") === "click.acceptance";
  if (!isOn || list(leaf, "_sd").length < 17) return;
  const isHeld = at(bundle, "presentation.rendering.words.disclosure") !== null;
  ensure(isHeld, "the flag esignDisclosure was in force and the words that were shown have no disclosure");
}

function requirePurposes({ bundle }: Run, { receipt }: LogRecord): void {
  const isAsked = at(bundle, "agreement.template.type") === "CONSENT" && at(receipt, "decision") === "ACCEPT";
  if (!isAsked) return;
  const granted = list(receipt, "purposes").filter((one) => at(one, "granted") === true);
  const keys = granted.map((one) => text(one, "purpose"));
  const [missing] = missingPurposes(at(bundle, "agreement.template.typeConfig"), keys);
  if (missing !== undefined) fail(`the required purpose ${missing} was not granted`);
}

/** How far the clocks of two processes of the service may differ. */
const skewMs = 5_000;

export const isDirect = ({ bundle }: Run): boolean => at(bundle, "session.origin") === "DIRECT";

/**
 * Since when the text may have been on display when it was accepted, in milliseconds since 1970: what the service counted
 * from. Without a session its render token tells. Two answers when clocks leave both possible; null when nothing tells.
 */
export function displayedSince(
  run: Run,
  { leaf }: LogRecord,
  { renderToken }: ShownAcceptance,
): readonly (number | null)[] {
  if (isDirect(run)) return [renderToken === null ? null : tokenTime(readTokenClaims(renderToken).claims)];
  const acceptedAt = time(leaf, "acceptedAt");
  const createdAt = time(run.bundle, "session.createdAt");
  const presentedAt = timeOrNull(run.bundle, "session.presentedAt");
  // A session that may be used many times can be accepted through the API before it is ever presented.
  if (presentedAt === null || presentedAt > acceptedAt + skewMs) return [createdAt];
  return presentedAt < acceptedAt - skewMs ? [presentedAt] : [presentedAt, createdAt];
}

const renderTyp = "click-render+jws";

export function readTokenClaims(token: Json) {
  const name = "the render token";
  const jws = parseJws(typeof token === "string" ? token : fail(`${name} is not a text`), renderTyp, name);
  return { jws, claims: parseJson(utf8Text(jws.payload, name), name) };
}

/** Tokens tell seconds, with fractions. */
export function tokenTime(claims: Json): number {
  const iat = at(claims, "iat");
  return typeof iat === "number" ? Math.round(iat * 1000) : fail("the render token does not say when it was made");
}

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
function missingPurposes(typeConfig: Json, granted: readonly string[]): string[] {
  return items(at(typeConfig, "purposes"))
    .filter((purpose) => isObject(purpose) && at(purpose, "required") === true)
    .map((purpose) => String(at(purpose, "key")))
    .filter((key) => !granted.includes(key));
}
