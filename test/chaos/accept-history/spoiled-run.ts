import { expect, test } from "@jest/globals";
import { checkHistory } from "./check.ts";
import { healthyRun, type Mutable, type Run } from "./healthy-run.ts";
import type { AnsweredReceipt, Operation, Violation } from "./history.ts";

/** What makes a healthy run a bad one, by what is then wrong with it. */
export type Spoilings = Readonly<Record<string, (run: Run) => unknown>>;

/** A test for each: the checker must complain, and by this rule. */
export function expectViolations(rule: string, spoilings: Spoilings): void {
  test.each(Object.entries(spoilings))(`${rule}: %s`, async (_what, spoil) => {
    const run = await healthyRun();
    spoil(run);
    expect((await violationsOf(run)).map((violation) => violation.rule)).toContain(rule);
  });
}

export const violationsOf = ({ observation, ...history }: Run): Promise<Violation[]> =>
  checkHistory({ ...history, incidents: [] }, observation);

/** The first request under a key. */
export function firstOf({ operations }: Run, key: string): Mutable<Operation> {
  const first = operations.find((operation) => operation.key === key);
  if (first === undefined) throw new Error(`nobody used the key ${key}`);
  return first;
}

/** Sends the first request under a key once more, with another outcome or at another time. */
export function askLater(run: Run, key: string, changes: Partial<Operation>): void {
  const again = { ...structuredClone(firstOf(run, key)), startedAt: 900, endedAt: 950, ...changes };
  run.operations.push(again as Mutable<Operation>);
}

/** The receipt in the last answer under a key. */
export function receiptOf(run: Run, key: string): Mutable<AnsweredReceipt> {
  const receipts = run.operations.flatMap((operation) =>
    operation.key === key && operation.outcome.kind === "ok" ? operation.outcome.receipts : [],
  );
  const last = receipts.at(-1);
  if (last === undefined) throw new Error(`the key ${key} has no receipt`);
  return last;
}

/** An outcome as it was, but said to be a replay. */
export const replayed = ({ outcome }: Pick<Operation, "outcome">): Operation["outcome"] =>
  outcome.kind === "ok" ? { ...outcome, fresh: false } : outcome;
