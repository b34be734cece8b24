import {
  DeletionSchema,
  DueAgreementSchema,
  GetRetentionResponseSchema,
  LegalHoldSchema,
  PreviewRetentionResponseSchema,
  PrivacyActSchema,
  PutRetentionRequestSchema,
  QueuedPurgeSchema,
  RecordCountSchema,
  RetentionCountSchema,
  RetentionPeriodSchema,
  SetLegalHoldRequestSchema,
} from "#gen/assent/sign/v1/retention_pb.ts";
import {
  bigCount,
  choice,
  count,
  evidenceHash,
  filledOrNull,
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
import { closed, nested, resource, shown } from "./resource.ts";

const statuses = ["created", "completed", "declined", "voided", "expired"] as const;
const recordKinds = ["acceptances", "documents", "webhooks", "audit"] as const;
const status = choice(...statuses);
const recordKind = choice(...recordKinds);

const periodMembers = {
  days: required(orNull(integer(1, 36_500)), {
    description:
      "Days since the agreement reached the status, of drafts since they were changed last, of other records since they were made; then they are deleted. Null: never, but for deliveries of webhooks, which stay for 30 days at most.",
    example: 365,
  }),
  nextDays: readOnly(filledOrNull(integer(), 0), {
    at: "next.days",
    description: "A shorter period that is to come; null when there is none, or it is that of the organization.",
    example: null,
  }),
  nextAt: readOnly(orNull(time), { at: "next.from", description: "From when on it holds.", example: null }),
};
const period = resource(RetentionPeriodSchema, {
  status: required(choice(...statuses, ...recordKinds), {
    description:
      "Agreements of a status, of drafts it is created; acceptances with their sessions; generated documents; deliveries of webhooks; lines of the audit trail of the organization.",
    example: "declined",
  }),
  ...periodMembers,
});
const templatePeriod = resource(RetentionPeriodSchema, {
  status: required(status, { description: "Of drafts it is created.", example: "declined" }),
  ...periodMembers,
});

/** How long an organization keeps agreements and other records. */
export const retention = resource(
  GetRetentionResponseSchema,
  { periods: required(list(nested(period))) },
  { create: PutRetentionRequestSchema, also: closed },
);

/** How long agreements that are made from a template are kept. */
export const templateRetention = resource(
  GetRetentionResponseSchema,
  { periods: required(list(nested(templatePeriod))) },
  { create: PutRetentionRequestSchema, also: closed },
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

const recordCount = shown(RecordCountSchema, {
  kind: readOnly(recordKind),
  records: readOnly(count, { example: 120 }),
});

const queuedPurge = shown(QueuedPurgeSchema, {
  agreementId: readOnly(uuid),
  state: readOnly(choice("documents_queued", "documents_and_metadata_queued"), { description: "What was asked for." }),
  requestedAt: readOnly(time),
  dueAt: readOnly(time, { description: "From when on its files are deleted; until then it can be taken back." }),
  held: readOnly(flag, { at: "isHeld", description: "Whether a legal hold keeps them." }),
});

/** What will be deleted. */
export const retentionPreview = shown(PreviewRetentionResponseSchema, {
  counts: readOnly(list(nested(retentionCount)), {
    description: "How many there are of each status; of all pages, with those that a legal hold keeps.",
  }),
  agreements: readOnly(list(nested(dueAgreement)), { description: "What goes first is first." }),
  records: readOnly(list(nested(recordCount)), {
    description:
      "How many other records of each kind go, with those that a legal hold keeps, or the terms of an acceptance. Deliveries of webhooks go after 30 days, also without a period.",
  }),
  purges: readOnly(list(nested(queuedPurge)), {
    description:
      "Agreements whose files go because someone has asked for it (purgeState): those that go next, 200 at most, on each page.",
  }),
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
    reason: required(text(1, 500, { pattern: "[^\\s\\p{Cf}]" }), {
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
  { create: SetLegalHoldRequestSchema, also: closed },
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
  action: readOnly(
    choice(
      ...(["retention.changed", "template-retention.changed", "hold.set", "hold.lifted"] as const),
      ...(["purge.requested", "purge.withdrawn", "agreement.purged", "agreement.deleted"] as const),
      "records.deleted",
    ),
  ),
  actor: readOnly(orNull(text()), {
    description: "The client, or the user of the dashboard; null for what happens by itself.",
    example: "cl_0123456789abcdefABCDEF",
  }),
  subjectId: readOnly(uuid, {
    description: "The organization, the template, the hold, the agreement, or a deletion of records.",
  }),
  details: readOnly(objectInText, { at: "detailsJson", example: { kind: "person" } }),
  requestId: readOnly(orNull(text()), { example: "req_0123456789" }),
});

export type Retention = AnswerOf<typeof retention.table>;
export type RetentionPreview = AnswerOf<typeof retentionPreview.table>;
export type LegalHold = AnswerOf<typeof legalHold.table>;
export type Deletion = AnswerOf<typeof deletion.table>;
export type PrivacyAct = AnswerOf<typeof privacyAct.table>;
