import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CampaignReminders } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import { knownTimeZone } from "#platform/zone-time.ts";
import { readTime } from "../messages.ts";
import type { TemplateOffer } from "../terms/agreement-state.ts";
import type { ReminderRule, Target } from "./campaign.ts";

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
