import type { JsonSchema } from "./route.ts";
import {
  answer,
  anyText,
  count,
  dateTime,
  described,
  flag,
  hash,
  listOf,
  oneOf,
  orNull,
  text,
  uuid,
} from "./schema-parts.ts";

export interface ErasureQuery {
  readonly reason?: "DATA_SUBJECT_REQUEST" | "WITHDRAWAL" | "RETENTION_OVER" | "OTHER";
}

export const erasureReason: JsonSchema = described(
  oneOf("DATA_SUBJECT_REQUEST", "WITHDRAWAL", "RETENTION_OVER", "OTHER"),
  "Why; DATA_SUBJECT_REQUEST when absent. It stands in the log.",
);

export interface OpenRestrictedBody {
  readonly reason: string;
}

export const openRestrictedSchema: JsonSchema = {
  type: "object",
  properties: {
    reason: text(1, 2_000, "Why you must see it; kept with who asked and when. Do not name the person."),
  },
  required: ["reason"],
};

const restriction = answer({
  receiptId: uuid,
  until: described(dateTime, "Then it is erased."),
  basis: described(oneOf("GDPR_17_3_E"), "Kept for legal claims (GDPR art. 17(3)(e))."),
});

const place = {
  ...answer({
    logId: described(uuid, "Your organization."),
    origin: {
      ...anyText,
      examples: ["agreements.example.com/click/log/01961234-5678-7abc-8def-0123456789ab"],
    },
    leafIndex: count,
    leafHash: hash,
    integrateBy: described(dateTime, "A checkpoint that is published by then covers it."),
  }),
  type: ["object", "null"],
};

export const erasureSchema: JsonSchema = answer({
  erasureId: described(orNull(uuid), "Null when there was nothing to do."),
  userRef: { type: "null", description: "We do not say it again.", examples: [null] },
  requestedAt: dateTime,
  complete: described(flag, "false when there is more than is erased at once: send the same request again."),
  erased: answer({
    receipts: listOf(uuid),
    sessions: listOf(uuid),
    consentChanges: described(listOf(uuid), "The receipts of changes of consent."),
  }),
  restricted: described(listOf(restriction), "What must be kept for some time: shown like erased until it is."),
  kept: listOf(
    answer({
      what: { ...anyText, examples: ["counts in statistics"] },
      why: { ...anyText, examples: ["They do not tell who was counted."] },
    }),
  ),
  log: described(place, "Where the log says that it was erased. Null when there was nothing to do."),
  statement: {
    ...described(anyText, "What was done, for the person who asked."),
    examples: ["What was personal in the records named under erased is gone."],
  },
});
