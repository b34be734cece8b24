import { setImmediate } from "node:timers/promises";

/** Opening a thousand records takes about 50 ms of CPU, so yield to other requests in between. */
const mappedAtOnce = 50;

/** Like Array.map, but yields to other work between slices. */
export async function mapInTurns<T, R>(items: readonly T[], map: (item: T) => R | Promise<R>): Promise<R[]> {
  const mapped: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % mappedAtOnce === 0) await setImmediate();
    mapped.push(await map(item));
  }
  return mapped;
}
