import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { daysAfter } from "#platform/clock.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import type { Assessment } from "../accept/assessment.ts";
import { problem, refuse as refuseFields } from "../problems.ts";
import type { Agreement } from "../terms/agreement.ts";
import { jurisdictionOf, type KeptTerms, type Terms } from "../terms/terms.ts";
import { type AskedText, type ConsentEvent, isGrant, stateAt } from "./consent.ts";

export type ConsentDecision = "GRANT" | "DENY" | "WITHDRAW" | "RENEW";

/** The request for one purpose. */
export interface ConsentRequest {
  readonly purpose: string;
  readonly decision: ConsentDecision;
  /** The purpose's path in the request. */
  readonly field: string;
  /** When the caller wants the grant to expire. */
  readonly expiresAt: Date | null;
  /** The published text that asks for the purpose; required for granting and renewing. */
  readonly offer: PurposeOffer | undefined;
}

/** A purpose as offered by a published CONSENT template. */
export interface PurposeOffer {
  readonly text: AskedText;
  readonly legalBasis: string;
  readonly jurisdiction: string | null;
  readonly expiresAfterDays: number;
}

/** A change to record. */
export type PlannedChange = Pick<
  ConsentEvent,
  "purpose" | "type" | "text" | "legalBasis" | "jurisdiction" | "grantedAt" | "expiresAt"
>;

export interface PlanInput {
  readonly requests: readonly ConsentRequest[];
  /** Withdraw every granted purpose that the requests do not name. */
  readonly withdrawAll: boolean;
  /** The latest change of each purpose. */
  readonly last: ReadonlyMap<string, ConsentEvent>;
  /** The time of the changes. */
  readonly now: Date;
}

/**
 * Plans the changes. Withdrawing what is withdrawn and denying what is denied change nothing; a grant is always
 * recorded, because it may refer to another text. Throws CLICK_CONSENT_CONFLICT for renewing what is not
 * granted, then CLICK_PURPOSE_UNKNOWN, then CLICK_VALIDATION_FAILED for too many purposes.
 */
export function planChanges(input: PlanInput): PlannedChange[] {
  const { requests, last, now } = input;
  refuseRenewals(input);
  const unknown = requests.filter((request) => needsOffer(request.decision) && request.offer === undefined);
  refuse("CLICK_PURPOSE_UNKNOWN", unknown, "UNKNOWN", "is not a purpose of a published consent template");
  refuse("CLICK_VALIDATION_FAILED", overflowing(input), "TOO_MANY", `a user can have at most ${maxPurposes} purposes`);
  return [
    ...requests.flatMap((request) => planChange(request, last.get(request.purpose), now) ?? []),
    ...(input.withdrawAll ? withdrawRest(input) : []),
  ];
}

export const needsOffer = (decision: ConsentDecision): boolean => decision === "GRANT" || decision === "RENEW";

function refuseRenewals({ requests, last }: PlanInput): void {
  const impossible = requests.filter(({ decision, purpose }) => {
    const event = last.get(purpose);
    return decision === "RENEW" && (event === undefined || !isGrant(event));
  });
  refuse("CLICK_CONSENT_CONFLICT", impossible, "NOT_GRANTED", "is not granted, so it cannot be renewed; grant it");
}

/** Anything may be withdrawn, but a user's state must fit into one response. */
const maxPurposes = 1_000;

const overflowing = ({ requests, last }: PlanInput): ConsentRequest[] =>
  requests.filter(({ purpose }) => !last.has(purpose)).slice(Math.max(0, maxPurposes - last.size));

function refuse(
  code: "CLICK_CONSENT_CONFLICT" | "CLICK_PURPOSE_UNKNOWN" | "CLICK_VALIDATION_FAILED",
  requests: readonly ConsentRequest[],
  problem: string,
  message: string,
): void {
  if (requests.length === 0) return;
  const details: FieldProblem[] = requests.map(({ field }) => ({ field: `${field}.purpose`, code: problem, message }));
  throw new DomainError(code, { details });
}

function planChange(request: ConsentRequest, last: ConsentEvent | undefined, now: Date): PlannedChange | undefined {
  const { purpose, decision, offer, expiresAt } = request;
  switch (decision) {
    case "GRANT":
    case "RENEW": {
      const type = decision === "GRANT" ? "GRANTED" : "RENEWED";
      const grantedAt = decision === "RENEW" ? (last?.grantedAt ?? now) : now;
      return grant(request, offer as PurposeOffer, {
        type,
        grantedAt,
        expiresAt: endOf(offer as PurposeOffer, expiresAt, now),
      });
    }
    case "DENY":
      return last?.type === "DENIED" ? undefined : end(purpose, decision, last);
    case "WITHDRAW":
      return last?.type === "WITHDRAWN" ? undefined : end(purpose, decision, last);
  }
}

