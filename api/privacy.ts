import {
  DeletionSchema,
  DueAgreementSchema,
  GetRetentionResponseSchema,
  LegalHoldSchema,
  PreviewRetentionResponseSchema,
  PrivacyActSchema,
  PutRetentionRequestSchema,
  RetentionCountSchema,
  RetentionPeriodSchema,
  SetLegalHoldRequestSchema,
} from "#gen/assent/sign/v1/retention_pb.ts";
import {
  bigCount,
  choice,
  count,
  evidenceHash,
  flag,
  integer,
  list,
  objectInText,
  orNull,
  text,
  time,
  uuid,
} from "./kinds.ts";
import { type AnswerOf, optional, readOnly, required, whenCreating } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";

const status = choice("created", "completed", "declined", "voided", "expired");

const period = resource(RetentionPeriodSchema, {
  status: required(status, { description: "Of drafts it is created.", example: "declined" }),
  days: required(orNull(integer(1, 36_500)), {
    description:
      "Days since the agreement reached the status, of drafts since they were changed last; then it is deleted. Null: never.",
    example: 365,
  }),
  nextDays: readOnly(orNull(integer()), {
    at: "next.days",
    description: "A shorter period that is to come; null when there is none.",
    example: null,
  }),
  nextAt: readOnly(orNull(time), { at: "next.from", description: "From when on it holds.", example: null }),
});

/** How long the agreements of an organization are kept. */
export const retention = resource(
  GetRetentionResponseSchema,
  { periods: required(list(nested(period))) },
  { create: PutRetentionRequestSchema },
);

const retentionCount = shown(RetentionCountSchema, {
  status: readOnly(status),
  agreements: readOnly(count, { example: 12 }),
});

const dueAgreement = shown(DueAgreementSchema, {
  agreementId: readOnly(uuid),
  status: readOnly(status),
  createdAt: readOnly(time),
  dueAt: readOnly(time, { description: "From when on it is deleted." }),
  held: readOnly(flag, { at: "isHeld", description: "Whether a legal hold keeps it." }),
});

/** What will be deleted. */
export const retentionPreview = shown(PreviewRetentionResponseSchema, {
  counts: readOnly(list(nested(retentionCount)), {
    description: "How many there are of each status; of all pages, with those that a legal hold keeps.",
  }),
  agreements: readOnly(list(nested(dueAgreement)), { description: "What goes first is first." }),
});

/** What keeps agreements from being deleted. */
export const legalHold = resource(
  LegalHoldSchema,
  {
    id: readOnly(uuid),
    kind: readOnly(choice("agreement", "person", "organization"), { description: "What it keeps." }),
    agreementId: optional(orNull(uuid), {
      description: "The agreement that it keeps; null for all of a person, or all.",
    }),
    email: whenCreating(text(1, 320), {
      description: "The address of the person whose agreements it keeps, as signer, sender or in copy.",
      example: "ann@example.com",
    }),
    reason: required(text(1, 500), {
      description: "Why; for people. Do not name the person.",
      example: "Lawsuit 4 C 17/26",
    }),
    createdBy: readOnly(text(), {
      description: "The client, or the user of the dashboard.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    createdAt: readOnly(time),
    liftedBy: readOnly(orNull(text()), { description: "Null while it holds.", example: null }),
    liftedAt: readOnly(orNull(time), { example: null }),
  },
  { create: SetLegalHoldRequestSchema },
);

const hash = (description: string) => readOnly(evidenceHash, { description });
const remains = {
  agreementId: readOnly(uuid),
  ground: readOnly(choice("RETENTION"), {
    description: "RETENTION: the period that the organization has set was over.",
  }),
  status: readOnly(status, { description: "That it had." }),
  createdAt: readOnly(time),
  endedAt: readOnly(time, { description: "When it reached that status." }),
  deletedAt: readOnly(time),
  evidenceLeafHash: hash("Of the leaf of the evidence log that has its completion; null when there is none."),
  deletionLeafHash: hash("Of the leaf that says that it was deleted; null for the minute until there is one."),
};

/** What remains of an agreement for whoever has a sealed file of it. */
export const formerSeal = shown(DeletionSchema, remains);

/** The same for its organization. */
export const deletion = shown(DeletionSchema, {
  ...remains,
  trailHead: hash("Of the last event of its audit trail: whoever has kept the trail can prove that it was all."),
  trailLength: readOnly(count, { description: "How many events it had.", example: 9 }),
  deletionLeafIndex: readOnly(orNull(bigCount), { description: "Where that leaf is in the log.", example: 1_234 }),
});

/** What was done about personal data. */
export const privacyAct = shown(PrivacyActSchema, {
  id: readOnly(uuid),
  at: readOnly(time),
  action: readOnly(choice("retention.changed", "hold.set", "hold.lifted", "agreement.deleted")),
  actor: readOnly(orNull(text()), {
    description: "The client, or the user of the dashboard; null for what happens by itself.",
    example: "cl_0123456789abcdefABCDEF",
  }),
  subjectId: readOnly(uuid, { description: "The organization, the hold or the agreement." }),
  details: readOnly(objectInText, { at: "detailsJson", example: { kind: "person" } }),
  requestId: readOnly(orNull(text()), { example: "req_0123456789" }),
});

export type Retention = AnswerOf<typeof retention.table>;
export type LegalHold = AnswerOf<typeof legalHold.table>;
