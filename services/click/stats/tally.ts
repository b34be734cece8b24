import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { AcceptanceRecorded, Event } from "#gen/assent/events/v1/events_pb.ts";
import { acceptTimeBucket } from "./template-stats.ts";
import { type HourCounter, type HourCounts, hourCounters } from "./user-days.ts";

/** Where something is counted: one hour of one text. */
export interface StatPlace {
  readonly templateId: string;
  /** The beginning of the hour. */
  readonly hour: string;
  readonly versionId: string;
  readonly revision: number;
}

export interface HourRow extends StatPlace, HourCounts {
  firstAcceptedAt: Date | null;
  lastAcceptedAt: Date | null;
}

export interface TimeRow extends StatPlace {
  readonly bucket: number;
  acceptances: number;
}

export interface PurposeRow extends StatPlace {
  readonly purpose: string;
  granted: number;
  denied: number;
  withdrawn: number;
}

/** An acceptance by a user. */
export interface UserAcceptance {
  readonly templateId: string;
  readonly userKey: Uint8Array;
  readonly versionId: string;
  readonly revision: number;
  readonly acceptedAt: Date;
}

/**
 * The counts that a set of events adds to the statistics; independent of the order and batches in which they arrive.
 */
export interface Tally {
  readonly hours: HourRow[];
  readonly times: TimeRow[];
  readonly purposes: PurposeRow[];
  readonly users: UserAcceptance[];
}

/** Stands for an unknown text. */
const noText = { versionId: "00000000-0000-0000-0000-000000000000", revision: 0 };

/**
 * Counts events. For a session that takes many acceptances, `isFirst` says whether to count it as accepted now; it
 * returns true once per session.
 */
export function tallyEvents(events: readonly Event[], isFirst: (sessionId: string) => boolean): Tally {
  const sheet = createSheet();
  for (const event of events) countEvent(sheet, event, isFirst);
  return sheet.tally();
}

type Sheet = ReturnType<typeof createSheet>;
type Text = { readonly templateId: string; readonly versionId: string; readonly revision: number };

function countEvent(sheet: Sheet, { payload, occurredAt }: Event, isFirst: (sessionId: string) => boolean): void {
  // Events that are older than the statistics do not name their text.
  if (payload.value === undefined || !("templateId" in payload.value) || payload.value.templateId === "") return;
  const at = requireTime(occurredAt);
  switch (payload.case) {
    case "acceptanceRecorded":
      countAcceptance(sheet, payload.value, isFirst);
      break;
    case "consentGranted":
    case "consentDenied":
    case "consentWithdrawn":
      countConsent(sheet, payload, at);
      break;
    case "sessionExpired":
      // The event is published some time after the expiry.
      sheet.hour(payload.value, requireTime(payload.value.expiresAt)).sessionsExpired += 1;
      break;
    default:
      countSession(sheet, payload, at);
  }
}

function countSession(sheet: Sheet, payload: Event["payload"], at: Date): void {
  const count = (text: Text, ...counters: HourCounter[]) => {
    const row = sheet.hour(text, at);
    for (const counter of counters) row[counter] += 1;
  };
  switch (payload.case) {
    case "sessionCreated":
      count(payload.value, "sessionsCreated");
      break;
    case "sessionPresented":
      count(payload.value, "sessionsPresented");
      break;
    case "sessionDeclined":
      count(payload.value, "sessionsDeclined", "declines");
      break;
    case "sessionCancelled":
      count(payload.value, "sessionsCancelled");
      break;
    case "sessionCompleted":
      count(payload.value, "sessionsCompleted");
      if (payload.value.outcome === "NONE") count(payload.value, "sessionsUnanswered");
      break;
  }
}

