import {
  CreateErasureRequestSchema,
  ErasureSchema,
  ErasureStatus,
  GetErasureResponseSchema,
  SearchPersonRequestSchema,
} from "#gen/assent/auth/v1/erasures_pb.ts";
import { PersonalItemOutcome, PersonalItemSchema } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { choice, count, flag, list, named, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, inside, optional, readOnly, whenCreating } from "./members.ts";
import { keptReasons, personalKinds } from "./personal-data.ts";
import { closed, nested, resource, shown } from "./resource.ts";

const names = <Names extends string>(table: Readonly<Record<Names, string>>) =>
  choice(...(Object.keys(table) as Names[]));
const meanings = (table: Readonly<Record<string, string>>): string =>
  Object.entries(table)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join(" ");

/** Something that is known of a person. */
export const personalItem = shown(PersonalItemSchema, {
  kind: readOnly(names(personalKinds), { description: meanings(personalKinds), example: "agreement.recipient" }),
  targetId: readOnly(text(), {
    description: "The agreement, receipt or user that the item belongs to.",
    example: "01961234-5678-7abc-8def-0123456789ab",
  }),
  name: readOnly(orNull(text()), { description: "For texts: which one.", example: "emailSubject" }),
  count: readOnly(count, { description: "The number of items of this kind.", example: 1 }),
  outcome: readOnly(named(PersonalItemOutcome), {
    description:
      "What happened to the item, or would happen. RESTRICTED: kept, and shown only to an administrator who gives a reason, until it is erased.",
  }),
  keptBecause: readOnly(orNull(names(keptReasons)), {
    description: `Null when it is erased. ${meanings(keptReasons)}`,
    example: null,
  }),
  keptUntil: readOnly(orNull(time), {
    description: "When it will be deleted or can be erased, if known.",
    example: null,
  }),
});

const who = {
  email: whenCreating(text(1, 320), { description: "The person's email address.", example: "ann@example.com" }),
  userRef: whenCreating(text(1, 500), {
    description:
      "Your reference for the person: the userRef of acceptances, the clientUserId of recipients, or the ID of a dashboard user.",
    example: "user-4711",
  }),
};

const somebody = {
  description: "At least one of email and userRef is required.",
  ...closed,
  anyOf: [{ required: ["email"] }, { required: ["userRef"] }],
};

/** Whom is asked about. */
export const personSearch = resource(SearchPersonRequestSchema, who, { also: somebody });

const facts = {
  id: readOnly(uuid),
  status: readOnly(named(ErasureStatus, "lower"), {
    description: "The status. The erasure proceeds by itself until completed.",
  }),
  dryRun: optional(flag, { description: "Only reports what an erasure would do.", example: true }),
  ground: optional(text(1, 50, { pattern: "^[A-Z][A-Z0-9_]*$" }), {
    description:
      "Your own code for the reason, recorded in proofs; it doesn't affect what is erased. The dashboard has names for GDPR_17, CONSENT_WITHDRAWN and OTHER. Default: GDPR_17.",
    example: "GDPR_17",
  }),
  createdBy: readOnly(text(), {
    description: "The client or dashboard user who did it.",
    example: "cl_0123456789abcdefABCDEF",
  }),
  createdAt: readOnly(time),
  completedAt: readOnly(orNull(time), {
    description: "When the erasure completed; from then on nothing says whom it was about.",
  }),
  erased: readOnly(count, { description: "The number of items that were erased, or would be.", example: 14 }),
  failures: readOnly(count, {
    description:
      "How often the current step has failed; 0 while it proceeds. It is retried forever. If the number rises, the auth service's log says which erasure waits, and for what.",
    example: 0,
  }),
  restricted: readOnly(count, { example: 0 }),
  kept: readOnly(count, { example: 1 }),
};

/** The erasure of a person. */
export const personErasure = resource(
  ErasureSchema,
  { ...who, ...facts },
  { create: CreateErasureRequestSchema, also: somebody },
);

/** The same with what became of everything. */
export const erasureReport = shown(GetErasureResponseSchema, {
  ...inside("erasure", facts),
  items: readOnly(list(nested(personalItem)), { description: "A page of items." }),
});

export type PersonalItem = AnswerOf<typeof personalItem.table>;
export type PersonErasure = AnswerOf<typeof personErasure.table>;
export type ErasureReport = AnswerOf<typeof erasureReport.table>;
