import type { JsonSchema } from "#api/kinds.ts";
import { receiptProof } from "./receipt-proof-schemas.ts";

import {
  answer,
  anyText,
  count,
  dateTime,
  described,
  example,
  flag,
  hash,
  languageTag,
  listOf,
  oneOf,
  orNull,
  uuid,
} from "./schema-parts.ts";

const withheld = (schema: JsonSchema, how: string): JsonSchema =>
  described(schema, `${how} once the receipt is erased or restricted.`);

export const receiptSchema: JsonSchema = {
  ...answer({
    receiptId: uuid,
    status: oneOf("RECORDED"),
    decision: oneOf("ACCEPT", "DECLINE"),
    organizationId: uuid,
    sessionId: described(uuid, "Of an acceptance without a session: the receiptId."),
    userRef: withheld(orNull(anyText), "Null"),
    templateId: uuid,
    templateSlug: anyText,
    templateName: anyText,
    templateType: oneOf("STATIC", "GENERATED", "CONSENT"),
    versionId: uuid,
    revision: count,
    versionLabel: anyText,
    locale: languageTag,
    contentHash: hash,
    renderHash: example(
      described(
        orNull(hash),
        "Of the HTML that was shown, when we rendered it. That of a GENERATED text is null once the receipt is erased or restricted.",
      ),
      null,
    ),
    deploymentId: example(orNull(uuid), null),
    action: oneOf("CHECKBOX", "BUTTON", "CHECKBOX_AND_BUTTON", "TYPED_NAME", "SCROLL_AND_BUTTON", "API"),
    assertedBy: oneOf("BACKEND", "WIDGET"),
    purposes: example(withheld(listOf(answer({ purpose: anyText, granted: flag })), "Empty"), []),
    acceptedAt: described(dateTime, "By the server's clock."),
    clientAcceptedAt: orNull(dateTime),
    expiresAt: example(orNull(dateTime), null),
    reacceptBy: example(orNull(dateTime), null),
    superseded: example(described(flag, "Meanwhile another text was published."), false),
    verification: withheld(listOf(answer({ method: anyText, verifiedAt: orNull(dateTime) })), "Empty"),
    policy: answer({ hash, satisfied: flag }),
    idempotencyKey: withheld(orNull(anyText), "Null"),
    evidenceUrl: example(anyText, "/v1/click/evidence/01961234-5678-7abc-8def-0123456789ab"),
    ...receiptProof,
  }),
  description:
    "The same bytes for ever, however often it is read, until what is personal in it is erased or restricted.",
};
