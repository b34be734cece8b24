import { createHmac } from "node:crypto";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { Tenant } from "#platform/db/pool.ts";
import {
  addHolders,
  addReach,
  insertUsers,
  lockUsers,
  type StatUser,
  type UserChange,
  type UserName,
  updateUsers,
} from "./stat-store.ts";
import { addAcceptances, type CountedAcceptance, placesOf, type UserDays } from "./user-days.ts";

export interface UserAcceptances extends UserName {
  readonly acceptances: readonly CountedAcceptance[];
}

const maxRounds = 5;

/**
 * Counts acceptances by user. Each user is locked from before it is read until the transaction ends, and the counters
 * change by exactly the difference between how the user was counted before and is counted now.
 */
export async function countUsers(tenant: Tenant, wanted: readonly UserAcceptances[]): Promise<void> {
  const changes = new Map<string, UserChange>();
  let left = wanted;
  for (let round = 1; left.length > 0; round += 1) {
    if (round > maxRounds) throw new Error("users that are counted by other processes could not be held");
    left = await countKnownOrNew(tenant, left, changes);
  }
  const changed = [...changes.values()].filter(({ users }) => users !== 0);
  await addReach(tenant, changed);
  await addHolders(tenant, changed);
}

/** Returns those that another process has added since they were looked up. */
async function countKnownOrNew(
  tenant: Tenant,
  wanted: readonly UserAcceptances[],
  changes: Map<string, UserChange>,
): Promise<UserAcceptances[]> {
  const known = new Map((await lockUsers(tenant, wanted)).map((user) => [nameOf(user), user]));
  const after = wanted.map((user): StatUser => {
    const { templateId, userKey, acceptances } = user;
    return { templateId, userKey, ...addAcceptances(known.get(nameOf(user)), acceptances) };
  });
  const fresh = after.filter((user) => !known.has(nameOf(user)));
  const inserted = new Set((await insertUsers(tenant, fresh)).map(nameOf));
  const held = after.filter((user) => known.has(nameOf(user)));
  await updateUsers(tenant, held);
  for (const user of [...held, ...fresh.filter((one) => inserted.has(nameOf(one)))]) {
    addDifference(changes, user.templateId, known.get(nameOf(user)), user);
  }
  const missed = new Set(fresh.map(nameOf).filter((name) => !inserted.has(name)));
  return wanted.filter((user) => missed.has(nameOf(user)));
}

const nameOf = ({ templateId, userKey }: UserName): string => `${templateId} ${userKey}`;

function addDifference(
  changes: Map<string, UserChange>,
  templateId: string,
  before: UserDays | undefined,
  after: UserDays,
): void {
  const [left, entered] = [placesOf(before), placesOf(after)];
  const add = (key: string, change: UserChange) => {
    const name = `${templateId} ${key}`;
    changes.set(name, { ...change, users: (changes.get(name)?.users ?? 0) + change.users });
  };
  for (const [key, place] of left) if (!entered.has(key)) add(key, { templateId, place, users: -1 });
  for (const [key, place] of entered) if (!left.has(key)) add(key, { templateId, place, users: 1 });
}

/** The acceptances that events report. */
export const acceptancesIn = (events: readonly Event[]): string[] =>
  events.flatMap(({ payload }) => (payload.case === "acceptanceRecorded" ? [payload.value.receiptId] : []));

/**
 * Replaces the users whose acceptances are among these in the events: they are still counted, but under a random
 * identity, a different one in each template, that cannot be linked to them. Only the secret could link it, and that is
 * never stored.
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