const grant = (
  { purpose }: ConsentRequest,
  { text, legalBasis, jurisdiction }: PurposeOffer,
  change: Pick<PlannedChange, "type" | "grantedAt" | "expiresAt">,
): PlannedChange => ({ purpose, text, legalBasis, jurisdiction, ...change });

/** A caller cannot extend a grant beyond what the text allows. */
function endOf(offer: PurposeOffer, wanted: Date | null, now: Date): Date | null {
  const promised = daysAfter(now, offer.expiresAfterDays);
  if (promised === null || wanted === null) return promised ?? wanted;
  return wanted < promised ? wanted : promised;
}

/** Keeps the text that was asked, and what had been granted before a withdrawal. */
function end(purpose: string, decision: "DENY" | "WITHDRAW", last: ConsentEvent | undefined): PlannedChange {
  const { text = null, legalBasis = null, jurisdiction = null } = last ?? {};
  const about = { purpose, text, legalBasis, jurisdiction, expiresAt: null };
  return decision === "DENY"
    ? { ...about, type: "DENIED", grantedAt: null }
    : { ...about, type: "WITHDRAWN", grantedAt: last?.grantedAt ?? null };
}

function withdrawRest({ requests, last, now }: PlanInput): PlannedChange[] {
  const named = new Set(requests.map((request) => request.purpose));
  return [...last.values()]
    .filter((event) => !named.has(event.purpose) && stateAt(event, now).valid)
    .map((event) => end(event.purpose, "WITHDRAW", event));
}

/** The decision of an acceptance for one purpose of a CONSENT template. */
export interface AcceptedConsent {
  readonly eventId: string;
  readonly purpose: string;
  readonly type: "GRANTED" | "DENIED";
  readonly legalBasis: string;
  readonly jurisdiction: string | null;
  readonly locale: string;
  readonly contentHash: string;
  readonly method: string;
  readonly expiresAt: Date | null;
}

/** One consent change for each decided purpose; none for other template types. */
export function consentsOf(agreement: Agreement, assessment: Assessment, now: Date, newId: NewId): AcceptedConsent[] {
  const { terms, purposes } = agreement.terms;
  if (terms.type !== "CONSENT") return [];
  return assessment.purposes.map(({ purpose: key, granted }) => {
    const purpose = purposes.get(key);
    if (purpose === undefined) throw new Error("a purpose that the template does not have passed the checks");
    return {
      eventId: newId(),
      purpose: key,
      type: granted ? "GRANTED" : "DENIED",
      legalBasis: purpose.legalBasis,
      jurisdiction: jurisdictionOf(terms),
      locale: agreement.locale,
      contentHash: agreement.contentHash,
      method: assessment.action,
      expiresAt: granted ? daysAfter(now, purpose.expiresAfterDays) : null,
    };
  });
}

/** A purpose as presented to the person. */
export interface AskedPurpose {
  readonly purpose: string;
  readonly name: string;
  readonly description: string;
  /** The text beside the box. */
  readonly text: string;
  readonly required: boolean;
}

/** The purposes of a CONSENT template in order; none for other types. */
export function askedPurposes({ type, typeConfig }: Terms, texts: Readonly<Record<string, string>>): AskedPurpose[] {
  const purposes = type === "CONSENT" && Array.isArray(typeConfig.purposes) ? typeConfig.purposes : [];
  return purposes.filter(isObject).map((purpose) => {
    const key = textOf(purpose.key);
    const name = textOf(purpose.name) || key;
    const description = textOf(purpose.description);
    const text = Object.hasOwn(texts, key) ? textOf(texts[key]) : "";
    return { purpose: key, name, description, text: text || description || name, required: purpose.required === true };
  });
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** Throws CLICK_VALIDATION_FAILED for purposes that the template does not contain. */
export function requireKnownPurposes(wanted: readonly string[], { purposes }: KeptTerms): void {
  const unknown = wanted.flatMap((purpose, index) => (purposes.has(purpose) ? [] : [`purposes[${index}]`]));
  refuseFields(unknown.map((field) => problem(field, "UNKNOWN", "is not a purpose of the template")));
}
