import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CampaignSchema } from "#gen/assent/click/v1/click_pb.ts";
import { dayMs, momentOf, offsetOf } from "#platform/zone-time.ts";
import type { PurposeState } from "../consent/consent.ts";
import { type LastAcceptance, type PublishedText, statusOf } from "../terms/agreement-state.ts";

/** DELETED: a draft that nobody sees any more. */
export type CampaignStatus = "DRAFT" | "RUNNING" | "ENDED" | "CANCELLED" | "DELETED";
/** LISTED: nobody has looked yet at what they have accepted. */
export type PersonState = "LISTED" | "ASKED" | "ACCEPTED" | "DECLINED" | "WITHDRAWN";

/** When a campaign tells of those who are outstanding. */
export interface ReminderRule {
  readonly dueAt: Date;
  /** Before that day, by the calendar of the time zone. */
  readonly reminderDays: readonly number[];
  /** HH:MM */
  readonly reminderAt: string;
  /** IANA. */
  readonly timeZone: string;
}

/** A text that has to be accepted, or a later one of its version. */
export type Target = Pick<PublishedText, "versionId" | "revision">;

export interface CampaignCounts {
  readonly people: number;
  readonly unchecked: number;
  readonly accepted: number;
  readonly declined: number;
  readonly withdrawn: number;
}

export interface Campaign extends ReminderRule, CampaignCounts {
  readonly id: string;
  readonly name: string;
  readonly templateId: string;
  /** Null with what is live at the time. */
  readonly versionId: string | null;
  readonly revision: number | null;
  readonly status: CampaignStatus;
  /** Null until it has started. */
  readonly targets: readonly Target[] | null;
  /** When the next reminder, the end, or the deletion of the people is due; null when nothing is. */
  readonly nextAt: Date | null;
  readonly remindersSent: number;
  readonly erased: number;
  readonly requestHash: Buffer;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  /** When everybody had been looked at for the first time. */
  readonly announcedAt: Date | null;
  readonly endedAt: Date | null;
  readonly peopleUntil: Date | null;
}

/** How long the people of a campaign are kept when it is over. */
const keptDays = 90;

export const peopleUntil = (over: Date): Date => new Date(over.getTime() + keptDays * dayMs);

/**
 * The first reminder after a moment, or else the end. A reminder comes on its day at the time that clocks of the zone show;
 * where they are put forward over it, as much later, and where they show it twice, at the first time.
 */
export function nextOf({ dueAt, reminderDays, reminderAt, timeZone }: ReminderRule, after: Date): Date {
  const [hours = 0, minutes = 0] = reminderAt.split(":").map(Number);
  const dueDay = Math.floor((dueAt.getTime() + offsetOf(timeZone, dueAt.getTime())) / dayMs);
  const times = reminderDays.map((days) =>
    momentOf(timeZone, (dueDay - days) * dayMs + (hours * 60 + minutes) * 60_000),
  );
  const due = dueAt.getTime();
  return new Date(Math.min(due, ...times.filter((time) => time > after.getTime() && time < due)));
}

/** Where somebody stands, by their last decision on the template. */
export interface Standing {
  readonly state: Exclude<PersonState, "LISTED">;
  readonly receiptId: string | null;
  readonly decidedAt: Date | null;
}

const asked: Standing = { state: "ASKED", receiptId: null, decidedAt: null };

export function standingOf(
  campaign: Pick<Campaign, "versionId" | "targets" | "startedAt">,
  last: LastAcceptance | undefined,
  purposes: ReadonlyMap<string, PurposeState>,
): Standing {
  if (last === undefined || !isAbout(campaign, last)) return asked;
  const status = statusOf(last, purposes);
  if (status === "EXPIRED") return asked;
  return { state: status, receiptId: last.receiptId, decidedAt: last.acceptedAt };
}

/**
 * Whether a decision is about what the campaign asks for: a revision that was live at its start or came later. A version
 * that was not live by then counts when it was live as it was decided on, unless the campaign names a version.
 */
function isAbout(
  { versionId, targets, startedAt }: Pick<Campaign, "versionId" | "targets" | "startedAt">,
  last: LastAcceptance,
): boolean {
  const target = targets?.find((one) => one.versionId === last.versionId);
  if (target !== undefined) return last.revision >= target.revision;
  return versionId === null && startedAt !== null && last.acceptedAt >= startedAt && !last.superseded;
}

/** Of people of that many in each state. */
export const outstandingOf = ({ people, unchecked, accepted }: CampaignCounts): number => people - unchecked - accepted;

export const askedOf = (counts: CampaignCounts): number => outstandingOf(counts) - counts.declined - counts.withdrawn;

const optionalTime = (time: Date | null) => (time === null ? undefined : timestampFromDate(time));

export function campaignMessage(campaign: Campaign): MessageInitShape<typeof CampaignSchema> {
  const { people, unchecked, accepted, declined, withdrawn, erased, nextAt, dueAt, status } = campaign;
  const isReminder = status === "RUNNING" && nextAt !== null && nextAt < dueAt;
  return {
    ...{ id: campaign.id, name: campaign.name, templateId: campaign.templateId, status },
    ...(campaign.versionId !== null && { versionId: campaign.versionId }),
    ...(campaign.revision !== null && { revision: campaign.revision }),
    dueAt: timestampFromDate(dueAt),
    reminders: { daysBefore: [...campaign.reminderDays], at: campaign.reminderAt, timeZone: campaign.timeZone },
    nextReminderAt: isReminder ? timestampFromDate(nextAt) : undefined,
    remindersSent: campaign.remindersSent,
    counts: {
      ...{ people, unchecked, accepted, declined, withdrawn, erased },
      ...{ asked: askedOf(campaign), outstanding: outstandingOf(campaign) },
    },
    createdBy: campaign.createdBy,
    createdAt: timestampFromDate(campaign.createdAt),
    startedAt: optionalTime(campaign.startedAt),
    endedAt: optionalTime(campaign.endedAt),
    peopleUntil: optionalTime(campaign.peopleUntil),
  };
}

/** How somebody's state is shown, and asked for. */
export type ShownState = PersonState | "OVERDUE";

/** Whoever is asked still is overdue once the date has passed, whether anybody has told of it by then. */
export const shownState = (state: PersonState, { dueAt, startedAt }: Campaign, now: Date): ShownState =>
  state === "ASKED" && startedAt !== null && now >= dueAt ? "OVERDUE" : state;

/** The states as they are stored that a list of this one has; empty for everybody. */
export function storedStates(wanted: string, campaign: Campaign, now: Date): readonly PersonState[] | "nobody" {
  if (wanted === "") return [];
  if (wanted === "OUTSTANDING") return ["ASKED", "DECLINED", "WITHDRAWN"];
  const stored = wanted === "OVERDUE" ? "ASKED" : (wanted as PersonState);
  return shownState(stored, campaign, now) === wanted ? [stored] : "nobody";
}
