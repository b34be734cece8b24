import { setImmediate } from "node:timers/promises";

/** Opening a thousand records takes some 50 ms of CPU: other requests come in between. */
const mappedAtOnce = 50;

/** Like Array.map, in turns with whatever else there is to do. */
export async function mapInTurns<T, R>(items: readonly T[], map: (item: T) => R | Promise<R>): Promise<R[]> {
  const mapped: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % mappedAtOnce === 0) await setImmediate();
    mapped.push(await map(item));
  }
  return mapped;
}
