import {
  VerificationCheckSchema,
  VerifyReceiptRequestSchema,
  VerifyReceiptResponseSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { choice, count, flag, hash, languageTag, list, objectInBytes, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, optional, readOnly } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";
import { part, written } from "./written.ts";

/** What every receipt says of itself at its end. */
const proof = {
  erased: readOnly(flag, { description: "Whether personal data in it was erased.", example: false }),
  restricted: readOnly(flag, {
    description: "Whether personal data in it is shown to administrators only (GDPR art. 18).",
    example: false,
  }),
  log: readOnly(
    part(
      written({
        logId: readOnly(uuid, { description: "Your organization." }),
        origin: readOnly(text(), {
          description: "The name of the log in its checkpoints.",
          example: "agreements.example.com/click/log/01961234-5678-7abc-8def-0123456789ab",
        }),
        leafIndex: readOnly(count, { description: "The position in the log, from 0.", example: 1042 }),
        leafHash: readOnly(hash),
        integrateBy: readOnly(time, {
          description: "A checkpoint published by this time covers it.",
          example: "2026-11-20T17:01:00.123Z",
        }),
      }),
    ),
    { description: "The position in the log. Proofs are at /v1/click/log." },
  ),
  signature: readOnly(
    part(
      written({
        alg: readOnly(choice("EdDSA")),
        kid: readOnly(text(), {
          description: "The ID of the key at /.well-known/jwks.json.",
          example: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
        }),
        jws: readOnly(text(), {
          description: "Compact JWS (RFC 7515); its payload is the leaf.",
          example:
            "eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNGsiLCJ0eXAiOiJjbGljay1yZWNlaXB0K2p3cyJ9.eyJ2IjoxfQ.c2lnbmF0dXJl",
        }),
      }),
    ),
    { description: "The leaf as it was signed." },
  ),
} as const;

const withheld = <const How extends string>(how: How) =>
  ({ description: `${how} once the receipt is erased or restricted.` }) as const;

const purposeDecision = written({ purpose: readOnly(text()), granted: readOnly(flag) });
const verification = written({ method: readOnly(text()), verifiedAt: readOnly(orNull(time)) });
const policy = written({ hash: readOnly(hash), satisfied: readOnly(flag) });

/** Of an acceptance or a refusal. */
export const receipt = written(
  {
    receiptId: readOnly(uuid),
    status: readOnly(choice("RECORDED")),
    decision: readOnly(choice("ACCEPT", "DECLINE")),
    organizationId: readOnly(uuid),
    sessionId: readOnly(uuid, { description: "For an acceptance without a session: the receiptId." }),
    userRef: readOnly(orNull(text()), withheld("Null")),
    templateId: readOnly(uuid),
    templateSlug: readOnly(text()),
    templateName: readOnly(text()),
    templateType: readOnly(choice("STATIC", "GENERATED", "CONSENT")),
    versionId: readOnly(uuid),
    revision: readOnly(count),
    versionLabel: readOnly(text()),
    locale: readOnly(languageTag),
    contentHash: readOnly(hash),
    renderHash: readOnly(orNull(hash), {
      description:
        "SHA-256 of the HTML that was shown, if the service rendered it. For a GENERATED text it is null once the receipt is erased or restricted.",
      example: null,
    }),
    deploymentId: readOnly(orNull(uuid), { example: null }),
    action: readOnly(choice("CHECKBOX", "BUTTON", "CHECKBOX_AND_BUTTON", "TYPED_NAME", "SCROLL_AND_BUTTON", "API")),
    assertedBy: readOnly(choice("BACKEND", "WIDGET")),
    purposes: readOnly(list(part(purposeDecision)), { ...withheld("Empty"), example: [] }),
    acceptedAt: readOnly(time, { description: "The time, by the server's clock." }),
    clientAcceptedAt: readOnly(orNull(time)),
    expiresAt: readOnly(orNull(time), { example: null }),
    reacceptBy: readOnly(orNull(time), { example: null }),
    superseded: readOnly(flag, { description: "Another text was published in the meantime.", example: false }),
    verification: readOnly(list(part(verification)), withheld("Empty")),
    policy: readOnly(part(policy)),
    idempotencyKey: readOnly(orNull(text()), withheld("Null")),
    evidenceUrl: readOnly(text(), { example: "/v1/click/evidence/01961234-5678-7abc-8def-0123456789ab" }),
    ...proof,
  },
  "The same bytes forever, however often it is read, until what is personal in it is erased or restricted.",
);

/** Of a change of consent that was no acceptance. */
export const consentReceipt = written(
  {
    receiptId: readOnly(uuid),
    status: readOnly(choice("RECORDED")),
    kind: readOnly(choice("CONSENT")),
    decision: readOnly(choice("GRANT", "RENEW", "DENY", "WITHDRAW")),
    organizationId: readOnly(uuid),
    userRef: readOnly(orNull(text())),
    purpose: readOnly(text()),
    consentStatus: readOnly(choice("GRANTED", "RENEWED", "DENIED", "WITHDRAWN")),
    consentRevision: readOnly(count, { description: "The revision of the state after the change." }),
    eventId: readOnly(uuid),
    templateId: readOnly(orNull(uuid)),
    versionId: readOnly(orNull(uuid)),
    revision: readOnly(orNull(count)),
    locale: readOnly(orNull(languageTag)),
    contentHash: readOnly(orNull(hash)),
    legalBasis: readOnly(orNull(text())),
    jurisdiction: readOnly(orNull(text())),
    recordedAt: readOnly(time, { description: "The time, by the server's clock." }),
    occurredAt: readOnly(orNull(time)),
    grantedAt: readOnly(orNull(time)),
    expiresAt: readOnly(orNull(time)),
    source: readOnly(text()),
    method: readOnly(orNull(text())),
    actor: readOnly(part(written({ type: readOnly(choice("USER", "ADMIN", "SYSTEM")), id: readOnly(orNull(text())) }))),
    reason: readOnly(orNull(text())),
    idempotencyKey: readOnly(orNull(text())),
    ...proof,
  },
  "The same bytes forever, until what is personal in it is erased or restricted.",
);

export type Receipt = AnswerOf<typeof receipt.table>;
export type ConsentReceipt = AnswerOf<typeof consentReceipt.table>;
/** What the log adds to a receipt when it is answered. */
export type ReceiptProof = Pick<Receipt, keyof typeof proof>;

/** A receipt to verify, as a whole or as its signature. */
export const receiptToVerify = resource(
  VerifyReceiptRequestSchema,
  {
    receipt: optional(objectInBytes(JSON.stringify), {
      at: "receiptJson",
      description: "A receipt as it was returned to you.",
    }),
    jws: optional(text(1, 65_536), { description: "Only the receipt's signature.jws." }),
    disclosures: optional(orNull(list(text(1, 400_000))), {
      description: "Disclosures from an evidence bundle (RFC 9901), to check against the record.",
    }),
  },
  {
    also: {
      description: "Exactly one of receipt and jws is required.",
      oneOf: [{ required: ["receipt"] }, { required: ["jws"] }],
    },
  },
);

const checks = ["FORM", "SIGNATURE", "KEY_VALIDITY", "LEAF", "ORGANIZATION", "DISCLOSURES", "RECORDED", "INCLUSION"];

export const verificationResult = shown(VerifyReceiptResponseSchema, {
  valid: readOnly(flag, { description: "Whether every check that was made passed." }),
  checks: readOnly(
    list(
      nested(
        shown(VerificationCheckSchema, {
          check: readOnly(choice(...checks)),
          ok: readOnly(flag),
          message: readOnly(text(), { example: "It is a receipt with a signature." }),
        }),
      ),
    ),
    { description: "The checks that were made. A failure that leaves nothing to rely on ends them." },
  ),
});

export type VerificationResult = AnswerOf<typeof verificationResult.table>;
