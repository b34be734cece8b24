import { OpenRestrictedEvidenceRequestSchema } from "#gen/assent/click/v1/click_pb.ts";
import { choice, count, flag, hash, type Kind, list, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, readOnly, required } from "./members.ts";
import { resource } from "./resource.ts";
import { part, written } from "./written.ts";

const nothing: Kind<null> = { at: () => ({ schema: () => ({ type: "null" }) }) };

const kept = written({
  what: readOnly(text(), { example: "counts in statistics" }),
  why: readOnly(text(), { example: "They do not tell who was counted." }),
});

const restriction = written({
  receiptId: readOnly(uuid),
  until: readOnly(time, { description: "When it will be erased." }),
  basis: readOnly(choice("GDPR_17_3_E"), { description: "Kept for legal claims (GDPR art. 17(3)(e))." }),
});

const erased = written({
  receipts: readOnly(list(uuid)),
  sessions: readOnly(list(uuid)),
  consentChanges: readOnly(list(uuid), { description: "The receipts of changes of consent." }),
  campaigns: readOnly(list(uuid), { description: "Campaigns that the user was removed from.", leftOut: true }),
});

const place = written({
  logId: readOnly(uuid, { description: "Your organization." }),
  origin: readOnly(text(), { example: "agreements.example.com/click/log/01961234-5678-7abc-8def-0123456789ab" }),
  leafIndex: readOnly(count),
  leafHash: readOnly(hash),
  integrateBy: readOnly(time, { description: "A checkpoint published by this time covers it." }),
});

/** What became of what was known of a user. */
export const erasure = written({
  erasureId: readOnly(orNull(uuid), { description: "Null if there was nothing to do." }),
  userRef: readOnly(nothing, { description: "The reference isn't repeated.", example: null }),
  requestedAt: readOnly(time),
  complete: readOnly(flag, {
    description: "false if there is more than one request erases: send the same request again.",
  }),
  erased: readOnly(part(erased)),
  restricted: readOnly(list(part(restriction)), {
    description: "What must be kept for some time. It reads as erased until it is.",
  }),
  kept: readOnly(list(part(kept))),
  log: readOnly(orNull(part(place)), {
    description: "The position of the erasure in the log. Null if there was nothing to do.",
  }),
  statement: readOnly(text(), {
    description: "A summary for the person who asked.",
    example: "What was personal in the records named under erased is gone.",
  }),
});

export type Erasure = AnswerOf<typeof erasure.table>;

/** Why somebody opens what is restricted. */
export const opening = resource(OpenRestrictedEvidenceRequestSchema, {
  reason: required(text(), {
    description: "Why you need to see it. Recorded with who asked and when; don't name the person.",
  }),
});
