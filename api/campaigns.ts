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
        "So many days before the day of dueAt, by the calendar of the time zone; 0 for that day itself. At most 20. What has passed when the campaign starts, or comes after dueAt, is left out.",
      example: [14, 3, 1],
    }),
    at: optional(clockTime, {
      description: "The time of the day, by the clocks of the time zone; 09:00 when absent.",
      example: "09:00",
    }),
    timeZone: optional(text(1, 64), {
      description: "A name of the IANA time zone database; UTC when absent.",
      example: "Europe/Berlin",
    }),
  },
  { also: closed },
);

const counts = shown(CampaignCountsSchema, {
  people: readOnly(count, { description: "Everyone in the campaign, but for those who were erased." }),
  unchecked: readOnly(count, {
    description: "Whose acceptances were not looked at yet: everyone in a draft, and for a while after the start.",
  }),
  asked: readOnly(count, { description: "Who has not decided yet; overdue once the date has passed." }),
  accepted: readOnly(count),
  declined: readOnly(count),
  withdrawn: readOnly(count, { description: "Who had accepted, and has withdrawn every purpose since." }),
  outstanding: readOnly(count, { description: "asked, declined and withdrawn together." }),
  erased: readOnly(count, { description: "Who was in it and was erased; in no other number." }),
});

/** People who are asked for their acceptance of a template by a date. */
export const campaign = resource(
  CampaignSchema,
  {
    id: readOnly(uuid),
    name: required(text(1, 255), { example: "Terms 2027" }),
    status: readOnly(choice("DRAFT", "RUNNING", "ENDED", "CANCELLED"), {
      description: "A campaign ends at its date. Acceptances are counted after it, too, until it is cancelled.",
    }),
    templateId: requiredForGood(uuid),
    versionId: optionalForGood(orNull(uuid), {
      description:
        "What has to be accepted is this version, from `revision` on. When absent, it is whatever is live: a revision that is live when the campaign starts, or one that is published later.",
    }),
    revision: optionalForGood(orNull(integer(1, 2_147_483_647)), {
      description: "Of versionId: this revision or a later one. The one that is published now when absent.",
    }),
    dueAt: required(time, { description: "By when people are asked to accept.", example: "2026-12-31T23:00:00Z" }),
    reminders: optional(nested(reminders), { description: "When you are told of those who are outstanding." }),
    nextReminderAt: readOnly(orNull(time), { description: "null when none comes any more." }),
    remindersSent: readOnly(count),
    counts: readOnly(nested(counts)),
    createdBy: readOnly(text(), {
      description: "The client, or the user of the dashboard.",
      example: "cl_0123456789abcdefABCDEF",
    }),
    createdAt: readOnly(time),
    startedAt: readOnly(orNull(time)),
    endedAt: readOnly(orNull(time), { description: "When it ended or was cancelled." }),
    peopleUntil: readOnly(orNull(time), {
      description: "When its people are deleted: 90 days after its end. null while it has not ended.",
    }),
  },
  { create: CreateCampaignRequestSchema, change: UpdateCampaignRequestSchema, also: closed },
);
export type Campaign = AnswerOf<typeof campaign.table>;

const userRefs = list(text(1, 255, { pattern: "^[^\\p{Cc}\\p{Cs}]*$" }));

/** People to be asked. */
export const campaignPeople = resource(
  AddCampaignPeopleRequestSchema,
  { userRefs: required(userRefs, { description: "Your names for the users, as their acceptances have them." }) },
  { also: closed },
);

/** What became of people that were added. */
export const addedPeople = shown(AddCampaignPeopleResponseSchema, {
  added: readOnly(count, { description: "How many were not in the campaign before." }),
  campaign: readOnly(nested(campaign)),
});

/** Somebody who is in a campaign. */
export const campaignPerson = shown(CampaignPersonSchema, {
  userRef: readOnly(text(), { example: "user-42" }),
  state: readOnly(choice("LISTED", "ASKED", "OVERDUE", "ACCEPTED", "DECLINED", "WITHDRAWN"), {
    description:
      "LISTED until the campaign has started and their acceptances were looked at. ASKED until they decide; OVERDUE once the date has passed. Or what they have decided.",
  }),
  receiptId: readOnly(orNull(uuid), { description: "Of their decision." }),
  decidedAt: readOnly(orNull(time)),
});
export type CampaignPerson = AnswerOf<typeof campaignPerson.table>;
