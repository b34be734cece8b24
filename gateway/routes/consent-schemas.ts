import type { JsonSchema } from "#api/kinds.ts";
import { receiptProof } from "./receipt-proof-schemas.ts";
import type { TextParam } from "./route.ts";
import {
  answer,
  anyText,
  count,
  dateTime,
  described,
  flag,
  hash,
  languageTag,
  listOf,
  metadata,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "./schema-parts.ts";
import { type EndUserContextBody, endUserContext } from "./session-schemas.ts";

export interface PurposeBody {
  readonly purpose: string;
  readonly decision: "GRANT" | "DENY" | "WITHDRAW" | "RENEW";
  readonly templateId?: string | null;
  readonly expiresAt?: string | null;
}

export interface UpdateConsentBody {
  readonly purposes?: readonly PurposeBody[] | Readonly<Record<string, boolean>> | null;
  readonly withdrawAll?: boolean | null;
  readonly locale?: string | null;
  readonly source?: string | null;
  readonly method?: string | null;
  readonly actor?: { readonly type?: string | null; readonly id?: string | null } | null;
  readonly reason?: string | null;
  readonly occurredAt?: string | null;
  readonly context?: EndUserContextBody | null;
  readonly metadata?: Record<string, string> | null;
}

/** Your name for the user, exactly as it is after percent-decoding. */
export const userRefParam: TextParam = {
  names: "userRef",
  schema: { ...text(1, 255, "Your name for the user, percent-encoded."), pattern: "^[^\\p{Cc}\\p{Cs}]*$" },
};

const purposeKey = text(1, 64);
const purposes: JsonSchema = {
  type: ["array", "object", "null"],
  description: 'What was decided for each purpose; or, for short, an object such as { "marketing_email": true }.',
  maxItems: 100,
  items: object(
    {
      purpose: purposeKey,
      decision: oneOf("GRANT", "DENY", "WITHDRAW", "RENEW"),
      templateId: described(orNull(uuid), "The template that asked."),
      expiresAt: orNull(dateTime),
    },
    ["purpose", "decision"],
  ),
  maxProperties: 100,
  propertyNames: { minLength: 1, maxLength: 64 },
  additionalProperties: described(flag, "true grants, false denies."),
};

export const updateConsentSchema: JsonSchema = {
  ...object(
    {
      purposes,
      withdrawAll: described(orNull(flag), "Withdraws everything that is granted."),
      locale: orNull(languageTag),
      source: orNull(oneOf("WEB", "PREFERENCE_CENTER", "SUPPORT", "API", "IMPORT")),
      method: orNull(text(0, 100)),
      actor: orNull(object({ type: orNull(oneOf("USER", "ADMIN", "SYSTEM")), id: orNull(text(0, 255)) }, [])),
      reason: orNull(text(0, 2_000)),
      occurredAt: described(orNull(dateTime), "When you say that it happened; the order is that of our clock."),
      context: orNull(endUserContext),
      metadata: orNull(metadata),
    },
    [],
  ),
  description: "At least one purpose, or withdrawAll. Purposes that are not named keep their state.",
};

const consentSchema = answer({
  purpose: anyText,
  status: oneOf("GRANTED", "RENEWED", "DENIED", "WITHDRAWN", "EXPIRED"),
  valid: described(flag, "Whether you may rely on it now."),
  legalBasis: orNull(anyText),
  templateId: orNull(uuid),
  versionId: orNull(uuid),
  revision: orNull(count),
  locale: orNull(languageTag),
  contentHash: orNull(hash),
  receiptId: orNull(uuid),
  grantedAt: orNull(dateTime),
  withdrawnAt: orNull(dateTime),
  expiresAt: orNull(dateTime),
  updatedAt: orNull(dateTime),
  source: anyText,
  method: orNull(anyText),
  jurisdiction: orNull(anyText),
});

const agreementSchema = answer({
  templateId: uuid,
  templateSlug: anyText,
  versionId: uuid,
  revision: count,
  versionLabel: anyText,
  acceptedAt: orNull(dateTime),
  receiptId: uuid,
  status: oneOf("ACCEPTED", "DECLINED", "WITHDRAWN", "EXPIRED"),
  isLatest: described(flag, "Whether what is published now is what was accepted."),
  reacceptanceRequired: flag,
  reacceptBy: orNull(dateTime),
});

const consentEventSchema = answer({
  eventId: uuid,
  type: oneOf("GRANTED", "RENEWED", "DENIED", "WITHDRAWN", "EXPIRED"),
  purpose: anyText,
  at: dateTime,
  source: anyText,
  receiptId: orNull(uuid),
  actor: oneOf("USER", "ADMIN", "SYSTEM"),
  reason: orNull(anyText),
  occurredAt: orNull(dateTime),
});

const state = {
  userRef: anyText,
  organizationId: uuid,
  asOf: dateTime,
  updatedAt: orNull(dateTime),
  revision: described(count, "Grows with every change; for If-Match."),
  consents: listOf(consentSchema),
  agreements: listOf(agreementSchema),
};

export const consentStateSchema: JsonSchema = object(
  { ...state, history: described(listOf(consentEventSchema), "Newest first; when asked for.") },
  Object.keys(state),
);

/** Of a change of consent that was no acceptance. */
export const consentReceiptSchema: JsonSchema = {
  ...answer({
    receiptId: uuid,
    status: oneOf("RECORDED"),
    kind: oneOf("CONSENT"),
    decision: oneOf("GRANT", "RENEW", "DENY", "WITHDRAW"),
    organizationId: uuid,
    userRef: orNull(anyText),
    purpose: anyText,
    consentStatus: oneOf("GRANTED", "RENEWED", "DENIED", "WITHDRAWN"),
    consentRevision: described(count, "The revision of the state after it."),
    eventId: uuid,
    templateId: orNull(uuid),
    versionId: orNull(uuid),
    revision: orNull(count),
    locale: orNull(languageTag),
    contentHash: orNull(hash),
    legalBasis: orNull(anyText),
    jurisdiction: orNull(anyText),
    recordedAt: described(dateTime, "By the server's clock."),
    occurredAt: orNull(dateTime),
    grantedAt: orNull(dateTime),
    expiresAt: orNull(dateTime),
    source: anyText,
    method: orNull(anyText),
    actor: answer({ type: oneOf("USER", "ADMIN", "SYSTEM"), id: orNull(anyText) }),
    reason: orNull(anyText),
    idempotencyKey: orNull(anyText),
    ...receiptProof,
  }),
  description: "The same bytes for ever, until what is personal in it is erased or restricted.",
};

export const updatedConsentSchema: JsonSchema = answer({
  ...state,
  receipts: described(listOf(consentReceiptSchema), "One for each change."),
});
