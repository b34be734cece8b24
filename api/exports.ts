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
      description: "csv: a table for spreadsheets. jsonl: a line for each receipt, as the API answers it.",
      example: "csv",
    }),
    userRef: whenCreating(text(1, 255), { description: "Only those of this user.", example: "user-42" }),
    templateId: whenCreating(uuid, { description: "Only those of this template." }),
    versionId: whenCreating(uuid, { description: "Only those of this version." }),
    revision: whenCreating(integer(1, 2_147_483_647), {
      description: "Only those of this revision of the version, which is then required.",
      example: 3,
    }),
    from: whenCreating(time, { description: "Accepted then or later." }),
    to: whenCreating(time, { description: "Accepted before." }),
    campaignId: whenCreating(uuid, {
      description:
        "In place of receipts: the people of this campaign who were asked and have not accepted. The other filters have no effect.",
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
      description: "pending while it is made; failed when it was given up after a day.",
      example: "completed",
    }),
    email: whenCreating(text(1, 320), {
      description:
        "The address of the person, in any case of letters; where it is your reference for a user, as it is written there or in lower case. It, userRef or both are required, unless organization is true.",
      example: "ann@example.com",
    }),
    userRef: whenCreating(text(1, 500), {
      description: "What your system calls the person: the user of acceptances, the client user id of signers.",
      example: "user-1042",
    }),
    organization: whenCreating(flag, {
      description: "true: all that is kept for the organization, in place of a person.",
      example: false,
    }),
    acceptances: whenCreating(nested(acceptancesToExport), {
      description: "Receipts of acceptances and refusals in one file, in place of a person.",
      example: { format: "csv" },
    }),
    format: readOnly(orNull(named(AcceptanceFormat, "lower")), {
      description: "Of acceptances; null for archives.",
      example: null,
    }),
    createdBy: readOnly(text(), {
      description: "The client, or the user of the dashboard.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    createdAt: readOnly(time),
    completedAt: readOnly(orNull(time)),
    expiresAt: readOnly(orNull(time), { description: "When its files are destroyed: seven days after it was made." }),
    parts: readOnly(count, {
      description: "Archives that it consists of, nearly always one; 0 until it is completed.",
      example: 1,
    }),
    files: readOnly(count, { example: 14 }),
    bytes: readOnly(bigCount, { description: "Of all files.", example: 482_133 }),
    scheduleId: readOnly(orNull(uuid), { description: "The schedule that asked for it.", example: null }),
    fromLeafIndex: readOnly(orNull(bigCount), {
      description: "Of acceptances: the first leaf of the evidence log that it looked at. Null until it has begun.",
      example: null,
    }),
    untilLeafIndex: readOnly(orNull(bigCount), {
      description: "The leaf after the last one that it looked at; the next export of a schedule begins there.",
      example: null,
    }),
    contentUrl: computed(
      { type: ["string", "null"], description: "Of the first part; null unless it is completed." },
      ({ id, status }: ExportMessage): string | null =>
        status === ExportStatus.COMPLETED ? `/v1/privacy/exports/${id}/content` : null,
      { example: "/v1/privacy/exports/01961234-5678-7abc-8def-0123456789ab/content" },
    ),
  },
  {
    create: CreateExportRequestSchema,
    also: {
      description:
        "Either organization is true, or acceptances is there, or at least one of email and userRef, and nothing else.",
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
      description: "Only acceptances of this template, which has to be one of the organization.",
      example: null,
    }),
    every: required(named(ExportInterval, "lower"), { example: "weekly" }),
    day: optional(integer(1, 31), {
      description:
        "1 when absent. weekly: of the week, from 1 for Monday to 7. monthly: of the month, or its last day where it is shorter. daily: without effect.",
      example: 1,
    }),
    at: optional(clockTime, {
      description: "The time of the day, by the clocks of the time zone; 00:00 when absent.",
      example: "06:00",
    }),
    timeZone: optional(text(1, 64), {
      description: "A name of the IANA time zone database; that of the organization when absent, or UTC.",
      example: "Europe/Berlin",
    }),
    paused: changeable(flag, {
      description: "While it is true, nothing is exported. The next export has what was recorded meanwhile.",
      example: false,
    }),
    createdBy: readOnly(text(), {
      description: "The client, or the user of the dashboard.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    createdAt: readOnly(time),
    nextAt: readOnly(orNull(time), { description: "When the next export is due; null while it is paused." }),
    lastExportId: readOnly(orNull(uuid), { description: "The last export that it asked for.", example: null }),
  },
  { create: CreateExportScheduleRequestSchema, change: UpdateExportScheduleRequestSchema, also: closed },
);
export type ExportSchedule = AnswerOf<typeof exportSchedule.table>;
