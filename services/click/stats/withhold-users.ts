import { createHmac } from "node:crypto";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";

/** The acceptances that events tell of. */
export const acceptancesIn = (events: readonly Event[]): string[] =>
  events.flatMap(({ payload }) => (payload.case === "acceptanceRecorded" ? [payload.value.receiptId] : []));

/**
 * The same events with other users in the place of those whose acceptances are among these: they are counted, but as
 * somebody who cannot be found again, another one in each template. Only whoever has the secret could; it is never stored.
 */
export function withholdUsers(
  events: readonly Event[],
  receiptIds: ReadonlySet<string>,
  secret: Buffer,
): readonly Event[] {
  if (receiptIds.size === 0) return events;
  return events.map((event) => {
    const { payload } = event;
    if (payload.case !== "acceptanceRecorded" || !receiptIds.has(payload.value.receiptId)) return event;
    const { userKey, templateId } = payload.value;
    const unknown = createHmac("sha256", secret)
      .update(templateId)
      .update(userKey)
      .digest()
      .subarray(0, userKey.length);
    const value = { ...payload.value, userKey: new Uint8Array(unknown) };
    return { ...event, payload: { case: "acceptanceRecorded" as const, value } };
  });
}
