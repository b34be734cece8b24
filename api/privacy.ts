import {
  DeletionSchema,
  DueAgreementSchema,
  FileSearchSchema,
  GetRetentionResponseSchema,
  LegalHoldSchema,
  PreviewRetentionResponseSchema,
  PrivacyActSchema,
  PutFileSearchRequestSchema,
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
      "Days after which the records are deleted: counted from when the agreement reached the status, for drafts from their last change, for other records from when they were made. Null: never, except webhook deliveries, which are kept for at most 30 days.",
    example: 365,
  }),
  nextDays: readOnly(filledOrNull(integer(), 0), {
    at: "next.days",
    description: "The shorter period that will take effect; null if there is none, or if it is the organization's.",
    example: null,
  }),
  nextAt: readOnly(orNull(time), { at: "next.from", description: "When it takes effect.", example: null }),
};
const period = resource(RetentionPeriodSchema, {
  status: required(choice(...statuses, ...recordKinds), {
    description:
      "What the period applies to: agreements with a status (created for drafts), acceptances with their sessions, generated documents, webhook deliveries, or entries of the organization's audit trail.",
    example: "declined",
  }),
  ...periodMembers,
});
const templatePeriod = resource(RetentionPeriodSchema, {
  status: required(status, { description: "The status; created for drafts.", example: "declined" }),
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

/** Whether agreements are found by the words of their files. */
export const fileSearch = resource(
  FileSearchSchema,
  {
    enabled: required(flag, { description: "Off at first.", example: true }),
    changedAt: readOnly(orNull(time), {
      description: "When it was turned on or off last; null when it never was.",
      example: null,
    }),
    files: readOnly(bigCount, { description: "Files of agreements and templates.", example: 1_200 }),
    filesRead: readOnly(bigCount, {
      description: "Those whose words can be found; after it was turned on they become more by and by.",
      example: 850,
    }),
  },
  { create: PutFileSearchRequestSchema, also: closed },
);

const retentionCount = shown(RetentionCountSchema, {
  status: readOnly(status),
  agreements: readOnly(count, { example: 12 }),
});

const dueAgreement = shown(DueAgreementSchema, {
  agreementId: readOnly(uuid),
  status: readOnly(status),
  createdAt: readOnly(time),
  dueAt: readOnly(time, { description: "When it is due for deletion." }),
  held: readOnly(flag, { at: "isHeld", description: "Whether a legal hold covers it." }),
});

const recordCount = shown(RecordCountSchema, {
  kind: readOnly(recordKind),
  records: readOnly(count, { example: 120 }),
});

const queuedPurge = shown(QueuedPurgeSchema, {
  agreementId: readOnly(uuid),
  state: readOnly(choice("documents_queued", "documents_and_metadata_queued"), { description: "The requested purge." }),
  requestedAt: readOnly(time),
  dueAt: readOnly(time, {
    description: "When its files are due for deletion; you can take the purge back until then.",
  }),
  held: readOnly(flag, { at: "isHeld", description: "Whether a legal hold covers them." }),
});

/** What will be deleted. */
export const retentionPreview = shown(PreviewRetentionResponseSchema, {
  counts: readOnly(list(nested(retentionCount)), {
    description: "The number of agreements of each status over all pages, including those under a legal hold.",
  }),
  agreements: readOnly(list(nested(dueAgreement)), { description: "In order of deletion." }),
  records: readOnly(list(nested(recordCount)), {
    description:
      "The number of other records of each kind that are due, including those kept by a legal hold or by the terms of an acceptance. Webhook deliveries are deleted after 30 days even without a period.",
  }),
  purges: readOnly(list(nested(queuedPurge)), {
    description: "Agreements with a requested purge (purgeState), in order of deletion; at most 200, on each page.",
  }),
});

/** What keeps agreements from being deleted. */
export const legalHold = resource(
  LegalHoldSchema,
  {
    id: readOnly(uuid),
    kind: readOnly(choice("agreement", "person", "organization"), { description: "What the hold covers." }),
    agreementId: optional(orNull(uuid), {
      description: "The agreement it covers; null if it covers a person or everything.",
    }),
    email: whenCreating(text(1, 320), {
      description: "The address of the person whose agreements it covers, as signer, sender or copy recipient.",
      example: "ann@example.com",
    }),
    reason: required(text(1, 500, { pattern: "[^\\s\\p{Cf}]" }), {
      description: "The reason, for people to read. Don't name the person.",
      example: "Lawsuit 4 C 17/26",
    }),
    createdBy: readOnly(text(), {
      description: "The client or dashboard user who did it.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    createdAt: readOnly(time),
    liftedBy: readOnly(orNull(text()), { description: "Null while the hold is in force.", example: null }),
    liftedAt: readOnly(orNull(time), { example: null }),
  },
  { create: SetLegalHoldRequestSchema, also: closed },
);

const hash = (description: string) => readOnly(evidenceHash, { description });
const remains = {
  agreementId: readOnly(uuid),
  ground: readOnly(choice("RETENTION"), {
    description: "RETENTION: the organization's retention period ended.",
  }),
  status: readOnly(status, { description: "The status it had." }),
  createdAt: readOnly(time),
  endedAt: readOnly(time, { description: "When it reached that status." }),
  deletedAt: readOnly(time),
  evidenceLeafHash: hash("The leaf of the evidence log with its completion; null if there is none."),
  deletionLeafHash: hash("The leaf that records the deletion; null for the minute until there is one."),
};

/** What remains of an agreement for whoever has a sealed file of it. */
export const formerSeal = shown(DeletionSchema, remains);

/** The same for its organization. */
export const deletion = shown(DeletionSchema, {
  ...remains,
  trailHead: hash(
    "The hash of the last event of its audit trail. Anyone who kept the trail can prove that it was complete.",
  ),
  trailLength: readOnly(count, { description: "The number of its events.", example: 9 }),
  deletionLeafIndex: readOnly(orNull(bigCount), {
    description: "The position of that leaf in the log.",
    example: 1_234,
  }),
});

/** What was done about personal data. */
export const privacyAct = shown(PrivacyActSchema, {
  id: readOnly(uuid),
  at: readOnly(time),
  action: readOnly(
    choice(
      ...(["retention.changed", "template-retention.changed", "hold.set", "hold.lifted"] as const),
      ...(["purge.requested", "purge.withdrawn", "agreement.purged", "agreement.deleted"] as const),
      ...(["records.deleted", "file-search.changed"] as const),
    ),
  ),
  actor: readOnly(orNull(text()), {
    description: "The client or dashboard user; null for automatic actions.",
    example: "cl_0123456789abcdefABCDEF",
  }),
  subjectId: readOnly(uuid, {
    description: "The organization, template, hold, agreement or deletion concerned.",
  }),
  details: readOnly(objectInText, { at: "detailsJson", example: { kind: "person" } }),
  requestId: readOnly(orNull(text()), { example: "req_0123456789" }),
});

export type FileSearch = AnswerOf<typeof fileSearch.table>;
export type Retention = AnswerOf<typeof retention.table>;
export type RetentionPreview = AnswerOf<typeof retentionPreview.table>;
export type LegalHold = AnswerOf<typeof legalHold.table>;
export type Deletion = AnswerOf<typeof deletion.table>;
export type PrivacyAct = AnswerOf<typeof privacyAct.table>;
