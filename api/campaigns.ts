import {
  AddCampaignPeopleRequestSchema,
  AddCampaignPeopleResponseSchema,
  CampaignCountsSchema,
  CampaignPersonSchema,
  CampaignRemindersSchema,
  CampaignSchema,
  CreateCampaignRequestSchema,
  UpdateCampaignRequestSchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { choice, clockTime, count, integer, list, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, optional, optionalForGood, readOnly, required, requiredForGood } from "./members.ts";
import { closed, nested, resource, shown } from "./resource.ts";

const reminders = resource(
  CampaignRemindersSchema,
  {
    daysBefore: required(list(integer(0, 365)), {
      description:
        "Days before the day of dueAt, by the calendar of the time zone; 0 for that day itself. Up to 20 values. Reminders that are past when the campaign starts, or fall after dueAt, are skipped.",
      example: [14, 3, 1],
    }),
    at: optional(clockTime, {
      description: "The time of day in the time zone. Default: 09:00.",
      example: "09:00",
    }),
    timeZone: optional(text(1, 64), {
      description: "An IANA time zone. Default: UTC.",
      example: "Europe/Berlin",
    }),
  },
  { also: closed },
);

const counts = shown(CampaignCountsSchema, {
  people: readOnly(count, { description: "Everyone in the campaign, except those who were erased." }),
  unchecked: readOnly(count, {
    description:
      "People whose acceptances haven't been checked yet: everyone in a draft, and for a while after the start.",
  }),
  asked: readOnly(count, { description: "People who haven't decided yet; they are overdue after the date." }),
  accepted: readOnly(count),
  declined: readOnly(count),
  withdrawn: readOnly(count, { description: "People who accepted and have withdrawn every purpose since." }),
  outstanding: readOnly(count, { description: "The sum of asked, declined and withdrawn." }),
  erased: readOnly(count, {
    description: "People who were in the campaign and were erased; not included in other counts.",
  }),
});

/** People who are asked for their acceptance of a template by a date. */
export const campaign = resource(
  CampaignSchema,
  {
    id: readOnly(uuid),
    name: required(text(1, 255), { example: "Terms 2027" }),
    status: readOnly(choice("DRAFT", "RUNNING", "ENDED", "CANCELLED"), {
      description: "A campaign ends at its date. Later acceptances are counted too, until it is canceled.",
    }),
    templateId: requiredForGood(uuid),
    versionId: optionalForGood(orNull(uuid), {
      description:
        "The version people must accept, from `revision` on. If absent, any live revision counts: one that is live when the campaign starts, or one published later.",
    }),
    revision: optionalForGood(orNull(integer(1, 2_147_483_647)), {
      description: "This revision of versionId or a later one counts. Default: the one published now.",
    }),
    dueAt: required(time, { description: "The date by which people should accept.", example: "2026-12-31T23:00:00Z" }),
    reminders: optional(nested(reminders), { description: "When you get reminders about people who are outstanding." }),
    nextReminderAt: readOnly(orNull(time), { description: "The next reminder; null if there are no more." }),
    remindersSent: readOnly(count),
    counts: readOnly(nested(counts)),
    createdBy: readOnly(text(), {
      description: "The client or dashboard user who did it.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    createdAt: readOnly(time),
    startedAt: readOnly(orNull(time)),
    endedAt: readOnly(orNull(time), { description: "When the campaign ended or was canceled." }),
    peopleUntil: readOnly(orNull(time), {
      description: "When its people are deleted: 90 days after the end; null until it has ended.",
    }),
  },
  { create: CreateCampaignRequestSchema, change: UpdateCampaignRequestSchema, also: closed },
);
export type Campaign = AnswerOf<typeof campaign.table>;

const userRefs = list(text(1, 255, { pattern: "^[^\\p{Cc}\\p{Cs}]*$" }));

/** People to be asked. */
export const campaignPeople = resource(
  AddCampaignPeopleRequestSchema,
  { userRefs: required(userRefs, { description: "Your references for the users, as used in their acceptances." }) },
  { also: closed },
);

/** What became of people that were added. */
export const addedPeople = shown(AddCampaignPeopleResponseSchema, {
  added: readOnly(count, { description: "How many were newly added." }),
  campaign: readOnly(nested(campaign)),
});

/** Somebody who is in a campaign. */
export const campaignPerson = shown(CampaignPersonSchema, {
  userRef: readOnly(text(), { example: "user-42" }),
  state: readOnly(choice("LISTED", "ASKED", "OVERDUE", "ACCEPTED", "DECLINED", "WITHDRAWN"), {
    description:
      "LISTED until the campaign has started and their acceptances are checked; ASKED until they decide; OVERDUE after the date; then their decision.",
  }),
  receiptId: readOnly(orNull(uuid), { description: "The receipt of their decision." }),
  decidedAt: readOnly(orNull(time)),
});
export type CampaignPerson = AnswerOf<typeof campaignPerson.table>;
