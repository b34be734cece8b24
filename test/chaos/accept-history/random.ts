/** Random numbers that are the same for the same seed. */
export interface Random {
  /** From 0 up to but not 1. */
  next(): number;
  /** From 0 up to but not `below`. */
  integer(below: number): number;
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
  /** Numbers of its own for one part, which how often other parts ask does not change. */
  fork(part: number): Random;
}

export function createRandom(seed: number): Random {
  const next = mulberry32(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  const pick = <T>(items: readonly T[]): T => items[integer(items.length)] as T;
  return {
    next,
    integer,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick,
    shuffle: (items) => {
      const left = [...items];
      return items.map(() => left.splice(integer(left.length), 1)[0] as (typeof items)[number]);
    },
    fork: (part) => createRandom(mulberry32(seed + Math.imul(part + 1, 0x9e3779b9))() * 2 ** 32),
  };
}

/** Tommy Ettinger's generator: 32 bits of state, good enough to choose faults with. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
