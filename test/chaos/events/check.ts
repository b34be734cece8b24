import type { Written } from "./writers.ts";

/** What a consumer did, as the database says. */
export interface Observed {
  readonly consumer: string;
  /** How often each event took effect. */
  readonly times: ReadonlyMap<string, number>;
  readonly inbox: ReadonlySet<string>;
  /** What the consumer counted, over all organizations. */
  readonly total: number;
  readonly dead: readonly string[];
}

/** What is wrong: nothing, when every event that was committed took effect once, and no other one did. */
export const checkEvents = (written: Written, outbox: ReadonlySet<string>, observed: readonly Observed[]): string[] => [
  ...differences("the outbox", written.committed, outbox),
  ...observed.flatMap((one) => checkConsumer(written, one)),
];

function checkConsumer({ committed, rolledBack }: Written, observed: Observed): string[] {
  const { consumer, times, inbox, total, dead } = observed;
  const applied = new Set(times.keys());
  const often = [...times].filter(([, n]) => n !== 1);
  const effects = [...times.values()].reduce((sum, n) => sum + n, 0);
  return [
    ...differences(`what ${consumer} applied`, committed, applied),
    ...differences(`the inbox of ${consumer}`, committed, inbox),
    ...often.map(([id, n]) => `${consumer} applied ${id} ${n} times`),
    ...[...rolledBack].filter((id) => applied.has(id)).map((id) => `${consumer} applied ${id}, which was taken back`),
    ...(total === effects ? [] : [`${consumer} counted ${total} in all, but ${effects} one by one`]),
    ...dead.map((id) => `${consumer} gave ${id} up`),
  ];
}

const differences = (where: string, expected: ReadonlySet<string>, found: ReadonlySet<string>): string[] => [
  ...[...expected].filter((id) => !found.has(id)).map((id) => `${where} lacks ${id}`),
  ...[...found].filter((id) => !expected.has(id)).map((id) => `${where} has ${id}, which nobody committed`),
];
