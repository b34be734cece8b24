import {
  CreateExportRequestSchema,
  CreateExportScheduleRequestSchema,
  ExportInterval,
  ExportKind,
  type Export as ExportMessage,
  ExportScheduleSchema,
  ExportSchema,
  ExportStatus,
  UpdateExportScheduleRequestSchema,
} from "#gen/assent/auth/v1/exports_pb.ts";
import { AcceptanceFormat, AcceptancesToExportSchema } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { bigCount, clockTime, count, flag, integer, named, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, changeable, computed, optional, readOnly, required, whenCreating } from "./members.ts";
import { closed, nested, resource } from "./resource.ts";

/** Which receipts to export; each filter is that of the list of receipts. */
const acceptancesToExport = resource(
  AcceptancesToExportSchema,
  {
    format: required(named(AcceptanceFormat, "lower"), {
      description: "csv: a table for spreadsheets. jsonl: one line per receipt, as the API returns it.",
      example: "csv",
    }),
    userRef: whenCreating(text(1, 255), { description: "Exports only acceptances of this user.", example: "user-42" }),
    templateId: whenCreating(uuid, { description: "Exports only acceptances of this template." }),
    versionId: whenCreating(uuid, { description: "Exports only acceptances of this version." }),
    revision: whenCreating(integer(1, 2_147_483_647), {
      description: "Exports only acceptances of this revision; requires versionId.",
      example: 3,
    }),
    from: whenCreating(time, { description: "Start of the time range of acceptances, inclusive." }),
    to: whenCreating(time, { description: "End of the time range of acceptances, exclusive." }),
    campaignId: whenCreating(uuid, {
      description:
        "Exports the people of this campaign who were asked and haven't accepted, instead of receipts. The other filters have no effect.",
    }),
  },
  { also: closed },
);

/** What is kept of a person, to be given to them. Whom it is about is not shown again. */
export const personExport = resource(
  ExportSchema,
  {
    id: readOnly(uuid),
    kind: readOnly(named(ExportKind, "lower"), { example: "person" }),
    status: readOnly(named(ExportStatus, "lower"), {
      description: "pending while it is being created; failed if it was given up after a day.",
      example: "completed",
    }),
    email: whenCreating(text(1, 320), {
      description:
        "The person's email address, in any capitalization. If addresses are your references for users, send it as you use it there or in lower case. email, userRef or both are required, unless organization is true.",
      example: "ann@example.com",
    }),
    userRef: whenCreating(text(1, 500), {
      description: "Your reference for the person: the userRef of acceptances, the clientUserId of signers.",
      example: "user-1042",
    }),
    organization: whenCreating(flag, {
      description: "true exports everything that is kept for the organization, instead of a person.",
      example: false,
    }),
    acceptances: whenCreating(nested(acceptancesToExport), {
      description: "Exports receipts of acceptances and declines as one file, instead of a person.",
      example: { format: "csv" },
    }),
    format: readOnly(orNull(named(AcceptanceFormat, "lower")), {
      description: "The format of exported acceptances; null for archives.",
      example: null,
    }),
    createdBy: readOnly(text(), {
      description: "The client or dashboard user who did it.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    createdAt: readOnly(time),
    completedAt: readOnly(orNull(time)),
    expiresAt: readOnly(orNull(time), { description: "When its files are destroyed: seven days after completion." }),
    parts: readOnly(count, {
      description: "The number of archives, nearly always one; 0 until completed.",
      example: 1,
    }),
    files: readOnly(count, { example: 14 }),
    bytes: readOnly(bigCount, { description: "The size of all files in bytes.", example: 482_133 }),
    scheduleId: readOnly(orNull(uuid), { description: "The schedule that created it.", example: null }),
    fromLeafIndex: readOnly(orNull(bigCount), {
      description: "For acceptances: the first leaf of the evidence log that it covers. Null until it has begun.",
      example: null,
    }),
    untilLeafIndex: readOnly(orNull(bigCount), {
      description: "The leaf after the last one that it covers; the schedule's next export begins there.",
      example: null,
    }),
    contentUrl: computed(
      { type: ["string", "null"], description: "The URL of the first part; null unless completed." },
      ({ id, status }: ExportMessage): string | null =>
        status === ExportStatus.COMPLETED ? `/v1/privacy/exports/${id}/content` : null,
      { example: "/v1/privacy/exports/01961234-5678-7abc-8def-0123456789ab/content" },
    ),
  },
  {
    create: CreateExportRequestSchema,
    also: {
      description:
        "Either organization is true, or acceptances is present, or at least one of email and userRef; nothing else.",
      ...closed,
      anyOf: [
        { required: ["organization"] },
        { required: ["acceptances"] },
        { required: ["email"] },
        { required: ["userRef"] },
      ],
    },
  },
);
export type PersonExport = AnswerOf<typeof personExport.table>;

/** Acceptances that are exported again and again. */
export const exportSchedule = resource(
  ExportScheduleSchema,
  {
    id: readOnly(uuid),
    format: required(named(AcceptanceFormat, "lower"), { example: "csv" }),
    templateId: optional(orNull(uuid), {
      description: "Exports only acceptances of this template of the organization.",
      example: null,
    }),
    every: required(named(ExportInterval, "lower"), { example: "weekly" }),
    day: optional(integer(1, 31), {
      description:
        "The day. weekly: 1 for Monday to 7. monthly: the day of the month, or the last day of shorter months. daily: no effect. Default: 1.",
      example: 1,
    }),
    at: optional(clockTime, {
      description: "The time of day in the time zone. Default: 00:00.",
      example: "06:00",
    }),
    timeZone: optional(text(1, 64), {
      description: "An IANA time zone. Default: the organization's, or UTC.",
      example: "Europe/Berlin",
    }),
    paused: changeable(flag, {
      description: "If true, nothing is exported. The next export includes what was recorded in the meantime.",
      example: false,
    }),
    createdBy: readOnly(text(), {
      description: "The client or dashboard user who did it.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    createdAt: readOnly(time),
    nextAt: readOnly(orNull(time), { description: "When the next export is due; null while it is paused." }),
    lastExportId: readOnly(orNull(uuid), { description: "The last export that it created.", example: null }),
  },
  { create: CreateExportScheduleRequestSchema, change: UpdateExportScheduleRequestSchema, also: closed },
);
export type ExportSchedule = AnswerOf<typeof exportSchedule.table>;
