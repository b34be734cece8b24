import { utf8Text } from "./bytes.ts";
import { ensure, erased, type Finding, fail, find, notPresent, type Outcome, pass } from "./finding.ts";
import { isSameJson, type Json, parseJson } from "./json.ts";
import { parseJws } from "./jws.ts";
import {
  expectedChecks,
  missingPurposes,
  type PageEvent,
  type PageFacts,
  type PolicyCheck,
  type PolicyFacts,
  pageFacts,
} from "./policy-rules.ts";
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