function countAcceptance(sheet: Sheet, recorded: AcceptanceRecorded, isFirst: (sessionId: string) => boolean): void {
  const acceptedAt = requireTime(recorded.acceptedAt);
  const { direct, sessionId, sessionReusable, templateId, versionId, revision, userKey } = recorded;
  const row = sheet.hour(recorded, acceptedAt);
  if (recorded.decision !== "ACCEPT") {
    // A declined session has an event of its own.
    if (direct) row.declines += 1;
    return;
  }
  row[direct ? "acceptedDirect" : "acceptedWithSession"] += 1;
  if (!direct && (!sessionReusable || isFirst(sessionId))) row.sessionsAccepted += 1;
  row.firstAcceptedAt = earlier(row.firstAcceptedAt, acceptedAt);
  row.lastAcceptedAt = later(row.lastAcceptedAt, acceptedAt);
  if (userKey.length > 0) sheet.user({ templateId, versionId, revision, userKey, acceptedAt });
  // For a session that is used many times, the display time says nothing about the later acceptances.
  if (recorded.displayedSince === undefined || sessionReusable) return;
  const ms = acceptedAt.getTime() - timestampDate(recorded.displayedSince).getTime();
  sheet.time(recorded, acceptedAt, acceptTimeBucket(ms)).acceptances += 1;
}

type ConsentPayload = Extract<
  Event["payload"],
  { case: "consentGranted" } | { case: "consentDenied" } | { case: "consentWithdrawn" }
>;

function countConsent(sheet: Sheet, { case: kind, value }: ConsentPayload, at: Date): void {
  const { templateId, purpose } = value;
  // The withdrawal of a purpose that was never asked for belongs to no template.
  if (templateId === undefined) return;
  const text = { ...noText, ...definedText(value), templateId };
  const row = sheet.purpose(text, at, purpose);
  if (kind === "consentGranted") row.granted += 1;
  else if (kind === "consentDenied") row.denied += 1;
  else {
    row.withdrawn += 1;
    sheet.hour(text, at).withdrawals += 1;
  }
}

const definedText = ({ versionId, revision }: { versionId?: string | undefined; revision?: number | undefined }) =>
  versionId === undefined || revision === undefined ? {} : { versionId, revision };

function createSheet() {
  const hours = new Map<string, HourRow>();
  const times = new Map<string, TimeRow>();
  const purposes = new Map<string, PurposeRow>();
  const users: UserAcceptance[] = [];
  const place = ({ templateId, versionId, revision }: Text, at: Date): StatPlace => ({
    templateId,
    hour: hourOf(at),
    versionId,
    revision,
  });
  const row = <R extends StatPlace>(rows: Map<string, R>, made: R, ...more: unknown[]): R => {
    const key = [made.templateId, made.hour, made.versionId, made.revision, ...more].join(" ");
    const known = rows.get(key) ?? made;
    rows.set(key, known);
    return known;
  };
  return {
    hour: (text: Text, at: Date) => row(hours, emptyHour(place(text, at))),
    time: (text: Text, at: Date, bucket: number) => row(times, { ...place(text, at), bucket, acceptances: 0 }, bucket),
    purpose: (text: Text, at: Date, purpose: string) =>
      row(purposes, { ...place(text, at), purpose, granted: 0, denied: 0, withdrawn: 0 }, purpose),
    user: (acceptance: UserAcceptance) => users.push(acceptance),
    tally: (): Tally => ({
      hours: [...hours.values()],
      times: [...times.values()],
      purposes: [...purposes.values()],
      users,
    }),
  };
}

export const emptyHour = (place: StatPlace): HourRow => ({
  ...place,
  ...(Object.fromEntries(hourCounters.map((counter) => [counter, 0])) as HourCounts),
  firstAcceptedAt: null,
  lastAcceptedAt: null,
});

const hourMs = 3_600_000;

export const hourOf = (time: Date): string => new Date(Math.floor(time.getTime() / hourMs) * hourMs).toISOString();

function requireTime(time: Timestamp | undefined): Date {
  if (time === undefined) throw new Error("an event does not tell when it happened");
  return timestampDate(time);
}

const earlier = (a: Date | null, b: Date): Date => (a !== null && a < b ? a : b);
const later = (a: Date | null, b: Date): Date => (a !== null && a > b ? a : b);
