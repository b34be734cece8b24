import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CampaignReminders, CampaignSchema } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import { dayMs, knownTimeZone, momentOf, offsetOf } from "#platform/zone-time.ts";
import type { PurposeState } from "../consent/consent.ts";
import { readTime } from "../messages.ts";
import { type LastAcceptance, type PublishedText, statusOf, type TemplateOffer } from "../terms/agreement-state.ts";

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

/** What is no id names nothing. */
export function uuidOf(
  id: string,
  otherwise:
    | "CLICK_CAMPAIGN_NOT_FOUND"
    | "CLICK_TEMPLATE_NOT_FOUND"
    | "CLICK_VERSION_NOT_FOUND" = "CLICK_CAMPAIGN_NOT_FOUND",
): string {
  if (!isUuid(id)) throw new DomainError(otherwise);
  return id.toLowerCase();
}

const invalid = (field: string, code: string, message: string): DomainError =>
  refusedField(field, code, message, "CLICK_VALIDATION_FAILED");

/** The date of a campaign. The schema demands that it is there. */
export const dateOf = (dueAt: Timestamp | undefined): Date => readTime("dueAt", dueAt) ?? new Date(0);

/** The date, which must not have passed. */
export function requireLater(date: Date, now: Date): Date {
  if (date <= now) throw invalid("dueAt", "RANGE", "must be in the future");
  return date;
}

export function ruleOf(reminders: CampaignReminders | undefined): Omit<ReminderRule, "dueAt"> {
  const { daysBefore = [], at = "", timeZone = "" } = reminders ?? {};
  const zone = knownTimeZone(timeZone || "UTC");
  if (zone === undefined) {
    throw invalid("reminders.timeZone", "INVALID_TIME_ZONE", "must be a time zone such as Europe/Berlin");
  }
  return { reminderDays: [...daysBefore].sort((a, b) => b - a), reminderAt: at || "09:00", timeZone: zone };
}

/** Throws CLICK_VERSION_NOT_PUBLISHED when nothing of the template can be accepted. */
export function requirePublished({ published }: TemplateOffer): void {
  if (published.length === 0) throw new DomainError("CLICK_VERSION_NOT_PUBLISHED");
}

/** The revision that a campaign names; undefined when it asks for what is live. Throws CLICK_VERSION_NOT_FOUND. */
export function targetOf(
  offer: TemplateOffer,
  { versionId, revision }: { readonly versionId?: string | undefined; readonly revision?: number | undefined },
): Target | undefined {
  if (versionId === undefined) {
    if (revision !== undefined) {
      throw invalid("versionId", "REQUIRED", "is required with revision: each version counts its own revisions");
    }
    return undefined;
  }
  const id = uuidOf(versionId, "CLICK_VERSION_NOT_FOUND");
  const live = offer.published.find((one) => one.versionId === id);
  if (live === undefined || live.revision < (revision ?? 1)) throw new DomainError("CLICK_VERSION_NOT_FOUND");
  return { versionId: id, revision: revision ?? live.revision };
}

export const timeOf = (time: Date | null) => (time === null ? undefined : timestampFromDate(time));
