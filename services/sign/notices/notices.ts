import type { Agreement, JsonObject } from "../agreement/agreement.ts";
import type { JobRequest, SignEvent } from "../agreement/change.ts";
import { hasToAct } from "../agreement/recipients.ts";

/** What the sender of an agreement may be told of. */
const noticeKinds = [
  "viewed",
  "signed",
  "declined",
  "completed",
  "expiring",
  "expired",
  "undelivered",
  "locked",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** News of an agreement; what it says is composed when it is sent. */
export interface Notice {
  readonly agreementId: string;
  /** UUID of the recipient whom it is about; empty when it is about all. */
  readonly recipientId: string;
  readonly notice: NoticeKind;
  /** ISO 8601. */
  readonly at: string;
}

/** The notices that events of an agreement bring. */
export const noticesOf = (agreement: Agreement, events: readonly SignEvent[], now: Date): JobRequest[] =>
  events.flatMap((event) => {
    const notice = kindOf(agreement, event);
    if (notice === undefined) return [];
    return [noticeJob(agreement, { notice, recipientId: "recipientId" in event ? event.recipientId : "" }, now)];
  });

/** The sender is told when the recipients are warned. */
export const expiryNotice = (agreement: Agreement, now: Date): JobRequest =>
  noticeJob(agreement, { notice: "expiring", recipientId: "" }, now);

function kindOf({ recipients }: Agreement, event: SignEvent): NoticeKind | undefined {
  if (event.kind === "recipient.completed") {
    // Copies are completed by sending them.
    const recipient = recipients.find(({ id }) => id === event.recipientId);
    return recipient !== undefined && hasToAct(recipient) ? "signed" : undefined;
  }
  return kinds[event.kind];
}

const kinds: { readonly [Kind in SignEvent["kind"]]?: NoticeKind } = {
  "recipient.delivered": "viewed",
  "recipient.undelivered": "undelivered",
  "recipient.locked": "locked",
  "agreement.declined": "declined",
  "agreement.completed": "completed",
  "agreement.expired": "expired",
};

function noticeJob(
  { id: agreementId }: Agreement,
  { notice, recipientId }: Pick<Notice, "notice" | "recipientId">,
  now: Date,
): JobRequest {
  const payload: Notice = { agreementId, recipientId, notice, at: now.toISOString() };
  return { kind: "notice", key: `${agreementId}:${notice}:${recipientId}`, runAt: now, payload: { ...payload } };
}

/** Undefined when the payload belongs to another kind of job. */
export function noticeOf({ agreementId, recipientId, notice, at }: JsonObject): Notice | undefined {
  const kind = noticeKinds.find((one) => one === notice);
  if (typeof agreementId !== "string" || typeof recipientId !== "string" || typeof at !== "string") return undefined;
  return kind === undefined ? undefined : { agreementId, recipientId, notice: kind, at };
}

const digestHour = 8;
const hourMs = 3_600_000;

/** The next time that it is eight in the morning somewhere: the first hour of the day that is not before it. */
export function nextDigest(timeZone: string, now: Date): Date {
  const clock = new Intl.DateTimeFormat("en-u-hc-h23", {
    ...{
      timeZone: timeZone || "UTC",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    },
  });
  const shown = (moment: number) => {
    const parts = clock.formatToParts(moment);
    const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
    return { day: Date.UTC(of("year"), of("month") - 1, of("day")), minutes: of("hour") * 60 + of("minute") };
  };
  const isDue = ({ minutes }: { readonly minutes: number }): boolean => minutes >= digestHour * 60;
  const current = shown(now.getTime());
  // Zones are ahead of UTC by quarters of an hour, and change their clocks by such.
  const quarterMs = hourMs / 4;
  let moment = Math.floor(now.getTime() / quarterMs) * quarterMs + quarterMs;
  const isNext = (at: ReturnType<typeof shown>): boolean =>
    isDue(at) && (at.day > current.day || (at.day === current.day && !isDue(current)));
  while (!isNext(shown(moment))) moment += quarterMs;
  return new Date(moment);
}
