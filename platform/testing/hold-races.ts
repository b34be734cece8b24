import { setImmediate as turn } from "node:timers/promises";
import { expect } from "@jest/globals";
import { type ErrorCode, fromConnectError } from "../errors.ts";

export interface HoldRaces {
  readonly rounds?: number;
  readonly refusals?: readonly ErrorCode[];
  /** Tells the service how many holds there are. */
  note(mark: number): Promise<unknown>;
  /** Deletes the record of the round, as whoever knows of so many holds, or rejects with one of `refusals`. */
  deletes(round: number, mark: number): Promise<unknown>;
  isThere(round: number): Promise<boolean>;
  /** Makes the record of the round. */
  prepare(round: number): Promise<void>;
}

/** Sets a hold while a record is deleted: whatever is there when the hold is answered stays, and whatever is gone was deleted. */
export async function raceHolds({
  rounds = 200,
  refusals = ["HOLDS_CHANGED"],
  note,
  deletes,
  isThere,
  prepare,
}: HoldRaces): Promise<void> {
  const deletion = async (round: number): Promise<boolean> => {
    try {
      await deletes(round, round);
      return true;
    } catch (error) {
      if (!refusals.some((code) => code === fromConnectError(error)?.code)) throw error;
      return false;
    }
  };
  let deletions = 0;
  for (let round = 0; round < rounds; round += 1) {
    await prepare(round);
    const hasHead = round % 2 === 1;
    const early = hasHead ? deletion(round) : undefined;
    // The first two are one after the other, all others at once, one of them a little ahead.
    if (round < 2) await early;
    for (let turns = round % 9; turns > 0; turns -= 1) await turn();
    const noting = note(round + 1);
    if (round < 2) await noting;
    const deleting = early ?? deletion(round);
    await noting;
    const whenAnswered = await isThere(round);
    const isDeleted = await deleting;
    expect([round, whenAnswered, await isThere(round)]).toEqual([round, !isDeleted, !isDeleted]);
    if (isDeleted) deletions += 1;
  }
  expect(deletions).toBeGreaterThan(0);
  expect(deletions).toBeLessThan(rounds);
}
