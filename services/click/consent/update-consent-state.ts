import { createHash } from "node:crypto";
import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { recordsOf } from "#api/records.ts";
import {
  AgreementStateSchema,
  ConsentEventSchema,
  ConsentStateSchema,
  type GetConsentStateRequest,
  PurposeStateSchema,
  type UpdateConsentStateRequest,
  UpdateConsentStateRequestSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { canonicalLocale } from "#platform/locale.ts";
import { memberPath } from "#platform/problems.ts";
import type { ClickDeps, ClickRpcs } from "../deps.ts";
import { readTime } from "../messages.ts";
import { invalid, problem, refuse } from "../problems.ts";
import { captureClaimed, captureObserved } from "../receipts/acceptance-evidence.ts";
import type { AgreementState } from "../terms/agreement-state.ts";
import { effectivePolicy } from "../terms/policy.ts";
import type { ActorType, PurposeState } from "./consent.ts";
import { type ConsentDecision, needsOffer } from "./consent-plan.ts";
import { type ConsentView, readConsent } from "./read-consent.ts";
import type { ConsentUpdate } from "./record-update.ts";
import { updateConsent } from "./update-consent.ts";

type Deps = Pick<
  ClickDeps,
  | "pool"
  | "vault"
  | "leafSigner"
  | "receiptKeys"
  | "issuer"
  | "clock"
  | "newId"
  | "keys"
  | "purposeOffers"
  | "templateOffers"
  | "wakeRelay"
  | "wakeIntegrator"
>;

export const updateConsentState = (deps: Deps): ClickRpcs<"updateConsentState"> => ({
  async updateConsentState(request, context) {
    const caller = requireCaller(context);
    const input = readConsentInput(request, deps.clock.now());
    const { receipts, replayed } = await updateConsent(deps, caller, { ...input, ...whatIsTold(request, caller) });
    const everything = { purpose: undefined, templateId: undefined, includeHistory: false, at: null };
    const view = await readConsent(deps, caller.orgId, {
      ...everything,
      userRef: input.userRef,
      now: deps.clock.now(),
    });
    return { state: consentStateMessage(view), receiptsJson: [...receipts], replayed };
  },
});

/** Addresses are stored as a CONSENT template with default flags allows. */
const capturePolicy = effectivePolicy("CONSENT", {});

const whatIsTold = (
  { context, observed, metadata }: UpdateConsentStateRequest,
  { clientId, requestId }: Caller,
): Pick<ConsentUpdate, "context" | "observed" | "metadata"> => ({
  context: captureClaimed(context, capturePolicy),
  observed: {
    ...captureObserved(observed?.ip ?? "", observed?.userAgent ?? "", capturePolicy),
    clientId,
    requestId,
  },
  metadata,
});

/** A well-formed consent update. */
interface ConsentInput {
  readonly userRef: string;
  readonly purposes: readonly WantedChange[];
  readonly withdrawAll: boolean;
  readonly locale: string | undefined;
  readonly source: string;
  readonly method: string | null;
  readonly actor: { readonly type: ActorType; readonly id: string | null };
  readonly reason: string | null;
  readonly occurredAt: Date | null;
  readonly expectedRevision: number | undefined;
  readonly idempotencyKey: string | undefined;
  /** Equal for identical requests, user included. */
  readonly digest: Buffer;
}

interface WantedChange {
  readonly purpose: string;
  readonly decision: ConsentDecision;
  readonly templateId: string | undefined;
  readonly expiresAt: Date | null;
  /** The purpose's path in the request. */
  readonly field: string;
}

const sources = ["WEB", "PREFERENCE_CENTER", "SUPPORT", "API", "IMPORT"];
const actors: readonly string[] = ["USER", "ADMIN", "SYSTEM"] satisfies ActorType[];
const keyPattern = /^[\x20-\x7e]{1,255}$/;
const maxClockSkewMs = 5 * 60_000;

/**
 * Checks what the proto rules cannot express. Throws CLICK_VALIDATION_FAILED or CLICK_IDEMPOTENCY_KEY_INVALID.
 */
function readConsentInput(request: UpdateConsentStateRequest, now: Date): ConsentInput {
  const { idempotencyKey, expectedRevision, occurredAt } = request;
  refuse([...fieldProblems(request, now), ...purposeProblems(request, now)]);
  if (idempotencyKey !== undefined && !keyPattern.test(idempotencyKey)) {
    throw new DomainError("CLICK_IDEMPOTENCY_KEY_INVALID");
  }
  return {
    userRef: request.userRef,
    purposes: request.purposes.map(({ purpose, decision, templateId, expiresAt }, index) => ({
      purpose,
      decision: decision as ConsentDecision,
      templateId,
      expiresAt: readTime(`purposes[${index}].expiresAt`, expiresAt) ?? null,
      field: `purposes[${index}]`,
    })),
    withdrawAll: request.withdrawAll,
    locale: request.locale,
    source: request.source ?? "API",
    method: request.method ?? null,
    actor: { type: (request.actorType ?? "USER") as ActorType, id: request.actorId ?? null },
    reason: request.reason ?? null,
    occurredAt: readTime("occurredAt", occurredAt) ?? null,
    expectedRevision: expectedRevision === undefined ? undefined : Number(expectedRevision),
    idempotencyKey,
    digest: digestOf(request),
  };
}

function fieldProblems(request: UpdateConsentStateRequest, now: Date): FieldProblem[] {
  const { userRef, locale, source, actorType, metadata } = request;
  const occurredAt = readTime("occurredAt", request.occurredAt);
  const problems: FieldProblem[] = [];
  if (hasControls(userRef)) problems.push(problem("userRef", "PATTERN", "must have no control characters"));
  if (locale !== undefined && canonicalLocale(locale) === undefined) {
    problems.push(problem("locale", "FORMAT", "must be a BCP 47 language tag such as en-US"));
  }
  if (source !== undefined && !sources.includes(source)) {
    problems.push(problem("source", "ENUM", `must be one of ${sources.join(", ")}`));
  }
  if (actorType !== undefined && !actors.includes(actorType)) {
    problems.push(problem("actor.type", "ENUM", `must be one of ${actors.join(", ")}`));
  }
  if (occurredAt !== undefined && occurredAt.getTime() > now.getTime() + maxClockSkewMs) {
    problems.push(problem("occurredAt", "FUTURE", "is more than five minutes in the future"));
  }
  for (const [field, text] of Object.entries({ method: request.method, reason: request.reason })) {
    if (isUnstorable(text)) problems.push(problem(field, "PATTERN", "must have no NUL characters"));
  }
  if (isUnstorable(request.actorId)) problems.push(problem("actor.id", "PATTERN", "must have no NUL characters"));
  for (const [key, value] of Object.entries(metadata)) {
    const field = memberPath("metadata", key);
    if (key.length > 255) problems.push(problem(field, "MAX_LENGTH", "the name has more than 255 characters"));
    if (value.length > 500) problems.push(problem(field, "MAX_LENGTH", "must have at most 500 characters"));
  }
  return problems;
}

function purposeProblems({ purposes, withdrawAll }: UpdateConsentStateRequest, now: Date): FieldProblem[] {
  if (purposes.length === 0 && !withdrawAll) {
    return [problem("purposes", "REQUIRED", "must name at least one purpose unless withdrawAll is true")];
  }
  const seen = new Set<string>();
  return purposes.flatMap(({ purpose, decision, expiresAt }, index) => {
    const field = `purposes[${index}].purpose`;
    if (hasControls(purpose)) return [problem(field, "PATTERN", "must have no control characters")];
    if (seen.has(purpose)) return [problem(field, "REPEATED", "is decided twice")];
    seen.add(purpose);
    const end = readTime(`purposes[${index}].expiresAt`, expiresAt);
    return end !== undefined && end <= now && needsOffer(decision as ConsentDecision)
      ? [problem(`purposes[${index}].expiresAt`, "PAST", "must be in the future")]
      : [];
  });
}

const hasControls = (text: string): boolean => /[\p{Cc}\p{Cs}]/u.test(text);

/** Postgres does not store NUL, and UTF-8 has no lone surrogates. */
const isUnstorable = (text: string | undefined): boolean =>
  text !== undefined && (text.includes("\u0000") || !text.isWellFormed());

/** Network address and headers are left out: a retry may come with others. */
function digestOf(request: UpdateConsentStateRequest): Buffer {
  const { userRef, bodyDigest } = request;
  const given = bodyDigest.length > 0 ? Buffer.from(bodyDigest).toString("hex") : digestOfMessage(request);
  return createHash("sha256")
    .update(JSON.stringify(["consent", userRef, given]))
    .digest();
}

function digestOfMessage(request: UpdateConsentStateRequest): string {
  const body = toJson(UpdateConsentStateRequestSchema, request) as Record<string, unknown>;
  for (const name of ["idempotencyKey", "expectedRevision", "observed", "bodyDigest"]) delete body[name];
  return createHash("sha256").update(canonicalJson(body)).digest("hex");
}

export const getConsentState = (
  deps: Pick<ClickDeps, "pool" | "vault" | "clock" | "templateOffers">,
): ClickRpcs<"getConsentState"> => ({
  async getConsentState(request, context) {
    const { orgId } = requireCaller(context);
    const now = deps.clock.now();
    const { userRef, purpose, templateId, includeHistory } = request;
    const at = readMoment(request, now);
    const view = await readConsent(deps, orgId, { userRef, purpose, templateId, includeHistory, at, now });
    return { state: consentStateMessage(view) };
  },
});

/**
 * A moment in the past; null for now. A slightly later time also means now, because the caller's clock may be
 * ahead.
 */
function readMoment({ at }: GetConsentStateRequest, now: Date): Date | null {
  const moment = readTime("at", at);
  if (moment === undefined) return null;
  if (moment.getTime() > now.getTime() + maxClockSkewMs) {
    throw invalid(problem("at", "FUTURE", "is more than five minutes in the future"));
  }
  return moment >= now ? null : moment;
}

const states = recordsOf(ConsentStateSchema);
const purposes = recordsOf(PurposeStateSchema);
const agreements = recordsOf(AgreementStateSchema);
const events = recordsOf(ConsentEventSchema);

export const consentStateMessage = (view: ConsentView): MessageInitShape<typeof ConsentStateSchema> =>
  states.write({
    ...view,
    consents: view.consents.map(purposeMessage),
    agreements: view.agreements.map(agreementMessage),
    history: (view.history ?? []).map(events.write),
  });

const purposeMessage = ({ event, ...state }: PurposeState): MessageInitShape<typeof PurposeStateSchema> =>
  purposes.write({
    ...{ ...event, ...event.text, ...state },
    withdrawnAt: event.type === "WITHDRAWN" ? event.recordedAt : null,
  });

export const agreementMessage = ({
  acceptance,
  ...state
}: AgreementState): MessageInitShape<typeof AgreementStateSchema> =>
  agreements.write({ ...acceptance, ...state, versionLabel: acceptance.label });
