import {
  AgreementStateSchema,
  ConsentEventSchema,
  ConsentStateSchema,
  ListAgreementStatesRequestSchema,
  ListAgreementStatesResponseSchema,
  PurposeStateSchema,
  UpdateConsentStateRequest_PurposeSchema,
  UpdateConsentStateRequestSchema,
  UpdateConsentStateResponseSchema,
  UserAgreementSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { contextOfUser, ownTexts } from "./end-users.ts";
import {
  bigCount,
  choice,
  count,
  flag,
  hash,
  type JsonSchema,
  languageTag,
  list,
  orNull,
  text,
  time,
  uuid,
} from "./kinds.ts";
import { type AnswerOf, apart, type CreateOf, optional, readOnly, required, together } from "./members.ts";
import { consentReceipt } from "./receipts.ts";
import { closed, nested, resource, shown } from "./resource.ts";
import { inText, joined } from "./written.ts";

const purposeState = shown(PurposeStateSchema, {
  purpose: readOnly(text()),
  status: readOnly(choice("GRANTED", "RENEWED", "DENIED", "WITHDRAWN", "EXPIRED")),
  valid: readOnly(flag, { description: "Whether you may rely on it now." }),
  legalBasis: readOnly(orNull(text())),
  templateId: readOnly(orNull(uuid)),
  versionId: readOnly(orNull(uuid)),
  revision: readOnly(orNull(count)),
  locale: readOnly(orNull(languageTag)),
  contentHash: readOnly(orNull(hash)),
  receiptId: readOnly(orNull(uuid)),
  grantedAt: readOnly(orNull(time)),
  withdrawnAt: readOnly(orNull(time)),
  expiresAt: readOnly(orNull(time)),
  updatedAt: readOnly(orNull(time)),
  source: readOnly(text()),
  method: readOnly(orNull(text())),
  jurisdiction: readOnly(orNull(text())),
});

const agreementState = shown(AgreementStateSchema, {
  templateId: readOnly(uuid),
  templateSlug: readOnly(text()),
  versionId: readOnly(uuid),
  revision: readOnly(count),
  versionLabel: readOnly(text()),
  acceptedAt: readOnly(orNull(time)),
  receiptId: readOnly(uuid),
  status: readOnly(choice("ACCEPTED", "DECLINED", "WITHDRAWN", "EXPIRED")),
  isLatest: readOnly(flag, { description: "Whether the accepted text is the one published now." }),
  reacceptanceRequired: readOnly(flag),
  reacceptBy: readOnly(orNull(time)),
});

const userAgreement = shown(UserAgreementSchema, {
  userRef: readOnly(text()),
  outstanding: readOnly(flag, {
    description:
      "true if the user hasn't accepted the text that is published now in their language; false for everyone while nothing is published. agreement.reacceptanceRequired says whether the template's rules ask the user again.",
  }),
  agreement: readOnly(orNull(nested(agreementState)), {
    description: "null if the user has neither accepted nor declined, or the record was erased or restricted.",
  }),
});

/** Where users stand with a template. */
export const agreementStates = shown(ListAgreementStatesResponseSchema, {
  asOf: readOnly(time),
  users: readOnly(list(nested(userAgreement)), { description: "In the order of your request." }),
});

/** Whose agreement to tell. */
export const wantedAgreements = resource(
  ListAgreementStatesRequestSchema,
  {
    userRefs: required(list(text(1, 255)), { description: "Your references for the users." }),
    onlyOutstanding: optional(orNull(flag), {
      description: "Returns only users who haven't accepted what is published now.",
    }),
  },
  { also: closed },
);

const consentEvent = shown(ConsentEventSchema, {
  eventId: readOnly(uuid),
  type: readOnly(choice("GRANTED", "RENEWED", "DENIED", "WITHDRAWN", "EXPIRED")),
  purpose: readOnly(text()),
  at: readOnly(time),
  source: readOnly(text()),
  receiptId: readOnly(orNull(uuid)),
  actor: readOnly(choice("USER", "ADMIN", "SYSTEM")),
  reason: readOnly(orNull(text())),
  occurredAt: readOnly(orNull(time)),
});

const state = {
  userRef: readOnly(text()),
  organizationId: readOnly(uuid),
  asOf: readOnly(time),
  updatedAt: readOnly(orNull(time)),
  revision: readOnly(bigCount, { description: "Increases with every change; send it as If-Match." }),
  consents: readOnly(list(nested(purposeState))),
  agreements: readOnly(list(nested(agreementState))),
} as const;

/** What a user has consented and agreed to. */
export const consentState = shown(ConsentStateSchema, {
  ...state,
  history: readOnly(list(nested(consentEvent)), {
    onDemand: true,
    description: "The changes, newest first; present if requested.",
  }),
});

/** What is answered to a change, beside the state after it. */
export const consentChanged = shown(UpdateConsentStateResponseSchema, {
  receipts: readOnly(list(inText(consentReceipt)), { at: "receiptsJson", description: "One receipt per change." }),
});
export const updatedConsentSchema = joined(shown(ConsentStateSchema, state), consentChanged);

const decision = resource(UpdateConsentStateRequest_PurposeSchema, {
  purpose: required(text(1, 64)),
  decision: required(choice("GRANT", "DENY", "WITHDRAW", "RENEW")),
  templateId: optional(orNull(uuid), { description: "The template that asked for consent." }),
  expiresAt: optional(orNull(time)),
});

const decisions: JsonSchema = {
  type: ["array", "object", "null"],
  description: 'The decision for each purpose. Short form: an object such as { "marketing_email": true }.',
  maxItems: 100,
  items: decision.schemas.create,
  maxProperties: 100,
  propertyNames: { minLength: 1, maxLength: 64 },
  additionalProperties: { type: "boolean", description: "true grants the purpose, false denies it." },
};
type Decisions = readonly CreateOf<typeof decision.table>[] | Readonly<Record<string, boolean>>;

const change = resource(
  UpdateConsentStateRequestSchema,
  {
    purposes: apart<Decisions | null>(decisions),
    withdrawAll: optional(orNull(flag), { description: "Withdraws everything that is granted." }),
    locale: optional(orNull(languageTag)),
    source: optional(orNull(choice("WEB", "PREFERENCE_CENTER", "SUPPORT", "API", "IMPORT"))),
    method: optional(orNull(text(0, 100))),
    actor: together({
      type: optional(orNull(choice("USER", "ADMIN", "SYSTEM")), { at: "actorType" }),
      id: optional(orNull(text(0, 255)), { at: "actorId" }),
    }),
    reason: optional(orNull(text(0, 2_000))),
    occurredAt: optional(orNull(time), {
      description: "When it happened, according to you. Changes are ordered by the server's clock.",
    }),
    context: optional(contextOfUser),
    metadata: optional(ownTexts, { null: "both" }),
  },
  {
    also: { description: "At least one purpose, or withdrawAll. Purposes you don't name keep their state." },
  },
);

/** What changes the consents of a user. The purposes may be an object for short, which no message can say. */
export const consentChange = {
  ...change,
  create: (body: CreateOf<typeof change.table>) => ({
    ...change.create(body),
    purposes: decisionsOf(body.purposes ?? []),
  }),
};

const decisionsOf = (purposes: Decisions) =>
  (isList(purposes) ? purposes : Object.entries(purposes).map(inFull)).map((one) => decision.create(one));

const isList = (purposes: Decisions): purposes is Extract<Decisions, readonly unknown[]> => Array.isArray(purposes);

const inFull = ([purpose, granted]: [string, boolean]) => ({ purpose, decision: granted ? "GRANT" : "DENY" }) as const;

export type ConsentState = AnswerOf<typeof consentState.table>;
export type PurposeState = AnswerOf<typeof purposeState.table>;
export type AgreementState = AnswerOf<typeof agreementState.table>;
export type UserAgreement = AnswerOf<typeof userAgreement.table>;
export type ConsentEvent = AnswerOf<typeof consentEvent.table>;
